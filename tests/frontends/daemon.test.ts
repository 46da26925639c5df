// The daemon behind the command line: one for each home, found again, replaced when it is dead,
// torn or old, and gone when it is not needed.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect, createServer as createRelay } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { resolveConfig } from '../../src/core/config.ts';
import type { Failure, FailureBody } from '../../src/core/failure.ts';
import { resolveHome } from '../../src/core/home.ts';
import { launchDaemon } from '../../src/frontends/cli/daemon/ensure-daemon.ts';
import type { DaemonNote } from '../../src/store/config/daemon-file.ts';
import { alive, makeDaemonHome, type OnEnd } from './servers.ts';
import { serveSite } from './shell.ts';

const BINARY =
  process.env['OPENCHROME_BINARY'] ??
  fileURLToPath(new URL('../../dist/index.js', import.meta.url));

beforeAll(() => {
  if (!existsSync(BINARY)) throw new Error('Run "npm run build" first.');
});

interface Run {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface TestHome {
  readonly root: string;
  /** Runs the binary in this home. */
  run(...args: string[]): Promise<Run>;
  /** The JSON of a command that must succeed. */
  json<T = Record<string, unknown>>(...args: string[]): Promise<T>;
  /** The failure of a command that must fail, and its exit status. */
  failure(...args: string[]): Promise<FailureBody['error'] & { status: number }>;
  note(): Promise<DaemonNote>;
  /** The note of the running daemon, which is started if daemon.json does not exist. */
  running(): Promise<DaemonNote>;
  writeNote(change: object): Promise<void>;
}

const useHome = async (onEnd: OnEnd = onTestFinished): Promise<TestHome> => {
  const root = await makeDaemonHome(onEnd);
  const file = join(root, 'daemon.json');
  const run = (...args: string[]): Promise<Run> =>
    new Promise((resolve) => {
      const settings = {
        cwd: root,
        env: { ...process.env, OPENCHROME_HEADLESS: '1', OPENCHROME_HOME: root },
      };
      execFile(process.execPath, [BINARY, ...args], settings, (error, stdout, stderr) =>
        resolve({
          status: typeof error?.code === 'number' ? error.code : error ? 255 : 0,
          stdout,
          stderr,
        }),
      );
    });
  const note = async (): Promise<DaemonNote> =>
    JSON.parse(await readFile(file, 'utf8')) as DaemonNote;
  const json = async <T>(...args: string[]): Promise<T> => {
    const { status, stdout, stderr } = await run(...args, '--json');
    if (status !== 0) throw new Error(`${args.join(' ')}: ${status} ${stdout} ${stderr}`);
    return JSON.parse(stdout) as T;
  };
  return {
    root,
    run,
    note,
    json,
    running: async () => {
      if (!existsSync(file)) await json(...ASK);
      return note();
    },
    failure: async (...args) => {
      const { status, stdout, stderr } = await run(...args, '--json');
      if (status === 0) throw new Error(`${args.join(' ')} succeeded: ${stdout} ${stderr}`);
      return { ...(JSON.parse(stdout) as FailureBody).error, status };
    },
    writeNote: async (change) => writeFile(file, JSON.stringify({ ...(await note()), ...change })),
  };
};

/** Something that only reads what is known: no Chrome is started for it. */
const ASK = ['call', 'tabs_context'] as const;
const NEW_TAB = ['call', 'tabs', '--action', 'new'] as const;

/** The home of the cases that do not need an unused one: they start few daemons. */
let shared: TestHome;
const ends: (() => Promise<void>)[] = [];
beforeAll(async () => {
  shared = await useHome((end) => ends.push(end));
  if (process.platform === 'win32') return;
  hung = callHungDaemon();
  hung.catch(() => {}); // its test reports the error
});
afterAll(async () => {
  for (const end of ends) await end();
});

/** A command waits for half a minute for a daemon that hangs: the other cases run meanwhile. */
let hung: ReturnType<typeof callHungDaemon>;
const callHungDaemon = async () => {
  const home = await useHome((end) => ends.push(end));
  const { pid } = await home.running();
  process.kill(pid, 'SIGSTOP');
  ends.unshift(async () => void process.kill(pid, 'SIGCONT'));
  const failures = await Promise.all([home.failure(...ASK), home.failure('daemon', 'status')]);
  return { pid, failures };
};

interface Health {
  readonly chrome: { readonly pid: number };
  readonly server: { readonly pid: number };
}

describe('a command', () => {
  it('starts a missing daemon, and the next command finds it', async () => {
    const home = await useHome();
    expect(await home.json(...ASK)).toMatchObject({ session: 'default', tabs: [] });
    const { pid, port, token } = await home.note();
    expect(alive(pid)).toBe(true);
    expect({ port, token }).toEqual({
      port: expect.any(Number),
      token: expect.stringMatching(/^[\w-]{43}$/),
    });
    if (process.platform !== 'win32')
      expect((await stat(join(home.root, 'daemon.json'))).mode & 0o777).toBe(0o600);
    await home.json(...ASK);
    expect(await home.json('call', 'oc_connection_health')).toMatchObject({ server: { pid } });
  });

  it.skipIf(process.platform !== 'linux')('needs one request if the daemon runs', async () => {
    const home = shared;
    const { port } = await home.running();
    const heads: string[] = [];
    const relay = createRelay((client) => {
      const server = connect(port, '127.0.0.1');
      client.on('data', (data: Buffer) => {
        heads.push(...(data.toString('latin1').match(/^(?:GET|POST) \S+/gm) ?? []));
        server.write(data);
      });
      server.pipe(client);
      for (const socket of [client, server])
        socket
          .on('close', () => {
            client.destroy();
            server.destroy();
          })
          .on('error', () => {});
    });
    await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void relay.close());
    await home.writeNote({ port: (relay.address() as AddressInfo).port });
    expect(await home.json(...ASK)).toMatchObject({ session: 'default' });
    expect(heads).toEqual(['POST /mcp']);
    await home.writeNote({ port });
  });

  it('starts one daemon although several commands start at the same time', async () => {
    const home = await useHome();
    const answers = await Promise.all(Array.from({ length: 4 }, () => home.json(...ASK)));
    expect(answers).toHaveLength(4);
    const starts = (await readFile(join(home.root, 'daemon.log'), 'utf8')).match(/daemon ready/g);
    expect(starts).toHaveLength(1);
  });

  it('fails if the running daemon has other settings than its flags, and names the fix', async () => {
    const home = await useHome();
    await home.json('daemon', 'start', '--viewport', '800x600');
    expect(await home.run(...ASK)).toMatchObject({ status: 0, stderr: '' });
    for (const words of [ASK, ['daemon', 'start']])
      expect(await home.failure(...words, '--viewport', '1000x700')).toMatchObject({
        code: 'daemon_settings_mismatch',
        message:
          'The running daemon has other settings: --viewport is "800x600" there and "1000x700" here.',
        hint: expect.stringContaining('openchrome daemon restart --viewport 1000x700'),
        status: 3,
      });
  });

  it('is never served without the domain limits and secrets that its flags or the home file set', async () => {
    const home = await useHome();
    await home.json('daemon', 'start');
    expect(await home.failure(...ASK, '--allow-domains', 'example.com')).toMatchObject({
      code: 'daemon_settings_mismatch',
      settings: ['--allow-domains'],
    });
    await writeFile(
      join(home.root, 'openchrome.json'),
      '{"blockDomains": ["example.com"], "viewport": "900x700"}',
    );
    expect(await home.failure(...ASK)).toMatchObject({
      code: 'daemon_settings_mismatch',
      settings: ['--block-domains'],
    });
    await home.json('daemon', 'stop');
    expect(await home.json(...ASK)).toMatchObject({ session: 'default' });
  });

  it('reads and writes files in the folder of the caller, not of the daemon', async () => {
    const home = shared;
    const url = await serveSite((_, response) => void response.end('<h1>Shop</h1>'));
    await home.json('call', 'navigate', '--url', url);
    const folder = await mkdtemp(join(tmpdir(), 'openchrome-work-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const env = { ...process.env, OPENCHROME_HOME: home.root, OPENCHROME_HEADLESS: '1' };
    const shot = ['call', 'page_screenshot', '--path', 'page.png'];
    await new Promise<void>((resolve, reject) => {
      execFile(process.execPath, [BINARY, ...shot], { cwd: folder, env }, (error, stdout) =>
        error ? reject(new Error(stdout)) : resolve(),
      );
    });
    expect(await readdir(folder)).toEqual(['page.png']);
    // A user may write anywhere; the limits of folders apply to MCP clients only.
    const other = join(folder, 'other.png');
    expect(await home.json('call', 'page_screenshot', '--path', other)).toMatchObject({
      path: other,
    });
  });
});

describe('the files of a dead daemon', () => {
  it('are replaced after kill -9, and its Chrome has ended', async () => {
    const home = shared;
    await home.json(...NEW_TAB);
    const { chrome, server } = await home.json<Health>('call', 'oc_connection_health');
    process.kill(server.pid, 'SIGKILL');
    expect(await home.json(...NEW_TAB)).toMatchObject({ url: 'about:blank' });
    expect((await home.note()).pid).not.toBe(server.pid);
    await expect.poll(() => alive(chrome.pid), { timeout: 10_000 }).toBe(false);
  });

  it('is not taken for a daemon when its number is used by another process', async () => {
    const home = shared;
    const { pid } = await home.running();
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => alive(pid)).toBe(false);
    await home.writeNote({ pid: process.pid });
    expect(await home.failure('daemon', 'status')).toMatchObject({ code: 'no_daemon', status: 3 });
    expect(await home.json('daemon', 'stop')).toEqual({ stopped: false }); // and we still live
    await home.json(...ASK);
    expect((await home.note()).pid).not.toBe(process.pid);
  });

  it.each([
    ['torn', '{"version":1,"pid":12'],
    ['empty', ''],
    ['of another kind', '{"version":7,"hello":true}'],
  ])('are set aside if daemon.json is %s', async (_, text) => {
    const home = await useHome();
    await writeFile(join(home.root, 'daemon.json'), text);
    expect(await home.json(...ASK)).toMatchObject({ session: 'default' });
    const names = await readdir(home.root);
    const [aside = ''] = names.filter((name) => name.startsWith('daemon.json.corrupt-'));
    expect(await readFile(join(home.root, aside), 'utf8')).toBe(text);
  });

  it('are set aside if daemon.json is a folder', async () => {
    const home = await useHome();
    await mkdir(join(home.root, 'daemon.json'));
    expect(await home.json(...ASK)).toMatchObject({ session: 'default' });
  });

  it('are not trusted if another process listens on its port: neither token nor call is sent there', async () => {
    const home = shared;
    const { pid, token } = await home.running();
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => alive(pid)).toBe(false);
    const heard: string[] = [];
    const stranger = createServer((request, response) => {
      heard.push(JSON.stringify([request.method, request.url, request.headers]));
      request.on('data', (chunk: Buffer) => heard.push(chunk.toString()));
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({
          proof: 'f'.repeat(64),
          stopping: false,
          jsonrpc: '2.0',
          id: 1,
          result: { content: [] },
        }),
      );
    });
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void stranger.close());
    await home.writeNote({ port: (stranger.address() as AddressInfo).port });
    expect(await home.json(...ASK)).toMatchObject({ session: 'default' });
    expect(heard.length).toBeGreaterThan(0);
    expect(heard.join('\n')).not.toContain(token);
    expect(heard.join('\n')).not.toContain('tabs_context');
  });
});

