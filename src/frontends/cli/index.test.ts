// The command line: what each command prints and where, and its exit status.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { resolveConfig, resolveSettings } from '../../core/config.ts';
import { fail } from '../../core/failure.ts';
import { resolveHome } from '../../core/home.ts';
import type { Finding } from '../../features/doctor/index.ts';
import { runCli } from './index.ts';
import { commands } from './program.ts';
import type { Terminal } from './terminal.ts';
import type { ToolAnswer } from './client.ts';
import type { Connecting, Wiring } from './wiring.ts';

interface Run {
  readonly status: number;
  readonly out: string;
  readonly err: string;
  readonly served: readonly (readonly string[])[];
}

const FINDINGS: readonly Finding[] = [
  { id: 'node', status: 'ok', message: 'Node 22.12.0' },
  { id: 'fonts', status: 'warn', message: 'No fonts were found.', fix: 'Install a font package.' },
];

const run = async (
  argv: string | readonly string[],
  over: Partial<Wiring> = {},
  interactive = false,
): Promise<Run> => {
  const [out, err]: [string[], string[]] = [[], []];
  const served: (readonly string[])[] = [];
  const wiring: Wiring = {
    home: resolveHome({ OPENCHROME_HOME: '/nowhere' }),
    loadConfig: async (flags) => resolveConfig({ flags }),
    loadSettings: async (flags) => resolveSettings({ flags }),
    serve: async (flags) => void served.push(flags),
    work: () => Promise.reject(new Error('not expected')),
    followInCluster: () => Promise.reject(new Error('not expected')),
    listWorkers: () => Promise.reject(new Error('not expected')),
    runDoctor: async () => FINDINGS,
    installBrowser: async (progress) => {
      progress('50 %');
      return { path: '/browsers/chrome', product: 'chrome', source: 'installed' };
    },
    connect: () => Promise.reject(fail('no_daemon', 'No daemon is running.')),
    callStored: () => Promise.reject(new Error('not asked for')),
    openWaiting: () => Promise.reject(new Error('not expected')),
    readStdin: async () => '',
    async *readLines() {},
    parseAddress: () => Promise.reject(new Error('not expected')),
    recordLogin: () => Promise.reject(new Error('not expected')),
    checkLogin: () => Promise.reject(new Error('not expected')),
    ...over,
  };
  const terminal: Terminal = {
    interactive,
    columns: 100,
    out: (text) => out.push(text),
    err: (text) => err.push(text),
    status: () => {},
    paint: (_, text) => text,
    paintError: (_, text) => text,
  };
  const words = typeof argv === 'string' ? argv.split(' ').filter((word) => word !== '') : argv;
  const status = await runCli(words, wiring, terminal);
  return { status, out: out.join('\n'), err: err.join('\n'), served };
};

interface Asked {
  readonly name: string;
  readonly args: Record<string, unknown>;
}

/** A daemon that returns the same answer to every call and records the calls. */
const daemon = (
  answer: ToolAnswer,
): { readonly wiring: Partial<Wiring>; readonly asked: (Asked & Partial<Connecting>)[] } => {
  const asked: (Asked & Partial<Connecting>)[] = [];
  const connect: Wiring['connect'] = async (options) => ({
    callTool: async (name, args) => {
      asked.push({ name, args, ...options });
      return answer;
    },
    listTools: async () => [],
    request: async () => ({}),
    close: async () => {},
  });
  return { wiring: { connect }, asked };
};

/** A daemon that is ending when the call arrives; the one after it answers. */
const endingDaemon = (answer: ToolAnswer): ReturnType<typeof daemon> => {
  const next = daemon(answer);
  let connected = 0;
  const refuse = (): Promise<never> => Promise.reject(fail('no_daemon', 'The daemon is ending.'));
  const connect: Wiring['connect'] = async (options) => {
    const client = await next.wiring.connect!(options);
    return connected++ === 0 ? { ...client, callTool: refuse } : client;
  };
  return { wiring: { connect }, asked: next.asked };
};

const says = (...texts: string[]): ToolAnswer => ({
  content: texts.map((text) => ({ type: 'text', text })),
});

const failureOf = async (argv: string | readonly string[], over: Partial<Wiring> = {}) => {
  const words = typeof argv === 'string' ? argv.split(' ') : argv;
  return errorIn(await run([...words, '--json'], over));
};

