// A crawl leaves the event loop free: other calls are answered and deadlines fire while a page is
// parsed.
import { expect, it } from 'vitest';
import type { CrawlResult } from '../../src/features/crawl/result.ts';
import { useEngine, useSite } from '../fixtures.ts';

const site = useSite();
const engine = useEngine();
const HEAD = '<!doctype html><title>Slow</title>';
/** Within the limits on markup, and much work to parse and to convert. */
const SLOW_PAGE = `${HEAD}<table>${'<tr><td><br>x'.repeat(32_000)}</table>`;
/**
 * The search for an article counts the links and the text in each of these elements, so that it takes
 * seconds.
 */
const SLOWER_PAGE =
  `${HEAD}${'<div>'.repeat(190)}` +
  `<ul><li><a href=x>${'some words '.repeat(9)}</a> more </ul>`.repeat(4_500);

/** Serves the page, and resolves when its last byte was sent. */
const serve = (path: string, html: string): Promise<void> =>
  new Promise((resolve) => {
    site.page(path, (_, response) => {
      response.on('finish', resolve);
      response.writeHead(200, { 'content-type': 'text/html' }).end(html);
    });
  });

it('answers many calls while one page is parsed', async () => {
  const sent = serve('/slow', SLOW_PAGE);
  const state = { ended: false };
  const args = { url: `${site.origin}/slow`, render: 'fetch', output_mode: 'inline' };
  const crawling = engine.json<CrawlResult>('crawl', args).finally(() => (state.ended = true));
  await sent;
  let answered = 0;
  while (!state.ended && answered < 50) {
    await engine.json('oc_task_list');
    answered++;
  }
  expect(answered).toBe(50);
  expect((await crawling).pages).toMatchObject([{ title: 'Slow' }]);
});

it('ends at its deadline while a page is parsed, and the next crawl works', async () => {
  void serve('/late', SLOWER_PAGE);
  const { pages, summary } = await engine.json<CrawlResult>('crawl', {
    url: `${site.origin}/late`,
    render: 'fetch',
    timeout_ms: 400,
  });
  expect({ pages, reason: summary.stop_reason }).toEqual({ pages: [], reason: 'timeout' });
  site.page('/next', '<title>Next</title><p>text');
  expect(
    (await engine.json<CrawlResult>('crawl', { url: `${site.origin}/next` })).pages,
  ).toMatchObject([{ title: 'Next' }]);
});

it('is cancelled while a page is parsed', async () => {
  const sent = serve('/cancelled', SLOWER_PAGE);
  const args = { url: `${site.origin}/cancelled`, render: 'fetch' };
  const { task_id } = await engine.json<{ task_id: string }>('oc_task_start', {
    kind: 'crawl',
    args,
  });
  await sent;
  await engine.json('oc_task_cancel', { task_id });
  const { status } = await engine.json<{ status: string }>('oc_task_wait', { task_id });
  expect(status).toBe('CANCELLED');
});
