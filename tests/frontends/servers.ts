// Servers to test against: the fixture (bundled once), or any other binary that is started the same
// way.
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { linuxStat } from '../../src/system/linux-process.ts';
import { resolveHome } from '../../src/core/home.ts';
import { stopDaemon } from '../../src/frontends/cli/daemon/control.ts';
import { bundleOnce } from '../bundled-programs.ts';

/** The file that `node` runs. */
export type ServerFile = string;

/**
 * The fixture server as it would be shipped: bundled, with what is loaded late in files of its own.
 */
export const fixtureServer = (): Promise<ServerFile> =>
  bundleOnce('tests/frontends/fixture-server.ts', { OPENCHROME_VERSION: '"1.2.3"' });

export interface Started {
  readonly process: ChildProcessWithoutNullStreams;
  /** All of stderr so far. */
  readonly stderr: () => string;
  readonly exited: Promise<number | null>;
}

/**
 * How what was started is ended: after the test by default, after all of them where they share it.
 */
export type OnEnd = (end: () => Promise<void>) => unknown;

export const start = (
  file: ServerFile,
  flags: readonly string[] = [],
  onEnd: OnEnd = onTestFinished,
): Started => {
  const child = spawn(process.execPath, [file, ...flags], { stdio: 'pipe' });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const exited = new Promise<number | null>(
    (resolve) => void child.once('close', (code) => resolve(code)),
  );
  onEnd(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  return { process: child, stderr: () => stderr, exited };
};

/** A home folder whose daemon, if one is started there, ends with it. */
export const makeDaemonHome = async (onEnd: OnEnd = onTestFinished): Promise<string> => {
  const root = await mkdtemp(join(tmpdir(), 'openchrome-daemon-'));
  onEnd(async () => {
    await stopDaemon(resolveHome({ OPENCHROME_HOME: root }));
    await rm(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });
  return root;
};

/** A zombie process still has its pid, but is not alive. */
export const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return linuxStat(pid)?.[0] !== 'Z';
  } catch {
    return false;
  }
};

export interface StartedHttp extends Started {
  readonly url: string;
  readonly port: number;
}

export const startHttp = async (
  file: ServerFile,
  flags: readonly string[] = [],
  onEnd?: OnEnd,
): Promise<StartedHttp> => {
  const started = start(file, ['--http', '0', ...flags], onEnd);
  const port = await new Promise<number>((resolve, reject) => {
    started.process.stderr.on('data', () => {
      const [, found] = /listening on http:\/\/\S+:(\d+)\/mcp\n/.exec(started.stderr()) ?? [];
      if (found) resolve(Number(found));
    });
    void started.exited.then(() => reject(new Error(`the server ended: ${started.stderr()}`)));
  });
  return { ...started, port, url: `http://127.0.0.1:${port}` };
};

/** The lines that a process on stdio has written, parsed as they come. */
export const linesOf = (
  child: ChildProcessWithoutNullStreams,
): { next: () => Promise<Record<string, unknown>>; all: () => string[] } => {
  const lines: string[] = [];
  const waiting: ((line: string) => void)[] = [];
  let rest = '';
  let read = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    const parts = (rest + chunk.toString()).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
    while (waiting.length > 0 && read < lines.length) waiting.shift()?.(lines[read++] ?? '');
  });
  return {
    all: () => [...lines],
    next: async () => {
      const line = read < lines.length ? lines[read++] : undefined;
      return JSON.parse(
        line ?? (await new Promise<string>((resolve) => waiting.push(resolve))),
      ) as Record<string, unknown>;
    },
  };
};
