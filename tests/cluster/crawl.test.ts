// Crawls over several worker processes: the same result as on one machine, whatever happens.
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CrawlResult } from '../../src/features/crawl/result.ts';
import { alive } from '../frontends/servers.ts';
import { startSite } from './crawled-site.ts';
import { buildCrawl, crawlAlone, findLead, waitForLead } from './crawls.ts';
import { type EndedTask, Fleet, type WorkerProcess } from './fleet.ts';
import { runSql, startPostgres, type TestPostgres } from './postgres.ts';

let postgres: TestPostgres;
let url: string;

beforeAll(async () => {
  postgres = await startPostgres();
  url = await postgres.createDatabase();
});
afterAll(() => postgres[Symbol.asyncDispose]());

/** Two workers for several cases: those that a case has ended are replaced for the next one. */
const useCrew = (): { complete(): Promise<readonly WorkerProcess[]> } => {
  let fleet: Fleet;
  let workers: readonly WorkerProcess[] = [];
  beforeAll(() => {
    fleet = new Fleet(url);
  });
  afterAll(() => fleet[Symbol.asyncDispose]());
  return {
    complete: async () => {
      const running = workers.filter(({ pid }) => alive(pid));
      const missing = Array.from({ length: 2 - running.length }, () => fleet.startWorker());
      workers = [...running, ...(await Promise.all(missing))];
      return workers;
    },
  };
};

