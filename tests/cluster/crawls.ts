// The crawls of the tests of a cluster, and the worker that leads one.
import { vi } from 'vitest';
import type { CrawlResult } from '../../src/features/crawl/result.ts';
import type { CrawledSite } from './crawled-site.ts';
import type { Fleet, Gateway } from './fleet.ts';

export const buildCrawl = (site: CrawledSite, more: object = {}): object => ({
  url: `${site.origin}/page/0`,
  max_depth: 10,
  max_pages: 200,
  render: 'fetch',
  concurrency: 8,
  ...more,
});

/** The result of the same crawl on one machine. */
export const crawlAlone = async (
  fleet: Fleet,
  args: object,
  kind = 'crawl',
): Promise<CrawlResult> => {
  const alone = await fleet.createGateway({ alone: true });
  const { result } = await alone.end<CrawlResult>(await alone.start(kind, args));
  return result;
};

export const findLead = async (gateway: Gateway, taskId: string): Promise<number> => {
  const members = await gateway.listWorkers();
  return members.find(({ tasks }) => tasks.includes(taskId))?.pid ?? 0;
};

/** Also for tests that run at the same time, where `expect.poll` does not know its test. */
export const waitForLead = (gateway: Gateway, taskId: string): Promise<number> =>
  vi.waitFor(
    async () => {
      const lead = await findLead(gateway, taskId);
      if (lead === 0) throw new Error(`No worker leads the task ${taskId}.`);
      return lead;
    },
    { timeout: 20_000 },
  );
