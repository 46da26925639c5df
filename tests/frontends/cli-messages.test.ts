// Messages of the command line: plain words, the names of flags and commands, and short ids.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createShellUser, serveSite, type ShellUser } from './shell.ts';

let user: ShellUser;
let origin = '';
const ends: (() => Promise<void>)[] = [];

const PAGE = `<title>Shop</title><h1>Shop</h1><input name="email" value="ada@x.org">
<label>Country <select><option>Norway<option>Sweden</select></label>
<nav><button>Sign in</button><button>Off</button><a href="/a">Help</a><a href="/b">News</a></nav>`;

beforeAll(async () => {
  const onEnd = (end: () => Promise<void>) => void ends.unshift(end);
  origin = await serveSite(({ url = '' }, response) => {
    response.setHeader('content-type', 'text/html');
    if (url === '/missing') response.statusCode = 404;
    response.end(url === '/links' ? '<a href="/missing">x</a>' : PAGE);
  }, onEnd);
  user = await createShellUser(onEnd);
  await user.text('open', origin);
});

afterAll(async () => {
  for (const end of ends) await end();
});

const run = (line: string) => user.run(...line.split(' '));

it('a rejected argument is named by its flag, with the allowed values in plain words', async () => {
  expect(await run(`crawl ${origin} --max-pages 0`)).toEqual({
    status: 2,
    stdout: '',
    stderr: `error: --max-pages must be a whole number from 1 to 1000000, not 0. (invalid_argument)
  Run "openchrome crawl --help" to see its arguments.
`,
  });
  const messages = [
    [`tasks start crawl ${origin} --max-pages 0`, '--max-pages must be a whole number from 1'],
    ['state --depth -1', '--depth must be a whole number'],
    ['screenshot --quality 900', '--quality must be a whole number from 1 to 100, not 900.'],
    ['find x --wait-for 10h', '--wait-for must be a whole number from 0 to'],
    ['extract --format text', 'openchrome extract needs --schema.'],
    ['state --depth two', '--depth must be a number, not "two".'],
  ] as const;
  for (const [line, message] of messages) {
    const { status, stderr } = await run(line);
    expect({ status, stderr }, line).toEqual({
      status: 2,
      stderr: expect.stringContaining(message) as string,
    });
    expect(stderr, line).toContain('--help"');
  }
});

it('get value, attr, count and html print nothing but values, and have the status 1 without a match', async () => {
  expect(await run('get value input')).toMatchObject({ status: 0, stdout: 'ada@x.org\n' });
  expect(await run('get attr input name')).toMatchObject({ status: 0, stdout: 'email\n' });
  expect(await run('get count button')).toMatchObject({ status: 0, stdout: '2\n' });
  const missing = 'error: No element matches .none. (element_not_found)\n';
  for (const line of ['get value .none', 'get attr .none name']) {
    const { status, stdout, stderr } = await run(line);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toContain(missing);
  }
  expect(await run('get count .none')).toMatchObject({ status: 1, stdout: '0\n' });
  expect(await run('get attr input missing')).toEqual({
    status: 1,
    stdout: '',
    stderr: 'The element "input" has no such attribute.\n',
  });
  expect(await run('get html .none')).toEqual({
    status: 1,
    stdout: '',
    stderr: 'No element matches .none.\n',
  });
  expect(await user.failure('get', 'count', '#a..x')).toMatchObject({
    status: 2,
    message: '"#a..x" is not a valid CSS selector or XPath.',
  });
});

it('get value, attr, count and html take refs and words too', async () => {
  expect(await run('get value Country')).toMatchObject({ status: 0, stdout: 'Norway\n' });
  expect(await run('get attr Help href')).toMatchObject({ status: 0, stdout: '/a\n' });
  expect(await run('get count Sign in')).toMatchObject({ status: 0, stdout: '1\n' });
  const [, ref = ''] = /\b(e\d+) link "News"/.exec(await user.text('state')) ?? [];
  expect(await run(`get attr ${ref} href`)).toMatchObject({ status: 0, stdout: '/b\n' });
  expect(await run(`get count ${ref}`)).toMatchObject({ status: 0, stdout: '1\n' });
  expect(await run(`get html ${ref}`)).toMatchObject({ stdout: '<a href="/b">News</a>\n' });
  expect(await user.failure('get', 'value', 'Shoe', 'size')).toMatchObject({
    status: 1,
    code: 'element_not_found',
    message: 'No field matches "Shoe size".',
  });
});

