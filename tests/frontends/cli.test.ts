// The built command line with a real daemon and a real Chrome: verbs, output, statuses, completion.
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { makeDaemonHome } from './servers.ts';
import { BINARY, createShellUser, serveSite, type ShellUser } from './shell.ts';

let user: ShellUser;
let origin = '';
const ends: (() => Promise<void>)[] = [];

const PAGE = `<title>Shop</title><h1>Shop</h1><form action="/done"><label>Email <input name="email"></label>
<label>First name <input name="first"></label><label>Age <input name="age" type="number"></label><button>Sign in</button></form>
<button onclick="fetch('/api/items?n=' + (window.n = (window.n ?? 0) + 1))">Load</button><a href="/next">Next</a>`;

/** The script starts after the title has reached the browser process. */
const HANGING = '<title>Hanging</title><script>setTimeout(() => { for (;;); }, 100)</script>';

beforeAll(async () => {
  const onEnd = (end: () => Promise<void>) => void ends.unshift(end);
  origin = await serveSite(({ url = '' }, response) => {
    if (url === '/never') return;
    const isApi = url.startsWith('/api/');
    response.setHeader('content-type', isApi ? 'application/json' : 'text/html');
    const page = url === '/hang' ? HANGING : PAGE;
    response.end(isApi ? JSON.stringify({ items: [{ id: 1, name: 'Lamp' }] }) : page);
  }, onEnd);
  user = await createShellUser(onEnd);
  await user.text('open', `${origin}/`, '--isolated');
});

afterAll(async () => {
  for (const end of ends) await end();
});

describe('verbs', () => {
  it('use a page without quotes and without a prefix', async () => {
    expect(await user.text('open', `${origin}/`)).toBe(`Shop\n${origin}/`);
    expect(await user.text('find', 'Sign', 'in')).toMatch(/^e\d+ button "Sign in"/);
    expect(await user.text('fill', 'Email', 'ada@x.org')).toContain('filled');
    await user.text('fill', 'First', 'name', 'Ada', 'Lovelace');
    expect(await user.text('get', 'value', '[name=first]')).toBe('Ada Lovelace');
    expect(await user.text('get', 'value', '[name=email]')).toBe('ada@x.org');
    expect(await user.text('get', 'title')).toBe('Shop');
    expect(await user.text('click', 'Next')).toContain('/next');
    expect(await user.text('back')).toBe(`Shop\n${origin}/`);
    expect(await user.text('browser', 'get', 'url')).toBe(`${origin}/`);
    expect(await user.text('browser', 'read-page', '--mode', 'markdown')).toContain('# Shop');
    expect(await user.failure('read_page')).toMatchObject({ code: 'invalid_argument', status: 2 });
  });

  it('get the URL and the title at once while the page hangs or does not respond', async () => {
    const slow = (...args: string[]) => [...args, '--session', 'slow'];
    await user.text(...slow('open', `${origin}/`));
    await user.run(...slow('open', `${origin}/never`, '--timeout', '500ms'));
    expect(await user.text(...slow('get', 'url'))).toBe(`${origin}/`);
    expect(await user.text(...slow('get', 'title'))).toBe('Shop');
    const { tabId } = await user.json<{ tabId: string }>(...slow('tabs', 'new'));
    await user.run(...slow('open', `${origin}/hang`, '--timeout', '2s'));
    expect(await user.text(...slow('get', 'url', '--tab', 't2'))).toBe(`${origin}/hang`);
    expect(await user.text(...slow('get', 'title'))).toBe('Hanging');
    await user.text(...slow('tabs', 'close', 't2'));
    expect(await user.failure(...slow('get', 'url', '--tab', tabId))).toMatchObject({
      code: 'tab_not_found',
      status: 1,
    });
    await user.text(...slow('tabs', 'close'));
  });

  it('return the same JSON as an MCP client gets', async () => {
    await user.text('click', 'Load');
    await user.text('wait', '--request', '/api/items');
    const { captured_at: one, ...listed } = await user.json('network');
    const { captured_at: other, ...answered } = JSON.parse(
      await user.overMcp('network', {}),
    ) as Record<string, unknown>;
    expect(listed).toEqual(answered);
    expect(one).not.toBe(other);
    expect(await user.text('call', 'tabs_context')).toBe(await user.overMcp('tabs_context', {}));
    expect(await user.text('network', '--format', 'lines')).toBe(
      await user.overMcp('network', { format: 'lines' }),
    );
  });

  it('use sessions with their own tabs', async () => {
    expect(await user.json('tabs', '--session', 'other')).toMatchObject({
      session: 'other',
      tabs: [],
    });
    const { stdout } = await user.runFile(process.execPath, [BINARY, 'tabs', '--json'], {
      env: { OPENCHROME_SESSION: 'third' },
    });
    expect(JSON.parse(stdout)).toMatchObject({ session: 'third' });
  });

  it('save pictures in the downloads folder or at a path, and print the path', async () => {
    const path = await user.text('screenshot');
    expect(path.startsWith(join(user.home, 'downloads'))).toBe(true);
    expect((await readFile(path)).subarray(1, 4).toString()).toBe('PNG');
    expect(await user.json('screenshot', 'page.jpg', '--format', 'jpeg')).toMatchObject({
      mimeType: 'image/jpeg',
    });
    const bytes = await readFile(join(user.folder, 'page.jpg'));
    expect(bytes.subarray(0, 2).toString('hex')).toBe('ffd8');
  });

  it('accept the input of a tool as JSON, also from stdin', async () => {
    expect(
      await user.bash(`echo '{"code":"6 * 7"}' | openchrome call javascript_tool --args -`),
    ).toMatchObject({ stdout: '42\n' });
  });

  it('end quietly if the reader of the output has ended', async () => {
    const { stdout, stderr } = await user.bash(
      `openchrome eval "'x'.repeat(4e6)" --max-chars 5000000 | head -c 1; echo " \${PIPESTATUS[*]}"`,
    );
    expect({ stdout, stderr }).toEqual({ stdout: 'x 141 0\n', stderr: '' });
  });

  it.skipIf(process.platform !== 'linux')(
    'report in one line that the output cannot be written',
    async () => {
      const { stdout, stderr } = await user.bash('openchrome version > /dev/full; echo $?');
      expect(stdout).toBe('1\n');
      expect(stderr).toMatch(/^openchrome: cannot write the output: .*ENOSPC.*\n$/);
    },
  );
});

