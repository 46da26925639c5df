// The crawl respects robots.txt: its delay, and its rules also for redirect targets.
import { describe, expect, it } from 'vitest';
import type { CrawlResult } from '../../src/features/crawl/result.ts';
import { type Routes, useEngine, useSite } from '../fixtures.ts';

const engine = useEngine();
const crawl = (args: object): Promise<CrawlResult> => engine.json<CrawlResult>('crawl', args);
const page = (title: string, ...links: string[]): string =>
  `<!doctype html><title>${title}</title><p>${title}</p>${links.map((to) => `<a href="${to}">${to}</a>`).join(' ')}`;
const robots = (text: string): Routes => ({
  '/robots.txt': (_, response) => void response.end(text),
});

describe('a robots.txt', () => {
  const times: number[] = [];
  const slow = useSite(robots('User-agent: *\nCrawl-delay: 0.4\n'));
  it('with a crawl delay is respected for any number of concurrent visits', async () => {
    for (const [path, links] of [
      ['/', ['/1', '/2', '/3']],
      ['/1', []],
      ['/2', []],
      ['/3', []],
    ] as const)
      slow.page(path, (_, response) => {
        times.push(performance.now());
        response.writeHead(200, { 'content-type': 'text/html' }).end(page(path, ...links));
      });
    expect((await crawl({ url: slow.origin, concurrency: 4 })).pages).toHaveLength(4);
    // three times 400, less what the first was late
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(900);
  });

  const closed = useSite(
    robots('User-agent: *\nDisallow: /no\nUser-agent: OpenChrome\nDisallow: /private\n'),
  );
  it('applies the group of this crawler, also to redirect targets, and rejected URLs do not count as pages', async () => {
    const asked: string[] = [];
    closed.page('/', page('Start', '/private/a', '/moved', '/no', '/last'));
    closed.page(
      '/moved',
      (_, response) => void response.writeHead(302, { location: '/private/b' }).end(),
    );
    closed.page('/no', page('No'));
    closed.page('/last', page('Last'));
    for (const path of ['/private/a', '/private/b'])
      closed.page(path, (_, response) => void (asked.push(path), response.end()));
    const { pages, summary } = await crawl({ url: closed.origin, max_pages: 3 });
    expect(pages.map(({ title }) => title)).toEqual(['Start', 'No', 'Last']);
    expect(summary).toMatchObject({ stop_reason: 'completed', refused: { robots: 2 } });
    expect(asked).toEqual([]);
    expect((await crawl({ url: closed.origin, respect_robots: false })).summary).toMatchObject({
      refused: { robots: 0 },
    });
    expect(asked.sort()).toEqual(['/private/a', '/private/b']);
  });

  const down = useSite({
    '/': page('Start'),
    '/robots.txt': (_, response) => void response.writeHead(503).end(),
  });
  it('of a server in trouble refuses everything', async () => {
    const { pages, summary } = await crawl({ url: down.origin });
    expect(pages).toEqual([]);
    expect(summary).toMatchObject({ stop_reason: 'start_refused', refused: { robots: 1 } });
  });

  const moved = useSite({
    '/': page('Start', '/x'),
    '/x': page('X'),
    '/rules': 'User-agent: *\nDisallow: /x\n',
  });
  it('is read from the target of its redirect', async () => {
    moved.page(
      '/robots.txt',
      (_, response) => void response.writeHead(301, { location: '/rules' }).end(),
    );
    expect((await crawl({ url: moved.origin })).pages.map(({ title }) => title)).toEqual(['Start']);
  });

  const forbidden = useSite({
    '/': page('Start'),
    '/robots.txt': (_, response) => void response.writeHead(403).end(),
  });
  it('that cannot be read forbids nothing', async () => {
    expect((await crawl({ url: forbidden.origin })).pages.map(({ title }) => title)).toEqual([
      'Start',
    ]);
  });
});

describe('a robots.txt that is redirected', () => {
  const asked: string[] = [];
  const elsewhere = useSite({
    '/robots.txt': (_, response) =>
      void (asked.push('robots'), response.end('User-agent: *\nDisallow: /\n')),
  });
  const site = useSite({
    '/robots.txt': (_, response) =>
      void response.writeHead(302, { location: `${elsewhere.origin}/robots.txt` }).end(),
    '/': page('Start'),
  });
  const moved = useSite({
    '/robots.txt': (_, response) => void response.writeHead(302, { location: '/rules.txt' }).end(),
    '/rules.txt': (_, response) => void response.end('User-agent: *\nDisallow: /no\n'),
    '/': page('Start', '/no'),
    '/no': page('No'),
  });

  it('out of the scope is not followed', async () => {
    const { pages } = await crawl({ url: site.origin });
    expect(pages.map(({ title }) => title)).toEqual(['Start']);
    expect(asked).toEqual([]);
  });

  it('within its site is kept to', async () => {
    const { pages, summary } = await crawl({ url: moved.origin });
    expect(pages.map(({ title }) => title)).toEqual(['Start']);
    expect(summary.refused.robots).toBe(1);
  });
});