const OLDER = { version: '0.0.1', entry: join(tmpdir(), 'older', 'index.js') };

describe('a daemon of another version', () => {
  it.each([
    ['of another version', OLDER],
    ['built before', { modified_ms: 1 }],
  ])('makes room when it is %s and has nothing to do', async (_, change) => {
    const home = shared;
    const { pid, program } = await home.running();
    await home.writeNote({ program: { ...program, ...change } });
    expect(await home.json(...ASK)).toMatchObject({ session: 'default' });
    expect(alive(pid)).toBe(false);
    expect(await home.note()).toMatchObject({ program });
  });

  it('is not stopped while it has other clients: the command fails and reports it', async () => {
    const home = shared;
    await home.json(...NEW_TAB);
    const { pid, program } = await home.note();
    const working = home.run('call', 'wait_for', '--text', 'never', '--timeout-ms', '60000');
    await expect.poll(async () => (await home.json('daemon', 'status'))['calls']).toBe(1);
    await home.writeNote({ program: { ...program, ...OLDER } });
    expect(await home.failure(...ASK)).toMatchObject({
      code: 'daemon_version_mismatch',
      status: 3,
      pid,
      daemon_version: '0.0.1',
      calls: 1,
      hint: expect.stringContaining('openchrome daemon stop'),
    });
    expect(alive(pid)).toBe(true);
    expect(await home.json('daemon', 'stop')).toEqual({ stopped: true, pid });
    expect((await working).stdout).toContain('"engine_stopped"');
  });
});