describe('output', () => {
  it('is text in a pipe: no quotes, no page-state header', async () => {
    await user.text('open', `${origin}/`);
    expect(await user.bash('u=$(openchrome get url); echo "<$u>"')).toMatchObject({
      stdout: `<${origin}/>\n`,
    });
    await user.bash('openchrome get text > page.md');
    expect(await readFile(join(user.folder, 'page.md'), 'utf8')).toMatch(/^# Shop\n/);
    expect(await user.text('get', 'html', 'h1')).toBe('<h1>Shop</h1>');
    expect(await user.text('eval', 'document.title')).toBe('Shop');
    expect(await user.text('state')).toMatch(/^- Page URL: .*\n[^]*e\d+ textbox "Email"/);
  });

  it('is a table with short ids for lists, and colours appear only on a terminal', async () => {
    expect(await user.text('tabs')).toMatch(/^ {3}TAB {2}TITLE +URL\n\* {2}t1 +Shop +http/);
    const shown = await user.shown('openchrome tabs');
    expect(shown.startsWith('\u001b[1m   TAB')).toBe(true);
    expect(await user.shown('openchrome tabs', { env: { NO_COLOR: '1' } })).not.toContain('\u001b');
  });

  it('fits into a narrow terminal', async () => {
    for (const columns of [40, 80])
      for (const line of ['openchrome tabs', 'openchrome --help', 'openchrome network --help']) {
        const shown = await user.shown(line, { columns, env: { NO_COLOR: '1' } });
        expect(shown.split('\n').filter((one) => one.length > columns)).toEqual([]);
      }
  });

  it('is JSON with --json for every kind of command', async () => {
    for (const words of [
      ['tabs'],
      ['state'],
      ['get', 'url'],
      ['network'],
      ['tasks'],
      ['journal'],
      ['version'],
      ['daemon', 'status'],
    ])
      expect(await user.json(...words), words.join(' ')).toBeDefined();
  });
});

describe('a failure', () => {
  it('is a sentence with a hint on stderr, or JSON on stdout with --json', async () => {
    const failed = await user.run('eval', 'throw 1');
    expect(failed).toMatchObject({ status: 1, stdout: '' });
    expect(failed.stderr).toMatch(/^error: .+ \(script_error\)\n {2}Correct the code.*\n$/);
    expect(await user.failure('open', 'javascript:alert(1)')).toMatchObject({
      code: 'url_not_allowed',
      status: 1,
    });
    expect(await user.failure('call', 'navigatte')).toMatchObject({
      code: 'unknown_tool',
      closest: 'navigate',
      status: 2,
    });
    expect(await user.failure('call', 'navigate', '--args', '{"ulr":"x"}')).toMatchObject({
      code: 'invalid_argument',
      closest: 'url',
      status: 2,
    });
  });
});

describe('the exit status', () => {
  beforeAll(async () => void (await user.text('open', `${origin}/`)));

  it.each<[status: number, words: string]>([
    [0, 'get title'],
    [0, 'find Load'],
    [1, 'find nothing-like-this'],
    [1, 'click nothing-like-this --wait-for 0ms'],
    [1, 'validate'],
    [1, 'fill Age abc'],
    [1, 'form Email=a@b.c Nowhere=1'],
    [0, 'get count h1'],
    [1, 'get count .nothing-like-this'],
    [1, 'get attr h1 missing'],
    [1, 'get value nothing-like-this'],
    [1, 'crawl http://127.0.0.1:1/ --max-pages 1'],
    [1, 'output show oh_ABCDEFGH2345'],
    [1, 'eval throw(1)'],
    [2, 'get count #a..x'],
    [2, 'sessions open'],
    [1, 'open http://127.0.0.1:1/'],
    [1, 'tasks show 0000000000000000'],
    [2, 'opne x'],
    [2, 'open'],
    [2, 'open a b'],
    [2, 'state --depth two'],
    [2, 'call navigatte'],
    [1, 'tasks show nonsense!'],
  ])('is %i after "%s"', async (status, words) => {
    expect((await user.run(...words.split(' '))).status).toBe(status);
  });

  it('is 3 if there is no Chrome', async () => {
    const nowhere = await makeDaemonHome();
    const env = { OPENCHROME_HOME: nowhere, OPENCHROME_CHROME_PATH: join(nowhere, 'no-chrome') };
    const { status, stderr } = await user.runFile(process.execPath, [BINARY, 'open', origin], {
      env,
    });
    expect({ status, stderr }).toMatchObject({
      status: 3,
      stderr: expect.stringContaining('(chrome_not_found)') as string,
    });
  });

  it('is 130 after Ctrl-C, and the work is cancelled', async () => {
    const waiting = user.begin('wait', 'never', '--timeout', '60s');
    await vi.waitFor(async () => expect(await user.countCalls()).toBe(1), { timeout: 20_000 });
    waiting.interrupt();
    expect(await waiting.ended).toBe(130);
    expect(waiting.stderr()).toContain('Interrupted');
    await vi.waitFor(async () => expect(await user.countCalls()).toBe(0), { timeout: 20_000 });
  });
});

describe('--follow', () => {
  it('prints every request when it has ended', async () => {
    await user.text('open', `${origin}/`);
    const { cursor } = await user.json<{ cursor: number }>('network');
    const following = user.begin('network', '--follow', '--cursor', String(cursor), '--json');
    await vi.waitFor(async () => expect(await user.countCalls()).toBe(1), { timeout: 20_000 });
    for (const count of [1, 2]) {
      await user.text('click', 'Load');
      await vi.waitFor(() => expect(following.lines()).toHaveLength(count), { timeout: 20_000 });
    }
    expect(following.lines().map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { method: 'GET', status: 200, shape: { '$.items': 'array(1)' } },
      { method: 'GET', status: 200 },
    ]);
    following.interrupt();
    expect(await following.ended).toBe(130);
    expect(following.lines()).toHaveLength(2);
  });
});