const errorIn = ({ out }: Run): { code: string; message: string; commands?: string[] } =>
  (JSON.parse(out) as { error: never }).error;

describe('help', () => {
  it('names the commands', async () => {
    const { status, out } = await run('--help');
    expect(status).toBe(0);
    expect(out).toMatch(/^Usage: openchrome \[command\] \[options\]/);
    for (const command of [
      'serve',
      'doctor',
      'install-browser',
      'version',
      'open',
      'click',
      'tasks',
      'crawl',
      'call',
    ])
      expect(out).toContain(`\n  ${command} `);
  });

  it('of a command shows every flag of the configuration', async () => {
    const { status, out } = await run('serve --help');
    expect(status).toBe(0);
    expect(out).toContain('--http <PORT>');
    expect(out).toContain('--chrome-arg <FLAG>');
    expect(out).toContain('(repeatable)');
  });

  it.each([
    ['worker', ['--cluster', '--slots', '--headless', '--allow-domains', '--proxy', '--log-level']],
    ['workers', ['--cluster', '--json', '--log-level']],
  ])('of %s lists only the flags that apply to it', async (command, expected) => {
    const { out } = await run(`${command} --help`);
    const flags = [...out.matchAll(/^ {2}(--[\w-]+)/gm)].map(([, flag]) => flag);
    expect(flags).toEqual(expect.arrayContaining(expected));
    for (const other of ['--http', '--token', '--slim', '--daemon-idle-seconds'])
      expect(flags).not.toContain(other);
  });

  it('of a worker names only flags that exist', async () => {
    const { out } = await run('worker --help');
    const all = (await run('serve --help')).out;
    const command = commands().find(({ path }) => path.join(' ') === 'worker');
    const flags = Array.isArray(command?.configured) ? command.configured : [];
    expect(flags).not.toHaveLength(0);
    for (const flag of flags) {
      expect(out).toContain(flag);
      expect(all).toContain(flag);
    }
  });
});

