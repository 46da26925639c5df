// A worker's page visits: what it saves and gives back, with a queue in memory.
import { describe, expect, it, vi } from 'vitest';
import { createLog } from '../../core/log.ts';
import type { ClaimedVisit, VisitQueue } from '../../store/cluster/cluster-store.ts';
import { PageWorker } from './page-worker.ts';

const buildVisit = (n: number): ClaimedVisit => ({
  ...{ taskId: 'a', n, url: `http://a.test/${n}`, request: {}, epoch: 1, deaths: 0 },
});

const createQueue = (over: Partial<VisitQueue>): VisitQueue => ({
  offer: async () => {},
  takeEnded: async () => [],
  drop: async () => {},
  claim: async () => [],
  finish: async () => {},
  keepOnly: async () => {},
  giveBack: async () => {},
  stillClaimed: async (visits) => visits,
  waitForOffers: () => new Promise((resolve) => setTimeout(resolve, 5)),
  waitForEnded: async () => {},
  ...over,
});

/** Returns the tasks whose visits the worker stopped. */
const run = async (
  queue: VisitQueue,
  load: (visit: ClaimedVisit) => Promise<{ page: object }>,
  isDone: () => boolean,
): Promise<readonly string[]> => {
  const stopped: string[] = [];
  const end = new AbortController();
  const worker = new PageWorker({
    ...{ visits: queue, slots: 2, limits: '', load },
    log: createLog({ level: 'error', write: () => {} }),
    stop: (taskId) => stopped.push(taskId),
  });
  const running = worker.run(end.signal);
  await vi.waitFor(() => expect(isDone()).toBe(true), { timeout: 20_000 });
  const stoppedWhileRunning = [...stopped];
  end.abort();
  await running;
  return stoppedWhileRunning;
};

describe('a worker of page visits', () => {
  it('keeps only the visits it knows after a failed statement, and saves outcomes again', async () => {
    const kept: number[][] = [];
    const saved: number[] = [];
    let calls = 0;
    const queue = createQueue({
      claim: async ({ ended = [] }) => {
        if (++calls === 1) return [buildVisit(0)];
        if (ended.length > 0 && kept.length === 0) throw new Error('the connection was lost');
        saved.push(...ended.map(({ visit }) => visit.n));
        return [];
      },
      keepOnly: async (visits) => void kept.push(visits.map(({ n }) => n)),
    });
    await run(
      queue,
      async () => ({ page: {} }),
      () => saved.length > 0,
    );
    expect(kept).toEqual([[0]]);
    expect(saved).toEqual([0]);
  });

  it('continues its other visits while an ended one is being saved', async () => {
    let calls = 0;
    let endFirst = (): void => {};
    let checks = 0;
    const queue = createQueue({
      claim: async () => (++calls === 1 ? [buildVisit(0), buildVisit(1)] : []),
      // The first visit ends after the worker has listed its visits, and is saved.
      stillClaimed: async (visits) => {
        endFirst();
        await new Promise((resolve) => setImmediate(resolve));
        checks++;
        return visits.filter(({ n }) => n === 1);
      },
    });
    const load = ({ n }: ClaimedVisit): Promise<{ page: object }> =>
      new Promise((resolve) => {
        if (n === 0) endFirst = () => resolve({ page: {} });
      });
    expect(await run(queue, load, () => checks > 0)).toEqual([]);
  });
});
