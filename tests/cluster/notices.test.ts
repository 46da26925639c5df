// Notices between processes: few of them, and everything is also found without them.
import pg from 'pg';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { startSite } from './crawled-site.ts';
import { buildCrawl, waitForLead } from './crawls.ts';
import { Fleet } from './fleet.ts';
import { startPostgres, type TestPostgres } from './postgres.ts';
import { startSilentProxy } from './database-proxy.ts';
import { buildTask, LIMITS, openStore, submitted } from './stores.ts';

let postgres: TestPostgres;

beforeAll(async () => {
  postgres = await startPostgres();
});

afterAll(() => postgres[Symbol.asyncDispose]());

const { signal } = new AbortController();

/** These cases mostly wait, so they run at the same time. */
describe.concurrent('notices', () => {
  it('are sent at most 20 times per second by a process', async ({ expect, onTestFinished }) => {
    const url = await postgres.createDatabase();
    await using store = await openStore(url);
    const { task_id: id } = await store.tasks.create(buildTask(store));
    const listener = new pg.Client(url);
    await listener.connect();
    onTestFinished(() => listener.end());
    const times: number[] = [];
    listener.on('notification', () => times.push(performance.now()));
    await listener.query('listen openchrome');
    const until = performance.now() + 2_000;
    let changes = 0;
    while (performance.now() < until) {
      await store.tasks.change(id, (meta) => ({ meta: { ...meta, total: ++changes } }));
    }
    const [first = 0, last = 0] = [times[0], times.at(-1)];
    expect(times.length).toBeGreaterThan(1);
    // A late notice shortens the time between the first and the last one by little.
    expect(times.length).toBeLessThanOrEqual(20 * ((last - first) / 1000) + 3);
  });

  it('are not needed: changes, leases, offers and outcomes are found without them', async ({
    expect,
  }) => {
    const url = await postgres.createDatabase();
    await using proxy = await startSilentProxy(url);
    await using lead = await openStore(proxy.url);
    await using worker = await openStore(proxy.url);
    const leased = worker.leases.next(LIMITS, signal);
    const { task_id: id } = await lead.leases.submit(buildTask(lead), submitted);
    const lease = await leased;
    using watch = lead.tasks.watch(id);
    const changed = watch.next(signal);
    await worker.leases
      .bind(lease)
      .change(id, (meta) => ({ meta: { ...meta, status: 'RUNNING' } }));
    await changed;
    expect(await lead.tasks.require(id)).toMatchObject({ status: 'RUNNING' });
    const offered = lead.visits.waitForOffers(signal);
    await worker.visits.offer(lease, [{ n: 0, url: 'http://a.test/', request: {} }]);
    await offered;
    const [visit] = await lead.visits.claim({ limit: 1, alone: true, limits: LIMITS });
    const ended = worker.visits.waitForEnded(lease, signal);
    await lead.visits.finish([{ visit: visit!, outcome: { done: true } }]);
    await ended;
    expect(await worker.visits.takeEnded(lease, [0])).toEqual([{ n: 0, outcome: { done: true } }]);
    expect(proxy.dropped()).toBeGreaterThan(0);
  });

  it('are not needed to cancel a crawl from another machine', async ({ expect }) => {
    const url = await postgres.createDatabase();
    await using proxy = await startSilentProxy(url);
    await using site = await startSite();
    await using fleet = new Fleet(proxy.url);
    await fleet.startWorker();
    const gateway = await fleet.createGateway();
    site.onRequest = () => new Promise((resolve) => setTimeout(resolve, 100));
    const id = await gateway.start('crawl', buildCrawl(site, { concurrency: 2 }));
    await waitForLead(gateway, id);
    await site.reached(5);
    const other = await fleet.createGateway();
    const meta = await other.call<{ status: string }>('oc_task_cancel', { task_id: id });
    const { result } = await other.end<{ pages: readonly unknown[] }>(id);
    expect(meta.status).toBe('CANCELLED');
    expect(result.pages.length).toBeGreaterThan(0);
    expect(proxy.dropped()).toBeGreaterThan(0);
  }, 120_000);
});