describe('a command that is a tool', () => {
  it('calls the daemon, and prints text, or JSON with --json', async () => {
    const { wiring, asked } = daemon(
      says('{"tabId":"8A","url":"https://example.com/","title":"Example","status":200}'),
    );
    const words = 'open https://example.com --wait-until commit --session shop --headless';
    expect(await run(words, wiring)).toMatchObject({
      status: 0,
      out: 'Example\nhttps://example.com/',
    });
    expect((await run(`${words} --json`, wiring)).out).toBe(
      '{"tabId":"8A","url":"https://example.com/","title":"Example","status":200}',
    );
    asked.pop();
    expect(asked).toMatchObject([
      {
        name: 'navigate',
        args: { url: 'https://example.com', waitUntil: 'commit' },
        session: 'shop',
        flags: ['--headless'],
        start: true,
      },
    ]);
  });

  it('prints text as text, on a terminal and in a pipe, and notes on stderr', async () => {
    const { wiring } = daemon(says('button "Save" [e1]', 'a note'));
    for (const interactive of [true, false])
      expect(await run('state', wiring, interactive)).toMatchObject({
        out: 'button "Save" [e1]',
        err: 'a note',
      });
    for (const flag of ['--json', '--format json'])
      expect(await run(`state ${flag}`, wiring)).toMatchObject({
        out: '"button \\"Save\\" [e1]"',
      });
  });

  it('prints the data of `call` and `extract` as JSON, and their text as text', async () => {
    const data = daemon(says('{"items":[]}')).wiring;
    expect(await run('call tabs_context', data)).toMatchObject({ out: '{"items":[]}' });
    expect(await run(['extract', '--schema', '{}'], data)).toMatchObject({ out: '{"items":[]}' });
    const text = daemon(says('# Shop')).wiring;
    expect(await run('call read_page', text)).toMatchObject({ out: '# Shop' });
    expect(await run('call read_page --json', text)).toMatchObject({ out: '"# Shop"' });
  });

  it('prints page text that looks like JSON unchanged', async () => {
    const { wiring } = daemon(says('{"a": 1}'));
    expect(await run('get text', wiring)).toMatchObject({ out: '{"a": 1}' });
    expect(await run('get text --json', wiring)).toMatchObject({ out: '"{\\"a\\": 1}"' });
  });

  it('has the status 1 if the call worked but the answer is no', async () => {
    const answer = { ...says('No match.'), _meta: { 'openchrome/facts': { negative: true } } };
    expect(await run('find Save', daemon(answer as ToolAnswer).wiring)).toMatchObject({
      status: 1,
      out: 'No match.',
    });
  });

  it('calls the next daemon if the first one is ending', async () => {
    const { wiring, asked } = endingDaemon(says('{"tabs":[]}'));
    expect(await run('tabs --json', wiring)).toMatchObject({ status: 0, out: '{"tabs":[]}' });
    expect(asked).toHaveLength(1);
  });

  it('prints lines as lines on request', async () => {
    const { wiring } = daemon(says('200 48 json GET x/y\ncursor 8'));
    expect(await run('network --format lines', wiring)).toMatchObject({
      out: '200 48 json GET x/y\ncursor 8',
    });
  });

  it('that failed ends with the status of its code', async () => {
    const failure = (code: string): ToolAnswer => ({
      ...says(`{"error":{"code":"${code}","message":"No.","hint":"Do.","retryable":false}}`),
      isError: true,
    });
    for (const [code, status] of [
      ['no_history', 1],
      ['invalid_argument', 2],
      ['chrome_not_found', 3],
    ] as const) {
      const { wiring } = daemon(failure(code));
      expect(await run('back', wiring)).toMatchObject({
        status,
        out: '',
        err: `error: No. (${code})\n  Do.`,
      });
      expect(await run('back --json', wiring)).toMatchObject({ status, err: '' });
      expect(await run('call navigate', wiring)).toMatchObject({
        status,
        out: expect.stringContaining(`"${code}"`) as string,
      });
    }
  });

  it('takes its arguments as one JSON object, from stdin too', async () => {
    const { wiring, asked } = daemon(says('{}'));
    await run(
      [
        'call',
        'fill_form',
        '--args',
        '{"fields":[{"label":"a","value":1}],"submit":false}',
        '--submit',
        'true',
      ],
      wiring,
    );
    await run('call navigate --args -', {
      ...wiring,
      readStdin: async () => '{"url":"https://example.com"}',
    });
    expect(asked.map(({ args }) => args)).toEqual([
      { fields: [{ label: 'a', value: 1 }], submit: true },
      { url: 'https://example.com' },
    ]);
    expect(await run(['call', 'navigate', '--args', '[1]'], wiring)).toMatchObject({ status: 2 });
  });

  it('is answered from the home folder if no daemon is needed and none runs', async () => {
    const stored: unknown[] = [];
    const callStored: Wiring['callStored'] = async ({ name, arguments: args }) => (
      stored.push([name, args]),
      says('{"stored":true}')
    );
    for (const argv of [
      ['journal', 'summary'],
      ['output', 'show', 'oh_A'],
      ['tasks'],
      ['network', '--detail', 'GET x/y'],
    ])
      expect(await run([...argv, '--json'], { callStored })).toMatchObject({
        status: 0,
        out: '{"stored":true}',
      });
    expect(stored).toEqual([
      ['oc_journal', { action: 'summary' }],
      ['oc_output_fetch', { output_handle: 'oh_A' }],
      ['oc_task_list', {}],
      ['network', { detail: 'GET x/y' }],
    ]);
    expect(await failureOf('network', { callStored })).toMatchObject({
      code: 'no_daemon',
    });
    const connect = (): Promise<never> =>
      Promise.reject(fail('daemon_version_mismatch', 'Another build.'));
    expect(await run('tasks --json', { callStored, connect })).toMatchObject({
      status: 0,
      out: '{"stored":true}',
    });
  });

  it('prints the expiry of a cookie as a local time', async () => {
    const cookie = { name: 'sid', value: 'x', domain: 'shop.test', path: '/' };
    const cookies = [
      { ...cookie, expires: new Date(2099, 0, 2, 3, 4, 5).toISOString() },
      { ...cookie, expires: 'session' },
    ];
    const { out } = await run('cookies', daemon(says(JSON.stringify({ cookies }))).wiring);
    expect(out).toMatch(/ 2099-01-02 03:04:05\n.* session$/);
  });

  it('names the command that prints a stored result', async () => {
    const stored = { output_handle: 'oh_A', size_bytes: 9, fetch_with: 'oc_output_fetch' };
    const { out } = await run('read', daemon(says(JSON.stringify(stored))).wiring);
    expect(out).toContain('openchrome output show oh_A');
    expect(out).not.toContain('oc_output_fetch');
  });

  it('prints a stored result as it is, without the numbers of its page', async () => {
    const page = { output_handle: 'oh_A', offset: 0, total: 9, next_offset: null, eof: true };
    const stored = async (content: unknown): Promise<string> => {
      const callStored = () => Promise.resolve(says(JSON.stringify({ ...page, content })));
      return (await run('output show oh_A', { callStored })).out;
    };
    expect(await stored('# Shop\n\nTwo books')).toBe('# Shop\n\nTwo books');
    expect(await stored(['one', { two: 2 }])).toBe('one\n{"two":2}');
    expect(await stored({ pages: [] })).toBe('{"pages":[]}');
  });

  it('shows only a part of the reply if the command is about that part', async () => {
    const events = '[{"ts":1,"kind":"started"},{"ts":2,"kind":"progress","data":{"done":3}}]';
    const { wiring } = daemon(says(`{"meta":{},"events_tail":${events}}`));
    expect(await run('tasks logs 1a1e2b3c4d5e6f70 --json', wiring)).toMatchObject({ out: events });
    expect((await run('tasks logs 1a1e2b3c4d5e6f70', wiring)).out).toMatch(
      /^1970-01-01 \S+ {2}started\n1970-01-01 \S+ {2}progress {2}3$/,
    );
  });
});

