// A process of a cluster without a browser: `node member-process.mjs MODE URL [ARGUMENT...]`.
// Prints one line per step.
import { setMaxListeners } from 'node:events';
import { request } from 'node:http';
import { monotonicMs, sleep } from '../../src/core/time.ts';
import { PageWorker } from '../../src/features/cluster/page-worker.ts';
import type {
  ClaimedVisit,
  ClusterStore,
  VisitOutcome,
} from '../../src/store/cluster/cluster-store.ts';
import { LIMITS, openStore, testLog } from './stores.ts';

const print = (...words: readonly (string | number)[]): void => {
  process.stdout.write(`${words.join(' ')}\n`);
};
const { signal } = new AbortController();
setMaxListeners(0, signal);

/** Increases the number in the row of a task. */
const count = async (store: ClusterStore, id = '', times = '0'): Promise<void> => {
  for (let i = 0; i < Number(times); i++)
    await store.tasks.change(id, (meta) => {
      const total = Number(meta['total'] ?? 0) + 1;
      return { meta: { ...meta, total }, event: { ts: Date.now(), kind: 'log', data: { total } } };
    });
};

/** Claims visits and ends each of them after `loadMs`; "hang" never ends them. */
const work = async (store: ClusterStore, loadMs = '0', slots = '8'): Promise<void> => {
  const load = async (visit: ClaimedVisit): Promise<VisitOutcome> => {
    print('claimed', visit.n, visit.deaths);
    if (loadMs === 'hang') await new Promise(() => {});
    await sleep(Number(loadMs));
    print('ended', visit.n);
    return { page: { url: visit.url } };
  };
  const worker = new PageWorker({
    ...{ visits: store.visits, slots: Number(slots), limits: LIMITS, load, log: testLog },
    stop: () => {},
  });
  await worker.run(signal);
};

/** Leads tasks and appends a line every `stepMs`, until 200 lines are stored. */
const lead = async (store: ClusterStore, stepMs = '20'): Promise<void> => {
  for (;;) {
    const lease = await store.leases.next(LIMITS, signal);
    print('leads', lease.taskId, lease.epoch);
    const ledger = store.leases.bind(lease);
    const files = ledger.files(lease.taskId);
    try {
      let n = 0;
      for await (const line of files.entries<{ n: number }>('pages.jsonl')) n = line.n + 1;
      for (; n < 200; n++) {
        await files.append('pages.jsonl', { n, member: store.members.own });
        print('line', n);
        await sleep(Number(stepMs));
      }
      await ledger.change(lease.taskId, (meta) => ({ meta: { ...meta, status: 'COMPLETED' } }));
      await store.leases.release(lease);
      print('completed', lease.taskId);
    } catch (error) {
      print('stopped', (error as { code?: string }).code ?? String(error));
      await store.members.join(signal);
      print('joined');
    }
  }
};

const get = (url: string): Promise<string> =>
  new Promise((resolve, reject) => {
    request(url, (response) => {
      let text = '';
      response.on('data', (part: Buffer) => (text += part.toString()));
      response.on('end', () => resolve(text));
    })
      .on('error', reject)
      .end();
  });

/** Requests a page in each turn of its host, and prints its path and the time of its answer. */
const visitHost = async (
  store: ClusterStore,
  site = '',
  delayMs = '100',
  times = '10',
): Promise<void> => {
  for (let i = 0; i < Number(times); i++) {
    const turn = await store.turns.take(new URL(site).host, Number(delayMs), signal);
    const path = `${process.pid}-${i}`;
    const startedAt = monotonicMs();
    await get(new URL(path, site).href);
    turn.answered();
    print('answered', path, monotonicMs() - startedAt);
  }
};

const readRobots = async (store: ClusterStore, site = ''): Promise<void> => {
  const fetch = async (): Promise<{ status: number; text: string }> => ({
    status: 200,
    text: await get(`${site}/robots.txt`),
  });
  const files = await Promise.all(
    Array.from({ length: 5 }, () => store.robots.load(site, fetch, signal)),
  );
  print('robots', JSON.stringify(files.map(({ text }) => text)));
};

const MODES = { count, work, lead, turns: visitHost, robots: readRobots };

const [, , mode = '', url = '', ...rest] = process.argv;
const store = await openStore(url);
print('joined', store.members.own);
await MODES[mode as keyof typeof MODES](store, ...rest);
print('done');
await store[Symbol.asyncDispose]();
