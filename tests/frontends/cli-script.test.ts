// A shell script that is written from the help alone, and the status of `tasks wait`.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { alive } from './servers.ts';
import { createShellUser, serveSite, type ShellUser } from './shell.ts';

let user: ShellUser;
let origin = '';
const ends: (() => Promise<void>)[] = [];

const LOGIN = `<title>Log in</title><form method="post" action="/login"><label>User <input name="user"></label>
<label>Password <input name="password" type="password"></label><button>Log in</button></form>`;
const SHOP = `<title>Shop</title><h1>Welcome, Ada</h1><form action="/search"><label>Search <input name="q"></label></form>`;
const FOUND = `<title>Lamps</title><h1>Lamps</h1><table><tr><th>Name</th><th>Price</th></tr>
<tr><td>Desk lamp</td><td>20</td></tr><tr><td>Wall lamp</td><td>35</td></tr></table>`;

beforeAll(async () => {
  const onEnd = (end: () => Promise<void>) => void ends.unshift(end);
  origin = await serveSite((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x');
    if (pathname === '/wait') return;
    const isUser = request.headers.cookie?.includes('user=ada') === true;
    response.setHeader('content-type', 'text/html');
    if (pathname === '/login' && request.method === 'POST') {
      request.resume();
      response.writeHead(303, { location: '/', 'set-cookie': 'user=ada' });
      response.end();
      return;
    }
    const shown = searchParams.get('q') === 'lamp' ? FOUND : SHOP;
    response.end(isUser ? shown : LOGIN);
  }, onEnd);
  user = await createShellUser(onEnd);
});

afterAll(async () => {
  for (const end of ends) await end();
});

const SCHEMA = '{"properties":{"name":{"type":"string"},"price":{"type":"number"}}}';

const buildScript = (site: string): string => `set -e
openchrome open ${site}/login
openchrome form User=ada Password=secret --submit
openchrome wait Welcome
openchrome fill Search lamp
openchrome press Enter
openchrome wait --url q=lamp
openchrome extract --multiple --schema '${SCHEMA}' > lamps.json
openchrome get text > lamps.md
openchrome screenshot lamps.png --full-page`;

it('a script of ten lines logs in, searches, extracts and saves', async () => {
  const script = buildScript(origin);
  expect(script.split('\n')).toHaveLength(10);
  const { status, stderr } = await user.bash(script);
  expect({ status, stderr }).toMatchObject({ status: 0 });
  const read = (name: string): Promise<Buffer> => readFile(join(user.folder, name));
  const lamps = JSON.parse((await read('lamps.json')).toString()) as { records?: unknown };
  expect(JSON.stringify(lamps)).toContain(
    '{"name":"Desk lamp","price":20},{"name":"Wall lamp","price":35}',
  );
  expect((await read('lamps.md')).toString()).toContain('# Lamps');
  expect((await read('lamps.png')).subarray(1, 4).toString()).toBe('PNG');
});

it('the help names every command and flag of that script', async () => {
  const { stdout: help } = await user.run('--help');
  const lines = buildScript(origin).split('\n').slice(1);
  for (const line of lines) {
    const words = line.split(' > ')[0]?.split(' ').slice(1) ?? [];
    const [verb = ''] = words;
    expect(help, verb).toMatch(new RegExp(`^  ${verb} `, 'm'));
    const path = verb === 'get' ? words.slice(0, 2) : [verb];
    const { stdout } = await user.run(...path, '--help');
    for (const flag of words.filter((word) => word.startsWith('--')))
      expect(stdout, `${verb} ${flag}`).toMatch(new RegExp(`^  ${flag}\\b`, 'm'));
  }
});

it('completes the ids of tasks and the handles of stored results', async () => {
  await user.text('open', origin);
  const { task_id: id } = await user.json<{ task_id: string }>(
    ...['tasks', 'start', 'crawl', origin, '--max-pages', '1', '--render', 'fetch'],
  );
  const { output_handle: handle } = await user.json<{ output_handle: string }>(
    ...['get', 'html', '--output-mode', 'handle'],
  );
  const complete = async (...words: string[]): Promise<string[]> =>
    (await user.text('complete', '--', ...words))
      .split('\n')
      .map((line) => line.split('\t')[0] ?? '');
  expect(await complete('tasks', 'wait', id.slice(0, 6))).toContain(id);
  expect(await complete('output', 'show', 'oh_')).toContain(handle);
});

it('tasks wait has the status 1 after a cancelled and after a failed task', async () => {
  const start = async (): Promise<string> =>
    (await user.json<{ task_id: string }>('tasks', 'start', 'crawl', `${origin}/wait`)).task_id;
  const readStatus = async (id: string): Promise<string> =>
    (await user.json<{ meta: { status: string } }>('tasks', 'show', id)).meta.status;
  const cancelled = await start();
  await user.text('tasks', 'cancel', cancelled);
  expect((await user.run('tasks', 'wait', cancelled)).status).toBe(1);
  expect(await readStatus(cancelled)).toBe('CANCELLED');

  const failed = await start();
  const { pid } = await user.note();
  process.kill(pid, 'SIGKILL');
  await vi.waitFor(() => expect(alive(pid)).toBe(false), { timeout: 20_000 });
  expect((await user.run('tasks', 'wait', failed)).status).toBe(1);
  expect(await readStatus(failed)).toBe('FAILED');
});
