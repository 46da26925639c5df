// What takes longer: a lead that freezes and wakes up again, and the times of a take-over.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CrawlResult } from '../../src/features/crawl/result.ts';
import { startSite } from './crawled-site.ts';
import { buildCrawl, crawlAlone, findLead, waitForLead } from './crawls.ts';
import { Fleet } from './fleet.ts';
import {
  startOwnPostgres,
  startPostgres,
  type TestPostgres,
  waitUntilSettled,
} from './postgres.ts';

let postgres: TestPostgres;
let url: string;

beforeAll(async () => {
  postgres = await startPostgres();
  url = await postgres.createDatabase();
  await waitUntilSettled(url);
});
afterAll(() => postgres[Symbol.asyncDispose]());

/** A visit of the site takes this long, so that the crawl outlasts the event. */
const SLOW_MS = 100;
const slowly = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, SLOW_MS));

describe('the lead of a crawl', () => {
  it('is replaced within 2 seconds after it was killed', async () => {
    await using site = await startSite();
    await using fleet = new Fleet(url);
    const gateway = await fleet.createGateway();
    const workers = await Promise.all([fleet.startWorker(), fleet.startWorker()]);
    site.onRequest = slowly;
    const taskId = await gateway.start('crawl', buildCrawl(site, { concurrency: 4 }));
    const lead = await waitForLead(gateway, taskId);
    await site.reached(10);
    const { meta: before } = await gateway.call<{ meta: { worker: string } }>('oc_task_get', {
      task_id: taskId,
    });
    workers.find(({ pid }) => pid === lead)?.kill('SIGKILL');
    const killedAt = performance.now();
    await expect
      .poll(
        async () => {
          const { meta } = await gateway.call<{ meta: { worker: string } }>('oc_task_get', {
            task_id: taskId,
          });
          return meta.worker === before.worker;
        },
        { interval: 20, timeout: 20_000 },
      )
      .toBe(false);
    expect(performance.now() - killedAt).toBeLessThan(2_000);
  });

  it('writes nothing and stops if it was frozen while another worker led', async () => {
    await using site = await startSite();
    await using fleet = new Fleet(url);
    const expected = await crawlAlone(fleet, buildCrawl(site));
    const gateway = await fleet.createGateway();
    const workers = await Promise.all([fleet.startWorker(), fleet.startWorker()]);
    const before = site.requests.length;
    site.onRequest = slowly;
    const taskId = await gateway.start('crawl', buildCrawl(site));
    const lead = await waitForLead(gateway, taskId);
    await site.reached(before + 20);
    const frozen = workers.find(({ pid }) => pid === lead);
    frozen?.kill('SIGSTOP');
    await expect
      .poll(async () => [0, lead].includes(await findLead(gateway, taskId)), { timeout: 40_000 })
      .toBe(false);
    frozen?.kill('SIGCONT');
    const { meta, result } = await gateway.end<CrawlResult>(taskId);
    expect(meta.status).toBe('COMPLETED');
    expect(result).toEqual(expected);
    // It joins again, under another id, and leads nothing.
    await expect
      .poll(
        async () => {
          const members = await gateway.listWorkers();
          return members.find(({ pid }) => pid === lead)?.tasks;
        },
        { timeout: 30_000 },
      )
      .toEqual([]);
  });
});

describe('a crawl whose database is killed', () => {
  it('continues after the restart, with the same pages and the same summary', async () => {
    await using server = await startOwnPostgres();
    await using site = await startSite();
    await using fleet = new Fleet(await server.createDatabase());
    // With a delay, every visit also needs a turn, which the database assigns.
    const args = buildCrawl(site, { delay_ms: 10 });
    const expected = await crawlAlone(fleet, args);
    const gateway = await fleet.createGateway();
    await Promise.all([fleet.startWorker(), fleet.startWorker()]);
    const before = site.requests.length;
    site.onRequest = slowly;
    const taskId = await gateway.start('crawl', args);
    await site.reached(before + 20);
    await server.kill();
    await expect(gateway.call('oc_task_get', { task_id: taskId })).rejects.toMatchObject({
      code: 'storage_failed',
    });
    await server.start();
    await expect
      .poll(
        () =>
          gateway.call('oc_task_get', { task_id: taskId }).then(
            () => true,
            () => false,
          ),
        {
          timeout: 20_000,
        },
      )
      .toBe(true);
    const { meta, result } = await gateway.end<CrawlResult>(taskId);
    expect(meta.status).toBe('COMPLETED');
    expect(result).toEqual(expected);
  });
});
