// Real processes of a cluster on a real PostgreSQL: kills, frozen leads, races and outages.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, it } from 'vitest';
import type { OnEnd } from '../frontends/servers.ts';
import type { ClusterStore } from '../../src/store/cluster/cluster-store.ts';
import { bundleMemberProcess, type MemberProcesses } from './member-processes.ts';
import { type OwnPostgres, runSql, startOwnPostgres } from './postgres.ts';
import { buildTask, LIMITS, openStore, submitted } from './stores.ts';

let postgres: OwnPostgres;
let processes: MemberProcesses;
const { signal } = new AbortController();

beforeAll(async () => {
  [postgres, processes] = await Promise.all([startOwnPostgres(), bundleMemberProcess()]);
});

afterAll(async () => {
  await processes[Symbol.asyncDispose]();
  await postgres[Symbol.asyncDispose]();
});

const openGateway = async (onEnd: OnEnd): Promise<{ url: string; store: ClusterStore }> => {
  const url = await postgres.createDatabase();
  const store = await openStore(url, { role: 'gateway' });
  onEnd(async () => store[Symbol.asyncDispose]());
  return { url, store };
};

const start = (
  onEnd: OnEnd,
  ...args: Parameters<MemberProcesses['start']>
): ReturnType<MemberProcesses['start']> => {
  const member = processes.start(...args);
  onEnd(async () => member[Symbol.asyncDispose]());
  return member;
};

const readLines = async (
  store: ClusterStore,
  id: string,
): Promise<{ n: number; member: string }[]> => {
  const lines: { n: number; member: string }[] = [];
  for await (const line of store.tasks
    .files(id)
    .entries<{ n: number; member: string }>('pages.jsonl'))
    lines.push(line);
  return lines;
};

const waitUntilEnded = async (store: ClusterStore, id: string): Promise<string> => {
  using watch = store.tasks.watch(id);
  for (;;) {
    const changed = watch.next(signal);
    changed.catch(() => {});
    const { status } = await store.tasks.require(id);
    if (!['PENDING', 'RUNNING'].includes(status)) return status;
    await changed;
  }
};