describe('the skill for agents', () => {
  it('begins with its name and description, and names commands that there are', async () => {
    const { status, out } = await run('skill');
    expect(status).toBe(0);
    expect(out).toMatch(/^---\nname: openchrome\ndescription: [^:\n]{50,}\n---\n/);
    expect(out).toContain('- `openchrome click <target>`');
  });
});

describe('version', () => {
  it.each(['version', '--version', '-v'])('is printed by %s', async (argv) => {
    expect(await run(argv)).toMatchObject({ status: 0, out: '0.0.0-dev', err: '' });
  });
});

describe('serve', () => {
  it('hands its flags on as they were written', async () => {
    const flags = [
      '--http',
      '0',
      '--chrome-arg=--mute-audio',
      '--chrome-arg',
      '--lang=de',
      '--no-sandbox',
    ];
    expect((await run(`serve ${flags.join(' ')}`)).served).toEqual([flags]);
  });
});

describe('doctor', () => {
  it('prints a line for every check, with the fix if one is needed', async () => {
    const { status, out } = await run('doctor');
    expect(status).toBe(0);
    expect(out).toMatchInlineSnapshot(`
      "ok    node    Node 22.12.0
      warn  fonts   No fonts were found.
                    fix: Install a font package.
      ok    daemon  not running; the next command starts it

      2 ok, 1 to look at, 0 failed"
    `);
  });

  it('prints JSON on request, and fails if a check fails', async () => {
    const findings: Finding[] = [
      { id: 'chrome', status: 'fail', message: 'No Chrome.', fix: 'openchrome install-browser' },
    ];
    const { status, out } = await run('doctor --json', { runDoctor: async () => findings });
    expect(status).toBe(1);
    expect(JSON.parse(out)).toEqual([...findings, expect.objectContaining({ id: 'daemon' })]);
  });

  it('checks with the given flags', async () => {
    let chromePath: string | undefined;
    await run('doctor --json --chrome-path /opt/chrome', {
      runDoctor: async (config) => ((chromePath = config.chromePath), []),
    });
    expect(chromePath).toBe('/opt/chrome');
  });
});

describe('install-browser', () => {
  it('prints progress on stderr and the result on stdout', async () => {
    expect(await run('install-browser')).toMatchObject({
      status: 0,
      err: '50 %',
      out: '/browsers/chrome',
    });
    expect(await run('install-browser --json')).toMatchObject({
      out: '{"path":"/browsers/chrome","product":"chrome","source":"installed"}',
    });
  });
});