describe('a crawl over two workers', () => {
  const crew = useCrew();

  it('has the same pages and the same summary as on one machine', async () => {
    await using site = await startSite();
    await using fleet = new Fleet(url);
    const expected = await crawlAlone(fleet, buildCrawl(site));
    const gateway = await fleet.createGateway();
    await crew.complete();
    const readIds = async (): Promise<string[]> =>
      (await gateway.listWorkers()).map(({ id }) => id).sort();
    const ids = await readIds();
    const before = site.requests.length;
    const { meta, result } = await gateway.end<CrawlResult>(
      await gateway.start('crawl', buildCrawl(site)),
    );
    expect(meta.status).toBe('COMPLETED');
    expect(result).toEqual(expected);
    expect(result.pages.length).toBe(60);
    // On a very busy machine a worker may be late with its heartbeat, lose its visits and join again.
    const repeated = isDeepStrictEqual(await readIds(), ids) ? 0 : 8;
    expect(site.requests.length - before).toBeGreaterThanOrEqual(before);
    expect(site.requests.length - before).toBeLessThanOrEqual(before + repeated);
  });

  it('continues when a worker is killed: its visits are loaded again, and each is counted once', async () => {
    await using site = await startSite();
    await using fleet = new Fleet(url);
    const expected = await crawlAlone(fleet, buildCrawl(site));
    const gateway = await fleet.createGateway();
    const workers = await crew.complete();
    const before = site.requests.length;
    const taskId = await gateway.start('crawl', buildCrawl(site));
    const lead = await waitForLead(gateway, taskId);
    await site.reached(before + 10);
    const other = workers.find(({ pid }) => pid !== lead);
    other?.kill('SIGKILL');
    await other?.exited;
    const { meta, result } = await gateway.end<CrawlResult>(taskId);
    expect(meta.status).toBe('COMPLETED');
    expect(result).toEqual(expected);
    // At most the four visits in flight are loaded twice, each with its redirect.
    expect(site.requests.length - before).toBeLessThanOrEqual(before + 8);
  });

  it('continues when its lead is killed, with the same pages and the same summary', async () => {
    await using site = await startSite();
    await using fleet = new Fleet(url);
    const expected = await crawlAlone(fleet, buildCrawl(site));
    const gateway = await fleet.createGateway();
    const workers = await crew.complete();
    const started = site.requests.length;
    site.onRequest = () => new Promise((resolve) => setTimeout(resolve, 20));
    const taskId = await gateway.start('crawl', buildCrawl(site));
    const lead = await waitForLead(gateway, taskId);
    await site.reached(started + 20);
    const { meta: before } = await gateway.call<EndedTask<unknown>>('oc_task_get', {
      task_id: taskId,
    });
    workers.find(({ pid }) => pid === lead)?.kill('SIGKILL');
    await expect
      .poll(async () => [0, lead].includes(await findLead(gateway, taskId)), {
        interval: 50,
        timeout: 20_000,
      })
      .toBe(false);
    const { meta, result } = await gateway.end<CrawlResult>(taskId);
    expect(meta.status).toBe('COMPLETED');
    expect(meta.worker).not.toBe(before.worker);
    expect(result).toEqual(expected);
  });

  it('continues at once when its lead is stopped in an orderly way', async () => {
    await using site = await startSite();
    await using fleet = new Fleet(url);
    const expected = await crawlAlone(fleet, buildCrawl(site));
    const gateway = await fleet.createGateway();
    const workers = await crew.complete();
    const before = site.requests.length;
    site.onRequest = () => new Promise((resolve) => setTimeout(resolve, 20));
    const taskId = await gateway.start('crawl', buildCrawl(site));
    const lead = await waitForLead(gateway, taskId);
    await site.reached(before + 20);
    const stopped = workers.find(({ pid }) => pid === lead);
    stopped?.kill('SIGTERM');
    await stopped?.exited;
    const { meta, result } = await gateway.end<CrawlResult>(taskId);
    expect(meta.status).toBe('COMPLETED');
    expect(result).toEqual(expected);
  });

  it('is cancelled from another machine: keeps all its pages, and its visits end', async () => {
    await using site = await startSite();
    await using fleet = new Fleet(url);
    const [gateway, elsewhere] = await Promise.all([fleet.createGateway(), fleet.createGateway()]);
    await crew.complete();
    site.onRequest = (path) =>
      new Promise((resolve) => {
        if (path !== '/page/9') setTimeout(resolve, 50); // this page is never answered
      });
    const taskId = await gateway.start('crawl', buildCrawl(site));
    await expect.poll(() => site.requests.includes('/page/9'), { timeout: 20_000 }).toBe(true);
    const { status } = await elsewhere.call<{ status: string }>('oc_task_cancel', {
      task_id: taskId,
    });
    expect(status).toBe('CANCELLED');
    const { result } = await elsewhere.end<CrawlResult>(taskId);
    const [stored] = await runSql<{ pages: number }>(
      url,
      `select count(*)::int as pages from openchrome.task_lines
       where task_id = '${taskId}' and file = 'pages.jsonl'`,
    );
    expect(result.pages.length).toBe(stored?.pages);
    expect(result.pages.length).toBeGreaterThan(0);
    expect(result.summary.stop_reason).toBe('cancelled');
    await expect.poll(() => runSql(url, 'select 1 from openchrome.visits')).toEqual([]);
    await expect.poll(() => site.open()).toBe(0);
    const count = site.requests.length;
    await gateway.listWorkers();
    expect(site.requests.length).toBe(count);
  });

  it('of a sitemap has the same pages as on one machine, also after its lead was killed', async () => {
    await using site = await startSite();
    await using fleet = new Fleet(url);
    const args = { url: site.origin, max_pages: 100, render: 'fetch', concurrency: 8 };
    const expected = await crawlAlone(fleet, args, 'crawl_sitemap');
    expect(expected.pages.length).toBe(60);
    const gateway = await fleet.createGateway();
    const workers = await crew.complete();
    const before = site.requests.length;
    site.onRequest = () => new Promise((resolve) => setTimeout(resolve, 20));
    const taskId = await gateway.start('crawl_sitemap', args);
    const lead = await waitForLead(gateway, taskId);
    await site.reached(before + 20);
    workers.find(({ pid }) => pid === lead)?.kill('SIGKILL');
    const { meta, result } = await gateway.end<CrawlResult>(taskId);
    expect(meta.status).toBe('COMPLETED');
    expect(result).toEqual(expected);
  });
});

describe('a crawl over one worker', () => {
  it('reports a page that ends its worker three times as an error page', async () => {
    await using site = await startSite();
    await using fleet = new Fleet(url);
    const gateway = await fleet.createGateway();
    await fleet.startWorker();
    let deaths = 0;
    site.onRequest = async (path) => {
      if (path !== '/page/5') return;
      const [row] = await runSql<{ pid: number }>(
        url,
        `select m.pid from openchrome.visits v join openchrome.members m on m.id = v.member
         where v.url like '%/page/5'`,
      );
      deaths++;
      if (!row) throw new Error('no worker loads this page');
      process.kill(row.pid, 'SIGKILL');
      void fleet.startWorker();
      await new Promise(() => {});
    };
    const taskId = await gateway.start('crawl', buildCrawl(site, { max_depth: 3 }));
    const { meta, result } = await gateway.end<CrawlResult>(taskId);
    expect(meta.status).toBe('COMPLETED');
    expect(deaths).toBe(3);
    expect(result.pages.filter(({ error }) => error !== undefined)).toMatchObject([
      {
        url: `${site.origin}/page/5`,
        error: 'page_crashed: 3 workers ended while they loaded this page.',
      },
    ]);
    expect(result.pages.length).toBe(13);
  });
});

