// crawl of files: only where the server allows it, and no further than their folder.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CrawlResult } from '../../src/work/crawl/result.ts';
import { useEngine } from '../fixtures.ts';

let folder = '';
const engine = useEngine(['--allow-file-access', '--allow-root', tmpdir()]);
const closed = useEngine(['--allow-file-access']);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'openchrome-files-'));
  await mkdir(join(folder, 'site'));
  await writeFile(join(folder, 'secret.html'), '<title>Secret</title>');
  await writeFile(join(folder, 'site', 'index.html'), '<title>Home</title><a href="two.html">two</a><a href="../secret.html">out</a>');
  await writeFile(join(folder, 'site', 'two.html'), '<title>Two</title><a href="https://elsewhere.example/">web</a>');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('reads files of one folder, in a tab', async () => {
  const { pages, summary } = await engine.json<CrawlResult>('crawl', { url: pathToFileURL(join(folder, 'site', 'index.html')).href });
  expect(pages).toMatchObject([
    { title: 'Home', via: 'browser' },
    { title: 'Two', via: 'browser' },
  ]);
  expect(summary.refused.scope).toBe(2);
});

it('reads no file outside of the folders that tools may use', async () => {
  const { code } = await closed.failure('crawl', { url: pathToFileURL(join(folder, 'secret.html')).href });
  expect(code).toBe('file_not_allowed');
});
