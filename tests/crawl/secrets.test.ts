// What a crawl keeps on disk while it works holds no secret of the pages it met, and can be gone on
// from all the same.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { CrawlResult } from '../../src/features/crawl/result.ts';
import { useEngine, useSite } from '../fixtures.ts';

const KEY = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';
const site = useSite();
const engine = useEngine();
const asked: string[] = [];

const page = (path: string, text: string, ...links: string[]): void =>
  void site.page(path, ({ url = '' }, response) => {
    asked.push(url);
    const html = `<!doctype html><title>${path}</title><p>${text}</p>${links.map((to) => `<a href="${to}">${to}</a>`).join(' ')}`;
    response.writeHead(200, { 'content-type': 'text/html' }).end(html);
  });

const crawl = async (
  args: object,
  more: object = {},
): Promise<{ id: string; result: CrawlResult }> => {
  const { task_id: id } = await engine.json<{ task_id: string }>('oc_task_start', {
    kind: 'crawl',
    args,
    ...more,
  });
  expect(await engine.json('oc_task_wait', { task_id: id })).toMatchObject({ status: 'COMPLETED' });
  const { result } = await engine.json<{ result: CrawlResult }>('oc_task_get', {
    task_id: id,
    include_result: true,
  });
  return { id, result };
};

const onDisk = async (id: string): Promise<string> => {
  const folder = join(engine.home, 'tasks', id);
  const files = (await readdir(folder)).filter((name) => /jsonl?$/.test(name));
  expect(files).toEqual(expect.arrayContaining(['pages.jsonl', 'frontier.jsonl', 'result.json']));
  return (await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')))).join('\n');
};

it('no secret of a page or of a URL is in any file of the task', async () => {
  page('/', `the key is ${KEY}`, `/private?api_key=${KEY}`, '/a', '/b');
  page('/private', 'Only with a key', '/c');
  page('/a', 'A', `/private?api_key=${KEY}`, `/late?api_key=${KEY}`);
  page('/b', 'B', '/', '/a');
  page('/c', 'C');
  page('/late', 'Late');
  const args = { url: site.origin, max_depth: 5, concurrency: 1 };

  const first = await crawl({ ...args, max_pages: 2 });
  expect(first.result.pages.map(({ title }) => title)).toEqual(['/', '/private']);
  // the page itself is requested by its whole URL
  expect(asked).toEqual(['/', `/private?api_key=${KEY}`]);
  expect(await onDisk(first.id)).not.toContain(KEY);

  asked.length = 0;
  const { id, result } = await crawl({ ...args, max_pages: 20 }, { resume_from: first.id });
  expect(asked).toEqual(['/a', '/b', '/c', `/late?api_key=${KEY}`]);
  expect(result.pages.map(({ title }) => title)).toEqual([
    '/',
    '/private',
    '/a',
    '/b',
    '/c',
    '/late',
  ]);
  expect(await onDisk(id)).not.toContain(KEY);
});

it('a URL that could not be saved is missing from a continued crawl, which reports it', async () => {
  page('/start', 'Start', '/one', `/two?api_key=${KEY}`);
  page('/one', 'One');
  page('/two', 'Two');
  const args = { url: `${site.origin}/start`, concurrency: 1 };
  const first = await crawl({ ...args, max_pages: 1 });
  expect(first.result.summary).not.toHaveProperty('not_kept');
  const { result } = await crawl({ ...args, max_pages: 20 }, { resume_from: first.id });
  expect(result.pages.map(({ title }) => title)).toEqual(['/start', '/one']);
  expect(result.summary).toMatchObject({ pages: 2, not_kept: 1 });
});
