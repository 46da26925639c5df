// `openchrome run` and `openchrome batch`: many calls in one process.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BINARY, createShellUser, serveSite, type ShellUser } from './shell.ts';

let user: ShellUser;
let origin = '';
const ends: (() => Promise<void>)[] = [];

beforeAll(async () => {
  const onEnd = (end: () => Promise<void>) => void ends.unshift(end);
  origin = await serveSite(({ url = '' }, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<title>Page ${url}</title><button>Sign in</button><label>Name <input></label>`);
  }, onEnd);
  user = await createShellUser(onEnd);
});

afterAll(async () => {
  for (const end of ends) await end();
});

const write = (name: string, text: string): Promise<void> =>
  writeFile(join(user.folder, name), text);

const linesOf = (stdout: string): Record<string, unknown>[] =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

it('run prints the value of a script on stdout and its log on stderr', async () => {
  await write(
    'titles.js',
    `const titles = [];
for (const path of ['a', 'b']) titles.push((await navigate({ url: args.origin + '/' + path })).title);
log('visited', titles.length, typeof args.count);
return args.as === 'text' ? titles.join(' ') : titles;`,
  );
  const given = ['run', 'titles.js', '--arg', `origin=${origin}`, '--arg=count:=2'];
  const json = await user.run(...given);
  expect(json).toEqual({
    status: 0,
    stdout: '["Page /a","Page /b"]\n',
    stderr: 'log: visited 2 number\n',
  });
  expect((await user.run(...given, '--arg', 'as=text')).stdout).toBe('Page /a Page /b\n');
});

it('run has the status 1 and the line of a script that fails, and 2 for a missing file', async () => {
  await write('bad.js', '\n\nawait interact({ action: "click", query: "Nothing", wait_ms: 0 })');
  const failed = await user.failure('run', 'bad.js');
  expect(failed).toMatchObject({ status: 1, code: 'element_not_found', line: 3, tool: 'interact' });
  expect((await user.run('run', 'missing.js')).status).toBe(2);
  expect((await user.run('run')).status).toBe(2);
});

it('batch runs one command per line and stops at the first that fails', async () => {
  await write(
    'steps.txt',
    `# opens the page
open ${origin}/one

fill Name "Ada Lovelace"
{"tool": "javascript_tool", "args": {"code": "document.querySelector('input').value"}}
["click", "No such button"]
click Sign in
`,
  );
  const { status, stdout } = await user.run('batch', 'steps.txt');
  expect(status).toBe(1);
  expect(linesOf(stdout)).toMatchObject([
    { line: 2, ok: true, result: { title: 'Page /one', status: 200 } },
    { line: 4, ok: true },
    { line: 5, ok: true, result: { value: 'Ada Lovelace' } },
    { line: 6, ok: false, error: { code: 'element_not_found' } },
  ]);
});

it('batch --keep-going runs all lines and returns the highest status', async () => {
  await write('all.txt', `get url\nnonsense\nfind "No such thing"\nbatch x\nget title\n`);
  const { status, stdout } = await user.run('batch', 'all.txt', '--keep-going');
  expect(status).toBe(2);
  expect(linesOf(stdout)).toMatchObject([
    { line: 1, ok: true, result: `${origin}/one` },
    { line: 2, ok: false, error: { code: 'invalid_argument' } },
    { line: 3, ok: false },
    { line: 4, ok: false, error: { code: 'invalid_argument' } },
    { line: 5, ok: true, result: 'Page /one' },
  ]);
});

it('batch answers each line of stdin before it reads the next', async () => {
  const child = spawn(process.execPath, [BINARY, 'batch'], {
    cwd: user.folder,
    env: user.environment(),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  child.stdin.write(`open ${origin}/two\n`);
  expect(JSON.parse((await answers.next()).value as string)).toMatchObject({ line: 1, ok: true });
  child.stdin.write('get title\n');
  expect(JSON.parse((await answers.next()).value as string)).toMatchObject({ result: 'Page /two' });
  child.stdin.end();
  expect(await once(child, 'exit')).toEqual([0, null]);
});

it('a recipe of the project is listed, shown, run and exported', async () => {
  const folder = join(user.folder, '.openchrome', 'recipes');
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, 'visit.yaml'),
    `name: visit\nsite: example.com\nparams:\n  page: {}\nsteps:
  - open: ${origin}/{{page}}
    expect: { title: "Page /{{page}}" }\n`,
  );
  expect(await user.text('recipe', 'list')).toBe('visit  example.com  1 step  page');
  expect(await user.text('recipe', 'show', 'visit')).toContain('name: visit');
  expect(await user.json('recipe', 'run', 'visit', '--param', 'page=a')).toMatchObject({
    recipe: 'visit',
    steps: 1,
  });
  expect(await user.text('recipe', 'export', 'visit')).toContain(
    "import { expect, test } from '@playwright/test';",
  );
});
