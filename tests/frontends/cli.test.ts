// The built command line as shells meet it: a real daemon, a real Chrome, real pipes, terminals and
// signals.
import { execFile, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { FailureBody } from '../../src/core/failure.ts';
import type { DaemonNote } from '../../src/store/config/daemon-file.ts';
import { makeDaemonHome } from './servers.ts';

const BINARY =
  process.env['OPENCHROME_BINARY'] ??
  fileURLToPath(new URL('../../dist/index.js', import.meta.url));

let site: Server;
let origin = '';
let home = '';
/** Where commands run, with `openchrome` on the path. */
let folder = '';
const ends: (() => Promise<void>)[] = [];

const PAGE = `<title>Shop</title><h1>Shop</h1><label>Email <input name="email"></label>
<button onclick="fetch('/api/items?n=' + (window.n = (window.n ?? 0) + 1))">Load</button><a href="/next">Next</a>`;

/** The script starts after the title has reached the browser process. */
const HANGING = '<title>Hanging</title><script>setTimeout(() => { for (;;); }, 100)</script>';

beforeAll(async () => {
  if (!existsSync(BINARY)) throw new Error('Run "npm run build" first.');
  home = await makeDaemonHome((end) => void ends.push(end));
  folder = await mkdtemp(join(tmpdir(), 'openchrome-cli-'));
  await mkdir(join(folder, 'bin'));
  await symlink(BINARY, join(folder, 'bin', 'openchrome'));
  site = createServer(({ url = '' }, response) => {
    if (url === '/never') return;
    const isApi = url.startsWith('/api/');
    response.setHeader('content-type', isApi ? 'application/json' : 'text/html');
    const page = url === '/hang' ? HANGING : PAGE;
    response.end(isApi ? JSON.stringify({ items: [{ id: 1, name: 'Lamp' }] }) : page);
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  await json('browser', 'open', `${origin}/`, '--isolated');
});

afterAll(async () => {
  for (const end of ends) await end();
  await rm(folder, { recursive: true, force: true });
  site.closeAllConnections();
  site.close();
});

const environment = (over: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  ...process.env,
  PATH: `${join(folder, 'bin')}${delimiter}${process.env['PATH']}`,
  OPENCHROME_HEADLESS: '1',
  OPENCHROME_HOME: home,
  ...over,
});

interface Run {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

const runIn = (env: NodeJS.ProcessEnv, file: string, args: readonly string[]): Promise<Run> =>
  new Promise((resolve) => {
    const settings = { cwd: folder, env: environment(env), maxBuffer: 64 * 1024 * 1024 };
    const child = execFile(file, args, settings, (error, stdout, stderr) =>
      resolve({
        status: typeof error?.code === 'number' ? error.code : error ? 255 : 0,
        stdout,
        stderr,
      }),
    );
    child.stdin?.end();
  });

const run = (...args: string[]): Promise<Run> => runIn({}, process.execPath, [BINARY, ...args]);
const bash = (line: string): Promise<Run> => runIn({}, 'bash', ['--norc', '-c', line]);

const json = async <T = Record<string, unknown>>(...args: string[]): Promise<T> => {
  const { status, stdout, stderr } = await run(...args);
  if (status !== 0) throw new Error(`${args.join(' ')}: ${status} ${stdout} ${stderr}`);
  return JSON.parse(stdout) as T;
};

const failureIn = ({ status, stdout, stderr }: Run): FailureBody['error'] & { status: number } => {
  if (status === 0) throw new Error(`it succeeded: ${stdout} ${stderr}`);
  return { ...(JSON.parse(stdout) as FailureBody).error, status };
};

const note = async (): Promise<DaemonNote> =>
  JSON.parse(await readFile(join(home, 'daemon.json'), 'utf8')) as DaemonNote;

/** The same call as an MCP client would make it. */
const overMcp = async (name: string, args: object): Promise<string> => {
  const { port, token } = await note();
  const response = await fetch(`http://127.0.0.1:${port}/mcp`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: args },
    }),
  });
  const { result } = (await response.json()) as { result: { content: { text: string }[] } };
  return result.content[0]?.text ?? '';
};