describe.each([
  [
    'bash',
    (words: string) => [
      '--norc',
      '-c',
      `source <(openchrome completion bash); COMP_WORDS=(${words}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _openchrome; printf '%s\\n' "\${COMPREPLY[@]}"`,
    ],
  ],
  [
    'fish',
    (words: string) => [
      '--no-config',
      '-c',
      `openchrome completion fish | source; complete -C "${words.replaceAll("''", '')}" | string replace -r '\\t.*' ''`,
    ],
  ],
  [
    'zsh',
    (words: string) => [
      '-f',
      '-c',
      `autoload -U compinit && compinit -D -u; eval "$(openchrome completion zsh)"; _describe() { local -a all; all=("\${(@P)4}"); print -rl -- "\${(@)all%%:*}"; }; _files() { print -rl -- *; }; words=(${words}); CURRENT=\${#words}; _openchrome`,
    ],
  ],
] as const)('%s', (shell, args) => {
  const isInstalled = spawnSync(shell, ['--version']).status === 0;
  const complete = async (words: string): Promise<string[]> =>
    (await user.runFile(shell, args(words))).stdout.split('\n').filter(Boolean).sort();

  it.runIf(isInstalled)('completes commands, options, values and files', async () => {
    await user.text('screenshot', 'page.jpg');
    expect(await complete('openchrome stat')).toEqual(['state']);
    expect(await complete('openchrome cl')).toEqual(['clear', 'click']);
    expect(await complete("openchrome tabs ''")).toEqual(
      expect.arrayContaining(['new', 'select', 'close']) as string[],
    );
    expect(await complete('openchrome read --mo')).toEqual(['--mode']);
    expect(await complete("openchrome read --mode ''")).toEqual(['ax', 'css', 'dom', 'markdown']);
    expect(await complete('openchrome call read_p')).toEqual(['read_page']);
    expect(await complete('openchrome pdf pa')).toContain('page.jpg');
    expect(await complete("openchrome tabs select ''")).toContain('t1');
    expect(await complete('openchrome state --session defa')).toEqual(['default']);
    expect(await complete('openchrome setup curs')).toEqual(['cursor']);
  });
});