it('another copy of the same version is served by the daemon that runs', async () => {
  const home = shared;
  const { pid, program } = await home.running();
  await home.writeNote({
    program: { ...program, entry: join(tmpdir(), 'copy', 'index.js'), modified_ms: 1 },
  });
  expect(await home.json('call', 'oc_connection_health')).toMatchObject({ server: { pid } });
  await home.writeNote({ program });
});

describe('openchrome daemon', () => {
  it('starts, reports its status, and stops with its Chrome', async () => {
    const home = await useHome();
    const { pid, port } = await home.json<{ pid: number; port: number }>('daemon', 'start');
    expect(await home.json('daemon', 'start')).toMatchObject({ started: false, pid, port });
    await home.json(...NEW_TAB, '--session', 'work');
    const status = await home.json<Health & Record<string, unknown>>('daemon', 'status');
    expect(status).toMatchObject({
      running: true,
      pid,
      port,
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      uptime_seconds: expect.any(Number),
      sessions: ['work'],
      tabs: 1,
      tasks: 0,
      memory_mb: expect.any(Number),
      chrome: { state: 'running', headless: true },
    });
    expect(JSON.stringify(status)).not.toContain((await home.note()).token);
    expect(await home.json('daemon', 'stop')).toEqual({ stopped: true, pid });
    expect([alive(pid), alive(status.chrome.pid)]).toEqual([false, false]);
    expect(existsSync(join(home.root, 'daemon.json'))).toBe(false);
    expect((await home.run('daemon', 'logs', '--lines', '1')).stdout).toMatch(
      /^\S+Z daemon ends: stop was requested\n$/,
    );
  });

  it('reports that there is nothing to stop or show if none runs', async () => {
    const home = await useHome();
    expect(await home.json('daemon', 'stop')).toEqual({ stopped: false });
    expect(await home.failure('daemon', 'status')).toMatchObject({ code: 'no_daemon', status: 3 });
    expect(await home.run('daemon', 'logs')).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  it.skipIf(process.platform === 'win32')(
    'ends in an orderly way when it gets SIGTERM',
    async () => {
      const home = shared;
      await home.json(...NEW_TAB);
      const { chrome, server } = await home.json<Health>('call', 'oc_connection_health');
      process.kill(server.pid, 'SIGTERM');
      await expect
        .poll(() => [alive(server.pid), alive(chrome.pid)], { timeout: 10_000 })
        .toEqual([false, false]);
      expect(existsSync(join(home.root, 'daemon.json'))).toBe(false);
    },
  );

  it('is not run by hand', async () => {
    const home = await useHome();
    expect(await home.failure('daemon', 'run')).toMatchObject({
      code: 'invalid_argument',
      status: 2,
    });
  });

  it('reports why it does not start, with the original reason', async () => {
    const home = await useHome();
    expect(await home.failure('daemon', 'start', '--secrets', 'missing.env')).toMatchObject({
      message: expect.stringContaining('missing.env'),
    });
    expect(await home.failure('daemon', 'start', '--hedless')).toMatchObject({
      code: 'invalid_argument',
      status: 2,
    });
    expect(existsSync(join(home.root, 'daemon.json'))).toBe(false);
  });

  it('shows its last lines when it ends before it is ready', async () => {
    const root = await makeDaemonHome();
    const entry = join(root, 'broken.mjs');
    await writeFile(entry, 'console.error("out of luck"); process.exit(7);');
    const started = launchDaemon({
      home: resolveHome({ OPENCHROME_HOME: root }),
      config: resolveConfig({}),
      environment: '',
      entry,
    });
    const failure = await started.catch((error: unknown) => error as Failure);
    expect(failure).toMatchObject({
      code: 'daemon_start_failed',
      message: expect.stringContaining('it ended with status 7'),
    });
    expect((failure as Failure).details['log']).toEqual(['out of luck']);
  });
});

/** These cases wait for seconds, so they run at the same time. */
describe.concurrent('a daemon that hangs or is not needed', () => {
  it.skipIf(process.platform === 'win32')(
    'is waited for when it is only slow',
    async ({ expect, onTestFinished }) => {
      const home = await useHome(onTestFinished);
      await home.json(...ASK);
      const { pid } = await home.note();
      process.kill(pid, 'SIGSTOP');
      const answer = home.json(...ASK);
      await expect
        .poll(() => existsSync(join(home.root, 'daemon.json.lock')), { timeout: 30_000 })
        .toBe(true); // the command looks closer
      process.kill(pid, 'SIGCONT');
      expect(await answer).toMatchObject({ session: 'default' });
      expect((await home.note()).pid).toBe(pid);
    },
  );

  it.skipIf(process.platform === 'win32')(
    'is reported when it does not answer',
    async ({ expect }) => {
      const { pid, failures } = await hung;
      const unresponsive = { code: 'daemon_unresponsive', pid, status: 3 };
      expect(failures).toMatchObject([unresponsive, unresponsive]);
    },
  );

  it.skipIf(process.platform === 'win32')(
    'is killed by stop when it does not answer',
    async ({ expect, onTestFinished }) => {
      const home = await useHome(onTestFinished);
      const { pid } = await home.running();
      process.kill(pid, 'SIGSTOP');
      expect(await home.json('daemon', 'stop')).toEqual({ stopped: true, pid, killed: true });
      expect(alive(pid)).toBe(false);
    },
  );

  it('ends by itself when nothing has been done for its time', async ({
    expect,
    onTestFinished,
  }) => {
    const home = await useHome(onTestFinished);
    // Long enough for the command that starts it to read its status, also on a busy machine.
    const idle = ['--daemon-idle-seconds', '4'];
    const { pid } = await home.json<{ pid: number }>('daemon', 'start', ...idle);
    await expect.poll(() => alive(pid), { timeout: 30_000 }).toBe(false);
    expect(existsSync(join(home.root, 'daemon.json'))).toBe(false);
    expect((await home.run('daemon', 'logs')).stdout).toContain('daemon ends: no work for 4 s');
  });

  it('ends when its daemon.json is removed', async ({ expect, onTestFinished }) => {
    const home = await useHome(onTestFinished);
    await home.json('daemon', 'start');
    const { pid } = await home.note();
    await rm(join(home.root, 'daemon.json'));
    await expect.poll(() => alive(pid), { timeout: 20_000 }).toBe(false);
  });
});