describe('every machine of a cluster', () => {
  it('reads tasks, results and payloads of the others, and never shows the URL of the database', async () => {
    await using site = await startSite();
    await using fleet = new Fleet(url);
    const [gateway, elsewhere] = await Promise.all([fleet.createGateway(), fleet.createGateway()]);
    const worker = await fleet.startWorker('--slots', '3', '--log-level', 'debug');
    const taskId = await gateway.start('crawl', buildCrawl(site, { max_depth: 2 }));
    await gateway.end(taskId);
    const { tasks } = await elsewhere.call<{ tasks: { task_id: string; worker: string }[] }>(
      'oc_task_list',
      { limit: 1 },
    );
    const [member] = await gateway.listWorkers();
    expect(tasks).toMatchObject([{ task_id: taskId, status: 'COMPLETED', worker: member?.id }]);
    const { output_handle } = await gateway.call<{ output_handle: string }>('oc_task_get', {
      task_id: taskId,
      include_result: true,
      output_mode: 'handle',
    });
    const fetched = await elsewhere.call<{ content: string }>('oc_output_fetch', {
      output_handle,
      query: 'pages[].title',
    });
    expect(fetched.content).toEqual([0, 1, 2, 3, 4, 5, 6].map((n) => `Page ${n}`));
    const listed = await fleet.runCommand('workers', '--json');
    expect(JSON.parse(listed.out)).toContainEqual(
      expect.objectContaining({ role: 'worker', pid: worker.pid, slots: 3 }),
    );
    const table = await fleet.runCommand('workers');
    expect(table.out).toMatch(/^ID +ROLE +MACHINE +PID +UP +LOAD +PAGES +ERRORS +MEMORY +LEADS/);
    const shown = await fleet.runCommand('tasks', 'show', taskId);
    expect(shown.out).toContain('COMPLETED');
    const texts = [worker.output(), ...Object.values(listed), ...Object.values(shown)].join('\n');
    for (const secret of [url, new URL(url).password]) expect(texts).not.toContain(secret);
  });

  it('lists the pages of a crawl that a command starts and workers load', async () => {
    await using site = await startSite();
    await using fleet = new Fleet(url);
    await fleet.startWorker();
    const crawl = ['crawl', `${site.origin}/page/0`, '--max-pages', '7', '--render', 'fetch'];
    const { out, err } = await fleet.runCommand(...crawl);
    expect(out.trim().split('\n')).toHaveLength(7);
    expect(out).toContain(`${site.origin}/page/0  Page 0`);
    expect(err).toContain('Done: 7 pages, 0 errors');
  });

  it('runs a crawl of files itself', async () => {
    await using fleet = new Fleet(url);
    const gateway = await fleet.createGateway();
    const taskId = await gateway.start('crawl', { url: 'file:///nothing.html', render: 'fetch' });
    const { meta } = await gateway.end(taskId);
    expect(meta.worker).toBeUndefined();
    expect(['COMPLETED', 'FAILED']).toContain(meta.status);
  });

  it('takes no tasks of a gateway with other limits', async () => {
    await using site = await startSite();
    await using fleet = new Fleet(url);
    const gateway = await fleet.createGateway();
    await fleet.startWorker('--block-domains', 'blocked.example');
    const count = async (): Promise<number> => (await gateway.listWorkers()).length;
    await expect.poll(count, { timeout: 20_000 }).toBe(1);
    await expect(gateway.start('crawl', buildCrawl(site))).rejects.toMatchObject({
      code: 'cluster_unusable',
      message: 'No worker of the cluster has the limits of this server.',
    });
    const second = await fleet.startWorker();
    await expect.poll(count, { timeout: 20_000 }).toBe(2);
    const taskId = await gateway.start('crawl', buildCrawl(site, { max_depth: 0 }));
    const { meta } = await gateway.end(taskId);
    const members = await gateway.listWorkers();
    expect(members.find(({ id }) => id === meta.worker)?.pid).toBe(second.pid);
  });
});
