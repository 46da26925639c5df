// Real servers to be treated badly: the program as it is shipped, over HTTP, on a home of the
// test's own, with everything counted.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { FAILURES } from '../../src/core/failure.ts';
import { monotonicMs, sleep } from '../../src/core/time.ts';
import { processes } from '../launch/support.ts';
import { bundleOnce } from '../bundled-programs.ts';

/**
 * What a call came to: an answer, a structured failure, or nothing because the server went away
 * under it.
 */
export interface Outcome {
  readonly kind: 'ok' | 'failed' | 'gone';
  readonly code?: string;
  readonly text: string;
  readonly ms: number;
}

export interface Server {
  readonly pid: number;
  call(name: string, args?: object, session?: string): Promise<Outcome>;
  /** Like a power cut. */
  kill(): Promise<void>;
  /** In an orderly way. */
  stop(): Promise<void>;
  /** Resident memory in MiB and open files, of the server itself. */
  cost(): Promise<{ readonly mib: number; readonly files: number }>;
  readonly stderr: () => string;
}

export interface Servers {
  /** A new home folder. */
  home(): Promise<string>;
  start(home: string, options?: StartOptions): Promise<Server>;
}

interface StartOptions {
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export const useServers = (): Servers => {
  let folder = '';
  let file = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'openchrome-faults-'));
    file = await bundleOnce('src/index.ts', { OPENCHROME_VERSION: '"0.0.0-faults"' });
  });
  afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
  let homes = 0;
  return {
    home: async () => join(folder, `home-${++homes}`),
    start: (home, options) => startServer(file, home, options),
  };
};

const startServer = async (
  file: string,
  home: string,
  { flags = [], env = {} }: StartOptions = {},
): Promise<Server> => {
  const args = [file, '--http', '0', '--headless', '--isolated', '--log-level', 'error', ...flags];
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, OPENCHROME_HOME: home, ...env },
  });
  const gone = once(child, 'close');
  let stderr = '';
  child.stderr.on(
    'data',
    (chunk: Buffer) => (stderr = (stderr + chunk.toString()).slice(-100_000)),
  );
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await gone;
  });
  const url = await listening(child, () => stderr);
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await gone;
  };
  return {
    pid: child.pid ?? -1,
    stderr: () => stderr,
    call: (name, given, session) =>
      post(url, name, { ...(session === undefined ? {} : { session }), ...given }),
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    cost: async () => {
      const [, kib] =
        /VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${child.pid}/status`, 'utf8')) ?? [];
      return { mib: Number(kib) / 1024, files: (await readdir(`/proc/${child.pid}/fd`)).length };
    },
  };
};

const listening = (child: ChildProcess, stderr: () => string): Promise<string> =>
  new Promise((resolve, reject) => {
    child.stderr?.on('data', () => {
      const [, url] = /listening on (http:\S+)\n/.exec(stderr()) ?? [];
      if (url) resolve(url);
    });
    child.once('close', () => reject(new Error(`the server ended: ${stderr()}`)));
  });

const post = async (url: string, name: string, args: object): Promise<Outcome> => {
  const startedAt = monotonicMs();
  const outcome = (kind: Outcome['kind'], text: string, code?: string): Outcome => ({
    kind,
    text,
    ms: monotonicMs() - startedAt,
    ...(code === undefined ? {} : { code }),
  });
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: args },
      }),
    });
    const { result } = (await response.json()) as {
      result?: { isError?: boolean; content: { text?: string }[] };
    };
    const text = result?.content[0]?.text ?? '';
    if (!result?.isError) return outcome('ok', text);
    const { error } = JSON.parse(text) as { error?: { code?: string } };
    return outcome('failed', text, error?.code);
  } catch {
    return outcome('gone', '');
  }
};

/** Whether a failure is one of ours, and no defect. */
export const isStructured = ({ kind, code }: Outcome): boolean =>
  kind !== 'failed' || (code !== undefined && code in FAILURES && code !== 'internal');

/** Whether no process with that word in its command line is left, given a little time to end. */
export const noneLeft = async (word: string, withinMs = 15_000): Promise<boolean> => {
  const until = monotonicMs() + withinMs;
  while (processes({ word }).length > 0) {
    if (monotonicMs() > until) return false;
    await sleep(50);
  }
  return true;
};