it('a wrong option is answered with the options', async () => {
  const { status, stderr } = await run('select Country Finland');
  expect(status).toBe(1);
  expect(stderr).toContain('\n  options:\n    Norway\n    Sweden\n');
});

it('tabs have their short ids in failures', async () => {
  const { stderr } = await run('click Off --tab t9');
  expect(stderr).toContain('  tabs:\n    t1 http://');
  expect(stderr).not.toMatch(/[0-9A-F]{32}/);
});

it('a session without a page reports this and how to open one, also after a failed open', async () => {
  const session = ['--session', 'empty'];
  const commands = [
    'state',
    'get text',
    'get title',
    'get value a',
    'click Off',
    'eval 1',
    'screenshot',
    'pdf',
  ];
  const check = async (): Promise<void> => {
    for (const line of commands) {
      const { status, stdout, stderr } = await user.run(...line.split(' '), ...session);
      expect({ line, status, stdout }).toEqual({ line, status: 1, stdout: '' });
      expect(stderr, line).toContain('(no_page)');
      expect(stderr, line).toContain('openchrome open URL');
      expect(stderr, line).not.toMatch(/[0-9A-F]{32}/);
    }
  };
  await check();
  expect(await user.run('open', 'http://127.0.0.1:1/', ...session)).toMatchObject({ status: 1 });
  await check();
  const { stderr } = await user.run('state', ...session);
  expect(stderr).toContain('"http://127.0.0.1:1/" could not be loaded.');
});

it('daemon status lists every setting, also those without a value', async () => {
  const status = await user.text('daemon', 'status');
  expect(status).toMatch(/\n--headed +- +default\n/);
  expect(status).toMatch(/\n--chrome-path +\S+ +(?:default|\S*CHROME_PATH)\n/);
  expect(status).toMatch(/\n--headless +true +OPENCHROME_HEADLESS\n/);
});

it('a file that cannot be written is named', async () => {
  await writeFile(join(user.folder, 'file'), '');
  const { status, stderr } = await run('screenshot file/picture.png');
  expect(status).toBe(1);
  const path = join(user.folder, 'file', 'picture.png');
  expect(stderr).toContain(`Could not write ${path}: a part of the path is a file.`);
  expect(stderr).not.toContain('home folder');
});

it('sessions are a table, and opening and closing one is a sentence', async () => {
  expect(await user.text('sessions', 'open', 'buyer')).toBe(
    'Opened the session "buyer" with its own storage. Use it with --session buyer.',
  );
  expect(await user.text('sessions')).toMatch(/^SESSION +STORAGE +TABS\n[^]*\nbuyer +own +0$/);
  expect(await user.text('sessions', 'close', 'buyer')).toBe(
    'Closed the session "buyer" with 0 tabs; its data was deleted.',
  );
});

it('a second recording of a tab is refused with the id of the first and how to stop it', async () => {
  const { task_id } = await user.json<{ task_id: string }>('record', 'start');
  const { status, stderr } = await run('record start');
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: expect.stringContaining(task_id) as string,
  });
  expect(stderr).toContain('(already_recording)\n  Stop it with openchrome record stop');
  const stopped = await user.text('record', 'stop');
  expect(stopped).toMatch(/^Recorded \d+ steps?, 0 calls, \d+ requests? in [^]*\n\/\S*\.html\n/);
  expect(stopped).toMatch(/\nWatch it with: openchrome record open$/);
});

it('a crawled page has a space between neighbouring controls', async () => {
  const { pages } = await user.json<{ pages: { content: string }[] }>(
    ...['crawl', origin, '--max-pages', '1', '--render', 'fetch'],
  );
  expect(pages[0]?.content).toContain('Sign in Off Help News');
});

it('help has the width of COLUMNS in a pipe', async () => {
  for (const [columns, most] of [
    ['50', 50],
    ['', 100],
    ['wide', 100],
  ] as const) {
    const { stdout } = await user.bash(`COLUMNS=${columns} openchrome --help`);
    const widest = Math.max(...stdout.split('\n').map((line) => line.length));
    expect(widest).toBeGreaterThan(most - 15);
    expect(widest).toBeLessThanOrEqual(most);
  }
});

it('a setting of the MCP server is rejected by a command', async () => {
  expect(await user.failure('state', '--slim')).toMatchObject({
    status: 2,
    message: '--slim is a setting of the MCP server, not of a command.',
  });
});