/** A command that goes on until it is told to stop. */
const begin = (...args: string[]) => {
  const child = spawn(process.execPath, [BINARY, ...args], {
    cwd: folder,
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => void child.once('close', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return {
    interrupt: () => child.kill('SIGINT'),
    ended,
    stdout: () => stdout,
    lines: () => stdout.split('\n').filter(Boolean),
  };
};

const callsRunning = async (): Promise<unknown> => (await json('daemon', 'status'))['calls'];

describe('a shell', () => {
  it('uses a page', async () => {
    expect(await json('browser', 'find', 'Load')).toMatchObject({});
    expect(await json('browser', 'fill', 'Email', 'ada@example.com')).toContain('filled');
    expect(await json('browser', 'get', 'value', '[name=email]')).toBe('ada@example.com');
    expect(await json('browser', 'get', 'title')).toBe('Shop');
    expect(await json('browser', 'click', 'Next')).toContain('/next');
    expect(await json('browser', 'back')).toMatchObject({ url: `${origin}/` });
    expect(await json('browser', 'get', 'url')).toBe(`${origin}/`);
  });

  it('gets the address and the title at once while the page hangs or another page does not answer', async () => {
    const browser = (...args: string[]) => ['browser', ...args, '--session', 'slow'];
    await json(...browser('open', `${origin}/`));
    await run(...browser('open', `${origin}/never`, '--timeout-ms', '500'));
    expect(await json(...browser('get', 'url'))).toBe(`${origin}/`);
    expect(await json(...browser('get', 'title'))).toBe('Shop');
    const { tabId } = await json<{ tabId: string }>(...browser('tab', 'new'));
    await run(...browser('open', `${origin}/hang`, '--timeout-ms', '2000'));
    expect(await json(...browser('get', 'url'))).toBe(`${origin}/hang`);
    expect(await json(...browser('get', 'title'))).toBe('Hanging');
    await json(...browser('tab', 'close'));
    expect(failureIn(await run(...browser('get', 'url', '--tab-id', tabId)))).toMatchObject({
      code: 'tab_not_found',
      status: 1,
    });
    expect(failureIn(await run('browser', 'get', 'url', '--session', 'empty'))).toMatchObject({
      code: 'tab_not_found',
      hint: expect.stringContaining('browser open') as string,
    });
    await json(...browser('tab', 'close'));
  });

  it('gets the same JSON as a client of MCP', async () => {
    await json('browser', 'click', 'Load');
    await json('browser', 'wait', '--request', '/api/items');
    const { captured_at: one, ...listed } = await json('browser', 'network');
    const { captured_at: other, ...answered } = JSON.parse(await overMcp('network', {})) as Record<
      string,
      unknown
    >;
    expect(listed).toEqual(answered);
    expect(one).not.toBe(other);
    expect((await run('browser', 'tab', 'list')).stdout).toBe(
      `${await overMcp('tabs_context', {})}\n`,
    );
    expect((await run('browser', 'network', '--format', 'lines')).stdout).toBe(
      `${await overMcp('network', { format: 'lines' })}\n`,
    );
  });

  it('has sessions of its own', async () => {
    expect(await json('browser', 'tab', 'list', '--session', 'other')).toMatchObject({
      session: 'other',
      tabs: [],
    });
    expect(
      JSON.parse(
        (
          await runIn({ OPENCHROME_SESSION: 'third' }, process.execPath, [
            BINARY,
            'browser',
            'tab',
            'list',
          ])
        ).stdout,
      ),
    ).toMatchObject({
      session: 'third',
    });
  });

  it('saves pictures, at a place of its own or of ours, and prints where', async () => {
    const { path } = await json<{ path: string }>('browser', 'screenshot');
    expect(path.startsWith(join(home, 'downloads'))).toBe(true);
    expect((await readFile(path)).subarray(1, 4).toString()).toBe('PNG');
    expect(await json('browser', 'screenshot', 'page.jpg', '--format', 'jpeg')).toMatchObject({
      mimeType: 'image/jpeg',
    });
    expect((await readFile(join(folder, 'page.jpg'))).subarray(0, 2).toString('hex')).toBe('ffd8');
    expect((await run('browser', 'screenshot', '--format', 'text')).stdout).toMatch(
      /^\/.*\.png\n$/,
    );
  });

  it('pipes what it gets, and arguments into it', async () => {
    expect(
      await bash(`openchrome browser network | node -e 'process.stdin.pipe(process.stdout)'`),
    ).toMatchObject({
      stdout: expect.stringContaining('"entries":[') as string,
    });
    expect(
      await bash(`echo '{"code":"6 * 7"}' | openchrome call javascript_tool --json -`),
    ).toMatchObject({ stdout: '42\n' });
  });

  it('is not told of a reader that went away', async () => {
    const { stdout, stderr } = await bash(
      `openchrome browser eval "'x'.repeat(4e6)" --max-chars 5000000 | head -c 1; echo " \${PIPESTATUS[*]}"`,
    );
    expect({ stdout, stderr }).toEqual({ stdout: '" 141 0\n', stderr: '' });
  });

  it.skipIf(process.platform !== 'linux')(
    'says in one line that there is no room for what it prints',
    async () => {
      const { stdout, stderr } = await bash('openchrome version > /dev/full; echo $?');
      expect(stdout).toBe('1\n');
      expect(stderr).toMatch(
        /^openchrome: what was to be printed could not be written: .*ENOSPC.*\n$/,
      );
    },
  );
});

/** A program that most Linux machines have. */
const PSEUDO_TERMINAL = 'script';

describe('a terminal', () => {
  /** What it shows comes with carriage returns. */
  const shown = async (line: string): Promise<string> => {
    const { stdout } = await runIn({ TERM: 'xterm', NO_COLOR: '1' }, PSEUDO_TERMINAL, [
      '-qec',
      line,
      '/dev/null',
    ]);
    return stdout.replaceAll('\r\n', '\n');
  };
  const hasScript =
    process.platform === 'linux' && spawnSync(PSEUDO_TERMINAL, ['--version']).status === 0;

  it.runIf(hasScript)(
    'shows the text that an agent would get, and failures as a sentence',
    async () => {
      expect(await shown('openchrome browser get title')).toBe('Shop\n');
      expect(await shown('openchrome browser find Load')).toBe(
        `${await overMcp('find', { query: 'Load' })}\n`,
      );
      const failed = await shown('openchrome browser get count "p:("; echo "status $?"');
      expect(failed).toMatch(/^error: .+\n {2}Correct the code.*\nstatus 1\n$/);
    },
  );

  it.runIf(hasScript)('shows how far a crawl is, on stderr', async () => {
    const all = await shown(
      `openchrome crawl ${origin}/ --max-pages 2 --output-format text > crawl.json; echo; cat crawl.json`,
    );
    expect(all).toContain('/2');
    const result = JSON.parse(await readFile(join(folder, 'crawl.json'), 'utf8')) as {
      pages: unknown[];
    };
    expect(result.pages).toHaveLength(2);
  });
});

describe('Ctrl-C', () => {
  it('cancels the work in the daemon and says so', async () => {
    const waiting = begin('browser', 'wait', 'never', '--timeout-ms', '60000');
    await vi.waitFor(async () => expect(await callsRunning()).toBe(1), { timeout: 20_000 });
    waiting.interrupt();
    expect(await waiting.ended).toBe(130);
    expect(JSON.parse(waiting.stdout())).toMatchObject({
      error: { code: 'cancelled', message: expect.stringContaining('Interrupted') as string },
    });
    await vi.waitFor(async () => expect(await callsRunning()).toBe(0), { timeout: 20_000 });
  });
});

describe('--follow', () => {
  it('prints every request as one line of JSON, when it has ended', async () => {
    const { cursor } = await json<{ cursor: number }>('browser', 'network');
    const following = begin('browser', 'network', '--follow', '--cursor', String(cursor));
    await vi.waitFor(async () => expect(await callsRunning()).toBe(1), { timeout: 20_000 });
    for (const count of [1, 2]) {
      await json('browser', 'click', 'Load');
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

describe('a failure', () => {
  it('is JSON on stdout, with its status', async () => {
    expect(failureIn(await run('browser', 'open', 'javascript:alert(1)'))).toMatchObject({
      code: 'url_not_allowed',
      status: 1,
    });
    expect(failureIn(await run('browser', 'opne', 'x'))).toMatchObject({
      code: 'invalid_argument',
      status: 2,
    });
    expect(failureIn(await run('call', 'navigatte'))).toMatchObject({
      code: 'unknown_tool',
      closest: 'navigate',
      status: 2,
    });
    expect(failureIn(await run('call', 'navigate', '--json', '{"ulr":"x"}'))).toMatchObject({
      code: 'invalid_argument',
      closest: 'url',
      status: 2,
    });
  });

  it('is one too where there is no Chrome', async () => {
    const nowhere = await makeDaemonHome();
    const env = { OPENCHROME_HOME: nowhere, OPENCHROME_CHROME_PATH: join(nowhere, 'no-chrome') };
    expect(
      failureIn(await runIn(env, process.execPath, [BINARY, 'browser', 'open', origin])),
    ).toMatchObject({
      code: 'chrome_not_found',
      status: 3,
    });
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
  const found = spawnSync(shell, ['--version']).status === 0;
  const completions = async (words: string): Promise<string[]> =>
    (await runIn({}, shell, args(words))).stdout.split('\n').filter(Boolean).sort();

  it.runIf(found)('completes commands, options and values', async () => {
    expect(await completions('openchrome bro')).toEqual(['browser']);
    expect(await completions('openchrome browser cl')).toEqual(['clear', 'click']);
    expect(await completions("openchrome browser tab ''")).toEqual(
      expect.arrayContaining(['new', 'select', 'close', 'list']) as string[],
    );
    expect(await completions('openchrome browser read-page --mo')).toEqual(['--mode']);
    expect(await completions("openchrome browser read-page --mode ''")).toEqual([
      'ax',
      'css',
      'dom',
      'markdown',
    ]);
    expect(await completions('openchrome call read_p')).toEqual(['read_page']);
    expect(await completions('openchrome browser pdf pa')).toContain('page.jpg');
  });
});

describe('what is stored', () => {
  it('is read with neither daemon nor Chrome, and starts none', async () => {
    const { entries } = await json<{ entries: { key: string }[] }>('browser', 'network');
    const key = entries[0]?.key ?? '';
    const live = await json('browser', 'network', '--detail', key);
    const { output_handle: handle } = await json<{ output_handle: string }>(
      'browser',
      'page-content',
      '--output-mode',
      'handle',
    );
    const { task_id: task } = await json<{ task_id: string }>(
      'tasks',
      'start',
      'crawl',
      `${origin}/`,
      '--max-pages',
      '1',
    );
    await json('tasks', 'wait', task);
    await json('daemon', 'stop');

    const { cached_at, ...stored } = await json('browser', 'network', '--detail', key);
    expect(cached_at).toEqual(expect.any(String));
    expect(stored).toEqual(live);
    expect(
      await json('browser', 'network', '--detail', key, '--path', '$.items[0].name'),
    ).toMatchObject({ body: 'Lamp' });
    expect(failureIn(await run('browser', 'network', '--detail', 'nope'))).toMatchObject({
      code: 'key_not_found',
      status: 1,
    });
    expect(
      failureIn(await run('browser', 'network', '--detail', key, '--session', 'nobody')),
    ).toMatchObject({
      code: 'cache_missing',
      status: 1,
    });
    expect((await run('output', 'grep', handle, 'Shop')).stdout).toContain('Shop');
    expect(await json('tasks', 'list')).toMatchObject({
      tasks: [{ task_id: task, status: 'COMPLETED' }],
    });
    expect(await json('tasks', 'show', task)).toMatchObject({ meta: { task_id: task } });
    expect(
      (await run('tasks', 'logs', task, '--format', 'text')).stdout.split('\n').length,
    ).toBeGreaterThan(1);
    expect(await json('journal', '--count', '100')).toContainEqual(
      expect.objectContaining({ tool: 'navigate', ok: true }),
    );
    expect(failureIn(await run('daemon', 'status'))).toMatchObject({
      code: 'no_daemon',
      status: 3,
    });
  });
});
