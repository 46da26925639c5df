// Workers that lose their connection to PostgreSQL without a word, and workers that are killed.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CrawlResult } from '../../src/features/crawl/result.ts';
import { type CrawledSite, startSite } from './crawled-site.ts';
import { buildCrawl, crawlAlone, findLead, waitForLead } from './crawls.ts';
import { startDatabaseProxy } from './database-proxy.ts';
import { Fleet } from './fleet.ts';
import { runSql, startPostgres, type TestPostgres, waitUntilSettled } from './postgres.ts';

let postgres: TestPostgres;
let url: string;

beforeAll(async () => {
  postgres = await startPostgres();
  url = await postgres.createDatabase();
  await waitUntilSettled(url);
});
afterAll(() => postgres[Symbol.asyncDispose]());

/** Requests above this count wait until `open` is called, so that the crawl outlasts the event. */
const holdRequests = (site: CrawledSite, count: number): { open: () => void } => {
  let open: () => void = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  site.onRequest = () => (site.requests.length > count ? opened : undefined);
  return { open: () => open() };
};

describe('a machine that loses its network', () => {
  it('is replaced, and writes nothing when its network returns', async () => {
    await using site = await startSite();
    await using fleet = new Fleet(url);
    await using proxy = await startDatabaseProxy(url);
    await using remote = new Fleet(proxy.url);
    const expected = await crawlAlone(fleet, buildCrawl(site));
    const gateway = await fleet.createGateway();
    const lost = await remote.startWorker();
    const before = site.requests.length;
    const requests = holdRequests(site, before + 10);
    const taskId = await gateway.start('crawl', buildCrawl(site));
    expect(await waitForLead(gateway, taskId)).toBe(lost.pid);
    await site.reached(before + 11);
    const other = await fleet.startWorker();
    proxy.cut();
    requests.open();
    await expect
      .poll(() => findLead(gateway, taskId), { interval: 100, timeout: 60_000 })
      .toBe(other.pid);
    proxy.restore();
    const { meta, result } = await gateway.end<CrawlResult>(taskId);
    expect(meta.status).toBe('COMPLETED');
    expect(result).toEqual(expected);
    // It joins again, under another id, and leads nothing.
    await expect
      .poll(
        async () => {
          const members = await gateway.listWorkers();
          return members.find(({ pid }) => pid === lost.pid)?.tasks;
        },
        { timeout: 60_000 },
      )
      .toEqual([]);
  });
});

describe('a crawl whose database moves to another machine', () => {
  it('continues on new connections if the old ones get no answer any more', async () => {
    await using site = await startSite();
    await using proxy = await startDatabaseProxy(url);
    await using fleet = new Fleet(proxy.url);
    const expected = await crawlAlone(fleet, buildCrawl(site));
    await using observers = new Fleet(url);
    const gateway = await observers.createGateway();
    await Promise.all([fleet.startWorker(), fleet.startWorker()]);
    const before = site.requests.length;
    const requests = holdRequests(site, before + 10);
    const taskId = await gateway.start('crawl', buildCrawl(site));
    await site.reached(before + 11);
    proxy.abandon();
    requests.open();
    const { meta, result } = await gateway.end<CrawlResult>(taskId);
    expect(meta.status).toBe('COMPLETED');
    expect(result).toEqual(expected);
  });
});

describe('the visits of a killed worker', () => {
  it('are loaded by another one within 2 seconds', async () => {
    await using site = await startSite();
    await using fleet = new Fleet(url);
    const gateway = await fleet.createGateway();
    await Promise.all([fleet.startWorker(), fleet.startWorker()]);
    const requests = holdRequests(site, 1);
    const taskId = await gateway.start('crawl', buildCrawl(site));
    const lead = await waitForLead(gateway, taskId);
    let killed: { readonly path: string; readonly at: number } | undefined;
    const again = new Promise<number>((resolve) => {
      site.onRequest = async (path) => {
        if (path === killed?.path) resolve(performance.now() - killed.at);
        // Other pages are also the targets of redirects.
        if (killed || !/^\/page\/(?:[5-9]|\d\d)$/.test(path)) return;
        const [row] = await runSql<{ pid: number }>(
          url,
          `select m.pid from openchrome.visits v join openchrome.members m on m.id = v.member
           where v.url like '%${path}'`,
        );
        if (!row || row.pid === lead || killed) return;
        killed = { path, at: performance.now() };
        process.kill(row.pid, 'SIGKILL');
        await new Promise(() => {});
      };
    });
    requests.open();
    expect(await again).toBeLessThan(2_000);
    const { meta } = await gateway.end(taskId);
    expect(meta.status).toBe('COMPLETED');
  });
});
