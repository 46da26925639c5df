// A user at a shell: the built command in a home of its own, in pipes and in real pseudo-terminals.
import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawn as spawnTerminal } from '@lydell/node-pty';
import { onTestFinished } from 'vitest';
import { compact } from '../../src/core/defined.ts';
import type { FailureBody } from '../../src/core/failure.ts';
import type { DaemonNote } from '../../src/store/config/daemon-file.ts';
import { makeDaemonHome, type OnEnd } from './servers.ts';

export const BINARY =
  process.env['OPENCHROME_BINARY'] ??
  fileURLToPath(new URL('../../dist/index.js', import.meta.url));

/** Printed by the shell after the line. */
const END_MARK = '<end of the line>';

export interface Run {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface TerminalOptions {
  readonly columns?: number;
  readonly env?: NodeJS.ProcessEnv;
}

export type ShellUser = Awaited<ReturnType<typeof createShellUser>>;

/** `ends` collects what must be undone at the end of the test file. */
export const createShellUser = async (onEnd: OnEnd = onTestFinished) => {
  if (!existsSync(BINARY)) throw new Error('Run "npm run build" first.');
  const home = await makeDaemonHome(onEnd);
  const folder = await mkdtemp(join(tmpdir(), 'openchrome-cli-'));
  onEnd(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'bin'));
  await symlink(BINARY, join(folder, 'bin', 'openchrome'));

  // The test runner sets the first two for its own output. bash warns about a language in LC_ALL that
  // the machine does not have, but not about one in LANG.
  const { FORCE_COLOR: _, NO_COLOR: __, LC_ALL, LANG, ...others } = process.env;
  const inherited = { ...others, ...compact({ LANG: LC_ALL || LANG }) };

  /** HOME is empty, so that no file of this machine's user counts. */
  const environment = (over: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
    ...inherited,
    HOME: home,
    PATH: `${join(folder, 'bin')}${delimiter}${process.env['PATH']}`,
    OPENCHROME_HEADLESS: '1',
    OPENCHROME_HOME: home,
    TZ: 'UTC',
    ...over,
  });

  const runFile = (
    file: string,
    args: readonly string[],
    { env = {}, cwd = folder }: { env?: NodeJS.ProcessEnv; cwd?: string } = {},
  ): Promise<Run> =>
    new Promise((resolve) => {
      const settings = { cwd, env: environment(env), maxBuffer: 64 * 1024 * 1024 };
      const child = execFile(file, args, settings, (error, stdout, stderr) =>
        resolve({
          status: typeof error?.code === 'number' ? error.code : error ? 255 : 0,
          stdout,
          stderr,
        }),
      );
      child.stdin?.end();
    });

  const run = (...args: string[]): Promise<Run> => runFile(process.execPath, [BINARY, ...args]);
  const bash = (line: string): Promise<Run> => runFile('bash', ['--norc', '-c', line]);

  /** What a command prints that must succeed, without the last line break. */
  const text = async (...args: string[]): Promise<string> => {
    const { status, stdout, stderr } = await run(...args);
    if (status !== 0) throw new Error(`${args.join(' ')}: ${status} ${stdout} ${stderr}`);
    return stdout.replace(/\n$/, '');
  };

  const json = async <T = Record<string, unknown>>(...args: string[]): Promise<T> =>
    JSON.parse(await text(...args, '--json')) as T;

  const failure = async (...args: string[]): Promise<FailureBody['error'] & { status: number }> => {
    const { status, stdout, stderr } = await run(...args, '--json');
    if (status === 0) throw new Error(`it succeeded: ${stdout} ${stderr}`);
    return { ...(JSON.parse(stdout) as FailureBody).error, status };
  };

  const note = async (): Promise<DaemonNote> =>
    JSON.parse(await readFile(join(home, 'daemon.json'), 'utf8')) as DaemonNote;

  /**
   * A line of a shell in a pseudo-terminal; `shown` is everything that it has printed. The terminal
   * stays open until everything was read: a closed one drops what is left.
   */
  const terminal = (line: string, { columns = 80, env = {} }: TerminalOptions = {}) => {
    const lines = `${line}\nstatus=$?; printf '${END_MARK}'; read -r _; exit $status`;
    const child = spawnTerminal('bash', ['--norc', '-c', lines], {
      name: 'xterm-256color',
      cols: columns,
      rows: 24,
      cwd: folder,
      env: environment(env),
    });
    let shown = '';
    child.onData((data) => {
      const hadEnded = shown.includes(END_MARK);
      shown += data;
      if (!hadEnded && shown.includes(END_MARK)) child.write('\n');
    });
    const ended = new Promise<number>((resolve) =>
      child.onExit(({ exitCode, signal }) => resolve(signal ? 128 + signal : exitCode)),
    );
    onTestFinished(async () => {
      child.kill('SIGKILL');
      await ended;
    });
    return {
      ended,
      shown: () => (shown.split(END_MARK)[0] ?? '').replaceAll('\r\n', '\n'),
      write: (keys: string) => child.write(keys),
    };
  };

  /** All that a terminal shows of a line that ends by itself. */
  const shown = async (line: string, options?: TerminalOptions): Promise<string> => {
    const started = terminal(line, options);
    await started.ended;
    return started.shown();
  };

  /** A command that continues until it is interrupted. */
  const begin = (...args: string[]) => {
    const child = spawn(process.execPath, [BINARY, ...args], {
      cwd: folder,
      env: environment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const ended = new Promise<number | null>((resolve) => void child.once('close', resolve));
    onTestFinished(async () => {
      child.kill('SIGKILL');
      await ended;
    });
    return {
      interrupt: () => child.kill('SIGINT'),
      ended,
      stdout: () => stdout,
      stderr: () => stderr,
      lines: () => stdout.split('\n').filter(Boolean),
    };
  };

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

  const countCalls = async (): Promise<unknown> => (await json('daemon', 'status'))['calls'];

  return {
    home,
    folder,
    environment,
    runFile,
    run,
    bash,
    text,
    json,
    failure,
    note,
    terminal,
    shown,
    begin,
    overMcp,
    countCalls,
  };
};

/** A site of one function; returns its origin. */
export const serveSite = async (
  handle: RequestListener,
  onEnd: OnEnd = onTestFinished,
): Promise<string> => {
  const site = createServer(handle);
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  onEnd(async () => {
    site.closeAllConnections();
    await new Promise((resolve) => site.close(resolve));
  });
  return `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
};
