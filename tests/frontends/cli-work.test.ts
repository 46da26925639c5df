// Long work on the command line: results as they arrive, a bar, a summary, and Ctrl-C.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createShellUser, serveSite, type ShellUser } from './shell.ts';

let user: ShellUser;
let origin = '';
/** Ends the response of the page that waits. */
let release = (): void => {};
const ends: (() => Promise<void>)[] = [];

const LINKS = ['/a/one', '/a/../../two?x=1', '/%2e%2e%2fevil', '/missing', '/wait'];

beforeAll(async () => {
  const onEnd = (end: () => Promise<void>) => void ends.unshift(end);
  origin = await serveSite(({ url = '' }, response) => {
    response.setHeader('content-type', 'text/html');
    if (url === '/missing') response.statusCode = 404;
    const links = LINKS.map((link) => `<a href="${link}">${link}</a>`).join(' ');
    const page = `<title>Page ${url}</title><h1>Page</h1><p>Text of ${url}</p>${links}`;
    if (url === '/wait') release = () => void response.end(page);
    else response.end(page);
  }, onEnd);
  user = await createShellUser(onEnd);
});

afterAll(async () => {
  release();
  for (const end of ends) await end();
});

const listFiles = async (folder: string): Promise<string[]> =>
  (await readdir(join(user.folder, folder), { recursive: true })).sort();

it('writes one file per page with front matter, shows a bar on stderr, and prints a summary', async () => {
  const line = `openchrome crawl ${origin}/ --exclude /wait --render fetch --out pages; echo "status $?"`;
  const shown = await user.shown(line, { columns: 100 });
  expect(shown).toMatch(/\[#+-*\] {2}\d\/\d {2}[\d.]+ pages\/s {2}\d errors?/);
  expect(shown).toMatch(/Done: 4 pages, 1 error in .+\.\nResults: .*\/pages\nstatus 0\n$/);
  expect(await listFiles('pages')).toEqual([
    'a',
    'a/one.md',
    'errors.jsonl',
    'evil.md',
    'index.md',
    'two-x-1.md',
  ]);
  const page = await readFile(join(user.folder, 'pages', 'a', 'one.md'), 'utf8');
  expect(page).toMatch(/^---\nurl: "http:.*\/a\/one"\ntitle: "Page \/a\/one"\n/);
  expect(page).toMatch(/\n---\n\n# Page\n\nText of \/a\/one/);
});

it('writes one line per page to a .jsonl file, and reports it as JSON with --json', async () => {
  const result = await user.json(
    ...['crawl', `${origin}/`, '--max-pages', '2', '--render', 'fetch', '--out', 'pages.jsonl'],
  );
  expect(result).toMatchObject({
    outcome: 'done',
    pages: 2,
    path: join(user.folder, 'pages.jsonl'),
  });
  const lines = (await readFile(join(user.folder, 'pages.jsonl'), 'utf8')).trim().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { url: string }).url)).toContain(`${origin}/`);
  expect(lines).toHaveLength(2);
});

it('has the status 1 if the start page could not be loaded', async () => {
  const { status, stderr } = await user.run('crawl', 'http://127.0.0.1:1/', '--render', 'fetch');
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: expect.stringContaining('0 pages, 1 error') as string,
  });
  const saved = await user.run('crawl', 'http://127.0.0.1:1/', '--render', 'fetch', '--out', 'no');
  expect(saved.status).toBe(1);
  expect(saved.stderr).toContain('error: http://127.0.0.1:1/: ');
});

it('after Ctrl-C cancels the crawl, keeps its pages and prints where they are', async () => {
  const started = user.terminal(`openchrome crawl ${origin}/ --render fetch --out partial`);
  await vi.waitFor(async () => expect(await listFiles('partial')).toContain('index.md'), {
    timeout: 30_000,
  });
  started.write('\u0003');
  expect(await started.ended).toBe(130);
  expect(started.shown()).toMatch(
    /Cancelled: \d pages?, \d errors? in .+\.\nResults: .*\/partial\n/,
  );
  const { tasks } = await user.json<{ tasks: { status: string }[] }>('tasks', '--limit', '1');
  expect(tasks[0]?.status).toBe('CANCELLED');
});

it('after Ctrl-C stops to wait for a task, and the task continues', async () => {
  const { task_id: id } = await user.json<{ task_id: string }>(
    ...['tasks', 'start', 'crawl', `${origin}/wait`, '--max-pages', '1', '--render', 'fetch'],
  );
  const waiting = user.begin('tasks', 'wait', id, '--timeout', '60s');
  await vi.waitFor(async () => expect(await user.countCalls()).toBe(1), { timeout: 20_000 });
  waiting.interrupt();
  expect(await waiting.ended).toBe(130);
  expect(waiting.stderr()).toBe('Stopped watching; the work continues.\n');
  expect(await user.json('tasks', 'show', id)).toMatchObject({ meta: { status: 'RUNNING' } });
  await user.text('tasks', 'cancel', id);
  expect((await user.run('tasks', 'wait', id)).status).toBe(1);
});