it('flags may be before the command', async () => {
  expect(await run('--json get title')).toMatchObject({ status: 0, stdout: '"Shop"\n' });
  expect((await run('--session other --json tabs')).stdout).toContain('"session":"other"');
  expect(await run('--tab t1 get url')).toMatchObject({ status: 0, stdout: `${origin}/\n` });
  expect(await run('--json --version')).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^\{"version":/) as string,
  });
  expect((await run('--unknown-flag state')).stderr).toContain('has no option --unknown-flag');
});

it('the summary of a crawl does not count failed pages', async () => {
  const { status, stderr } = await run(`crawl ${origin}/links --render fetch`);
  expect(status).toBe(0);
  expect(stderr).toMatch(/^Done: 1 page, 1 error in /);
});

it('a crawl does not write to a file of an unknown format', async () => {
  const { status, stderr } = await run(`crawl ${origin} --out pages.txt`);
  expect({ status, stderr }).toEqual({
    status: 2,
    stderr: `error: --out pages.txt is neither a folder nor a .jsonl file. (invalid_argument)
  Use FILE.jsonl for one file, or a folder: pages.txt/
`,
  });
  expect(await readdir(user.folder)).not.toContain('pages.txt');
  await mkdir(join(user.folder, 'v1.x'));
  expect(await run(`crawl ${origin} --max-pages 1 --out v1.x`)).toMatchObject({ status: 0 });
});

it('an unknown command is answered with a similar one only if a typing error explains it', async () => {
  const suggest = async (word: string): Promise<string> =>
    (await run(word)).stderr.split('\n')[0] ?? '';
  expect(await suggest('clik')).toContain('did you mean click?');
  expect(await suggest('screen')).toContain('did you mean screenshot?');
  expect(await suggest('sessoin')).toContain('did you mean sessions?');
  for (const word of ['deploy', 'send', 'login2shop', 'map', 'x'])
    expect(await suggest(word)).toBe(`error: There is no command "${word}". (invalid_argument)`);
});

it('a screenshot is shown in a terminal that supports pictures, and refused elsewhere', async () => {
  await user.text('open', origin);
  const kitty = await user.shown('openchrome screenshot page.png --show', {
    env: { KITTY_WINDOW_ID: '1', TERM: 'xterm-kitty' },
  });
  // oxlint-disable-next-line no-control-regex
  const parts = [...kitty.matchAll(/\u001b_G[^;]*;([^\u001b]*)\u001b/g)].map(([, data]) => data);
  const shown = Buffer.from(parts.join(''), 'base64');
  expect(shown.equals(await readFile(join(user.folder, 'page.png')))).toBe(true);
  expect(kitty).toMatch(/page\.png\n$/);
  expect(await user.shown('openchrome screenshot --show', { env: { TERM_PROGRAM: 'iTerm.app' } }))
    // oxlint-disable-next-line no-control-regex
    .toMatch(/^\u001b\]1337;File=inline=1;preserveAspectRatio=1:iVBOR[\w+/=]+\u0007/);
  const plain = await user.shown('openchrome screenshot --show; echo "status $?"');
  expect(plain).toContain('--show needs a terminal that shows pictures');
  expect(plain).toContain('openchrome screenshot page.png');
  expect(plain).toContain('status 2');
  expect(await run('screenshot --show')).toMatchObject({ status: 2, stdout: '' });
});

it('tabs --all shows short ids, also for tabs of other sessions', async () => {
  await user.text('open', origin, '--session', 'work');
  const { stdout } = await run('tabs --all');
  expect(stdout).toMatch(/^\s*t1\s.*\bwork\b/m);
  expect(stdout).not.toMatch(/[0-9A-F]{32}/);
  await user.text('tabs', 'close', '--session', 'work');
});

it('an unknown task is reported with the command that lists the tasks', async () => {
  for (const id of ['zzz', '0123'])
    expect(await run(`tasks show ${id}`)).toEqual({
      status: 1,
      stdout: '',
      stderr: `error: There is no task "${id}". (task_not_found)
  List the tasks with "openchrome tasks".
`,
    });
});

it('an upload of a missing file names the file', async () => {
  const { status, stderr } = await run('upload Off no-such-file.txt');
  expect(status).not.toBe(0);
  expect(stderr).toContain('no-such-file.txt does not exist.');
});