describe('stored results', () => {
  it('are read without a daemon and without Chrome, and start none', async () => {
    await user.text('open', `${origin}/`);
    await user.text('click', 'Load');
    await user.text('wait', '--request', '/api/items');
    const { entries } = await user.json<{ entries: { key: string }[] }>('network');
    const key = entries[0]?.key ?? '';
    const live = await user.json('network', '--detail', key);
    const { output_handle: handle } = await user.json<{ output_handle: string }>(
      'get',
      'html',
      '--output-mode',
      'handle',
    );
    const { task_id: task } = await user.json<{ task_id: string }>(
      ...['tasks', 'start', 'crawl', `${origin}/`, '--max-pages', '1'],
    );
    await user.text('tasks', 'wait', task);
    await user.text('daemon', 'stop');

    const { cached_at, ...stored } = await user.json('network', '--detail', key);
    expect(cached_at).toEqual(expect.any(String));
    expect(stored).toEqual(live);
    expect(await user.json('network', '--detail', key, '--path', '$.items[0].name')).toMatchObject({
      body: 'Lamp',
    });
    expect(await user.failure('network', '--detail', 'nope')).toMatchObject({
      code: 'key_not_found',
      status: 1,
    });
    expect(await user.failure('network', '--detail', key, '--session', 'nobody')).toMatchObject({
      code: 'cache_missing',
      status: 1,
    });
    expect(await user.text('output', 'grep', handle, 'Shop')).toContain('Shop');
    expect((await user.json<{ tasks: unknown[] }>('tasks')).tasks[0]).toMatchObject({
      task_id: task,
      status: 'COMPLETED',
    });
    expect(await user.json('tasks', 'show', task.slice(0, 8))).toMatchObject({
      meta: { task_id: task },
    });
    expect((await user.text('tasks', 'logs', task)).split('\n').length).toBeGreaterThan(1);
    expect(await user.json('journal', '--count', '100')).toContainEqual(
      expect.objectContaining({ tool: 'navigate', ok: true }),
    );
    expect(await user.failure('daemon', 'status')).toMatchObject({ code: 'no_daemon', status: 3 });
  });
});