describe('failures', () => {
  it('is the structured failure on stdout with --json, with the status of the failure table', async () => {
    const failing = {
      installBrowser: () => Promise.reject(fail('chrome_not_found', 'No internet.')),
    };
    const result = await run('install-browser --json', failing);
    expect(result).toMatchObject({ status: 3, err: '' });
    expect(errorIn(result)).toMatchObject({
      code: 'chrome_not_found',
      message: 'No internet.',
      retryable: false,
    });
  });

  it('is a sentence on stderr', async () => {
    const failing = {
      installBrowser: () =>
        Promise.reject(fail('chrome_not_found', 'No internet.', { hint: 'Connect.' })),
    };
    expect(await run('install-browser', failing)).toMatchObject({
      status: 3,
      out: '',
      err: 'error: No internet. (chrome_not_found)\n  Connect.',
    });
  });

  it('may be an unknown command: the closest is named', async () => {
    const result = await run('docter --json');
    expect(result.status).toBe(2);
    expect(errorIn(result)).toMatchObject({
      code: 'invalid_argument',
      message: 'There is no command "docter"; did you mean doctor?',
    });
    expect(errorIn(result).commands).toContain('serve');
    for (const words of ['clik e1', 'browser clik e1'])
      expect((await failureOf(words)).message).toBe(
        'There is no command "clik"; did you mean click?',
      );
    expect((await failureOf('get')).message).toBe(
      'openchrome get needs a command: url, title, text, html, value, attr, count.',
    );
  });

  it('may be an unknown flag: the closest is named', async () => {
    const result = await run('doctor --json --chrome-pth x');
    expect(result.status).toBe(2);
    expect(errorIn(result).message).toContain('did you mean --chrome-path?');
    expect((await failureOf('open x --wait-untill load')).message).toContain(
      'did you mean --wait-until?',
    );
  });

  it('may be an argument that a command does not take', async () => {
    expect(await run('install-browser firefox')).toMatchObject({ status: 2 });
    expect(await run('install-browser --fast')).toMatchObject({ status: 2 });
  });

  it('may be a defect: it has an id and no stack trace', async () => {
    const result = await run('doctor --json', {
      runDoctor: () => Promise.reject(new Error('secret detail')),
    });
    expect(result.status).toBe(1);
    expect(errorIn(result)).toMatchObject({
      code: 'internal',
      log_id: expect.stringMatching(/^log_/),
    });
    expect(result.out).not.toContain('secret detail');
  });
});

describe('openchrome record open', () => {
  it('prints the replay of the newest recording, or of the given folder', async () => {
    const root = mkdtempSync(join(tmpdir(), 'openchrome-record-open-'));
    const home = resolveHome({ OPENCHROME_HOME: root });
    try {
      expect(errorIn(await run('record open --json', { home }))).toMatchObject({
        code: 'invalid_argument',
        message: 'There are no recordings in the home folder.',
      });
      for (const name of ['20261115-090000-aaaaaa', '20261116-090000-bbbbbb', 'notes']) {
        mkdirSync(join(home.recordings, name), { recursive: true });
        writeFileSync(join(home.recordings, name, 'replay.html'), '<!doctype html>');
      }
      const newest = join(home.recordings, '20261116-090000-bbbbbb', 'replay.html');
      expect((await run('record open', { home })).out).toBe(newest);
      const notes = join(home.recordings, 'notes');
      expect((await run(`record open ${notes}`, { home })).out).toBe(join(notes, 'replay.html'));
      expect((await run(`record open ${root}`, { home })).status).toBe(2);
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });
});

describe('openchrome secrets', () => {
  it('confirms hosts for secrets, lists them and takes them back', async () => {
    const root = mkdtempSync(join(tmpdir(), 'openchrome-secret-hosts-'));
    const home = resolveHome({ OPENCHROME_HOME: root });
    try {
      expect((await run('secrets list', { home }, true)).out).toBe(
        'No host is confirmed for a secret.',
      );
      expect((await run('secrets allow PASSWORD Login.Example.com --json', { home })).out).toBe(
        '{"name":"PASSWORD","host":"login.example.com","allowed":true}',
      );
      await run('secrets allow PASSWORD localhost:3000', { home });
      expect((await run('secrets list', { home }, true)).out).toBe(
        'PASSWORD: login.example.com, localhost:3000',
      );
      expect((await run('secrets remove PASSWORD localhost:3000', { home }, true)).out).toBe(
        'PASSWORD is no longer filled into pages of localhost:3000.',
      );
      expect((await run('secrets list --json', { home })).out).toBe(
        '{"PASSWORD":["login.example.com"]}',
      );
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });

  it.each([
    'secrets allow',
    'secrets allow PASSWORD',
    'secrets allow PASSWORD https://a.test',
    'secrets allow a$b a.test',
    'secrets allow A a.test b',
  ])('rejects "%s"', async (words) => {
    expect((await run(words)).status).toBe(2);
  });
});