/** Each case has its own database, and most of them wait: they run at the same time. */
describe.concurrent('processes of a cluster', () => {
  it('make 160 changes of one row from 4 processes, with 160 ordered history lines', async ({
    expect,
    onTestFinished,
  }) => {
    const { url, store } = await openGateway(onTestFinished);
    const { task_id: id } = await store.tasks.create(buildTask(store));
    const counters = Array.from({ length: 4 }, () => start(onTestFinished, 'count', url, id, '40'));
    await Promise.all(counters.map((counter) => counter.waitFor('done')));
    expect(await store.tasks.require(id)).toMatchObject({ total: 160 });
    const totals: number[] = [];
    await store.tasks.history(id, 1, ({ data }) => totals.push((data as { total: number }).total));
    expect(totals).toEqual(Array.from({ length: 160 }, (_, i) => i + 1));
  }, 120_000);

  it('reassign the visits of a worker killed with kill -9, and count each page once', async ({
    expect,
    onTestFinished,
  }) => {
    const { url, store } = await openGateway(onTestFinished);
    const { task_id: id } = await store.leases.submit(buildTask(store), submitted);
    const lease = await store.leases.next(LIMITS, signal);
    const doomed = start(onTestFinished, 'work', url, 'hang', '4');
    await doomed.waitFor('joined');
    await store.visits.offer(
      lease,
      Array.from({ length: 12 }, (_, n) => ({ n, url: `http://a.test/${n}`, request: {} })),
    );
    await doomed.waitFor('claimed 3');
    const survivor = start(onTestFinished, 'work', url, '1');
    await survivor.waitFor('ended 11');
    doomed.process.kill('SIGKILL');
    const numbers = Array.from({ length: 12 }, (_, n) => n);
    const ended: number[] = [];
    while (ended.length < 12) {
      await store.visits.waitForEnded(lease, signal);
      ended.push(...(await store.visits.takeEnded(lease, numbers)).map(({ n }) => n));
    }
    expect(ended.sort((a, b) => a - b)).toEqual(numbers);
    expect(survivor.lines).toContain('claimed 0 1');
    expect(id).toBe(lease.taskId);
  }, 120_000);

  it('continue the task of a lead killed with kill -9, without a gap in its lines', async ({
    expect,
    onTestFinished,
  }) => {
    const { url, store } = await openGateway(onTestFinished);
    const { task_id: id } = await store.leases.submit(buildTask(store), submitted);
    const first = start(onTestFinished, 'lead', url, '20');
    await first.waitFor('line 20');
    const second = start(onTestFinished, 'lead', url, '1');
    await second.waitFor('joined');
    first.process.kill('SIGKILL');
    expect(await second.waitFor('leads')).toBe(`${id} 2`);
    expect(await waitUntilEnded(store, id)).toBe('COMPLETED');
    const lines = await readLines(store, id);
    expect(lines.map(({ n }) => n)).toEqual(Array.from({ length: 200 }, (_, n) => n));
    expect(new Set(lines.map(({ member }) => member)).size).toBe(2);
  }, 120_000);

  it('fetch a robots.txt once for all processes', async ({ expect, onTestFinished }) => {
    const { url } = await openGateway(onTestFinished);
    let requests = 0;
    const site = createServer((_request, response) => {
      requests++;
      setTimeout(() => response.end('User-agent: *\nDisallow: /private'), 100);
    }).listen(0, '127.0.0.1');
    await once(site, 'listening');
    onTestFinished(() => void site.close());
    const address = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    const readers = Array.from({ length: 3 }, () => start(onTestFinished, 'robots', url, address));
    const texts = await Promise.all(readers.map((reader) => reader.waitFor('robots')));
    expect(requests).toBe(1);
    expect(new Set(texts.flatMap((text) => JSON.parse(text) as string[]))).toEqual(
      new Set(['User-agent: *\nDisallow: /private']),
    );
  }, 60_000);

  it('keep the delay of a host between the requests of two crawls', async ({
    expect,
    onTestFinished,
  }) => {
    const { url } = await openGateway(onTestFinished);
    const requests: { readonly path: string; readonly at: number }[] = [];
    const site = createServer((request, response) => {
      requests.push({ path: request.url ?? '', at: performance.now() });
      response.end('ok');
    }).listen(0, '127.0.0.1');
    await once(site, 'listening');
    onTestFinished(() => void site.close());
    const address = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
    const crawls = [
      start(onTestFinished, 'turns', url, address, '100', '20'),
      start(onTestFinished, 'turns', url, address, '100', '20'),
    ];
    await Promise.all(crawls.map((crawl) => crawl.waitFor('done')));
    expect(requests).toHaveLength(40);
    // After a slow answer the next turn does not wait for the whole delay.
    const answers = crawls
      .flatMap(({ lines }) => lines)
      .map((line) => line.split(' '))
      .filter(([word]) => word === 'answered')
      .map(([, path, tookMs]) => [`/${path}`, Number(tookMs)] as const);
    const tookMs = new Map<string, number>(answers);
    const gaps = requests.slice(1).flatMap(({ at }, i) => {
      const before = requests[i];
      if (before === undefined || (tookMs.get(before.path) ?? 0) > 200) return [];
      return [at - before.at];
    });
    expect(gaps.filter((gap) => gap < 100)).toEqual([]);
    expect(gaps.length).toBeGreaterThan(0);
  }, 60_000);

  it('use at most four connections each', async ({ expect, onTestFinished }) => {
    const url = await postgres.createDatabase();
    const leader = start(onTestFinished, 'lead', url, '1');
    await leader.waitFor('joined');
    const store = await openStore(url, { join: false });
    await store.leases.submit(buildTask(store), submitted);
    await leader.waitFor('line 199');
    await store[Symbol.asyncDispose]();
    const [row] = await runSql<{ count: number }>(
      postgres.asSuperuser(url),
      `select count(*)::int from pg_stat_activity
       where application_name = 'openchrome' and datname = current_database()`,
    );
    expect(row?.count).toBeLessThanOrEqual(4);
  }, 60_000);
});

describe('processes of a cluster whose PostgreSQL is killed', () => {
  it('lose no acknowledged line when PostgreSQL is killed, and continue after its restart', async ({
    expect,
    onTestFinished,
  }) => {
    const { url, store } = await openGateway(onTestFinished);
    const { task_id: id } = await store.leases.submit(buildTask(store), submitted);
    const leader = start(onTestFinished, 'lead', url, '10');
    await leader.waitFor('line 30');
    await postgres.kill();
    const acknowledged = leader.lines.filter((line) => line.startsWith('line ')).length;
    await expect(store.tasks.require(id)).rejects.toMatchObject({
      code: 'storage_failed',
      details: { retryable: true },
    });
    await postgres.start();
    const restartedAt = Date.now();
    await leader.waitFor(`line ${acknowledged + 5}`);
    expect(Date.now() - restartedAt).toBeLessThan(10_000);
    expect(await waitUntilEnded(store, id)).toBe('COMPLETED');
    const lines = await readLines(store, id);
    expect(lines.map(({ n }) => n)).toEqual(Array.from({ length: 200 }, (_, n) => n));
    expect(leader.lines.filter((line) => line.startsWith('leads '))).toHaveLength(1);
    const { task_id: next } = await store.leases.submit(buildTask(store), submitted);
    expect(await leader.waitFor(`leads ${next}`)).toBe('1');
  }, 120_000);
});
