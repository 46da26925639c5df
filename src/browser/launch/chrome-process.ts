// Starts Chrome as a process group, connects to it over a pipe, and ends all its processes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { fail } from '../../core/failure.ts';
import { abortable, after } from '../../core/time.ts';
import { createPipeTransport } from '../cdp/pipe.ts';
import type { Transport } from '../cdp/connection.ts';
import { collectTail } from './launch-failure.ts';
import { endGroup, groupGone, signalGroup } from '../../system/process-identity.ts';

export interface ChromeProcess {
  readonly pid: number;
  readonly transport: Transport;
  /** Resolves with the reason when the main process has ended. */
  readonly exited: Promise<string>;
  /** Resolves when stderr is closed. */
  readonly silent: Promise<unknown>;
  /** The end of its stderr output. */
  stderr(): string;
}

interface ChromeCommand {
  readonly path: string;
  readonly flags: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * A process group lets us signal all of Chrome at once. Chrome exits when the pipe closes, so that
 * it never outlives this process.
 */
export const startProcess = async ({
  path,
  flags,
  cwd,
  env,
}: ChromeCommand): Promise<ChromeProcess> => {
  const detached = process.platform !== 'win32';
  const child = spawn(path, flags, {
    cwd,
    env,
    detached,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
    windowsHide: true,
  });
  if (child.pid === undefined) {
    const [error] = (await once(child, 'error')) as [Error];
    throw fail(
      'chrome_launch_failed',
      `${path} could not be started: ${error.message}`,
      { path },
      error,
    );
  }
  child.on('error', () => {}); // a signal could not be sent; only the exit matters
  const [, , stderr, input, output] = child.stdio as unknown as [
    null,
    null,
    Readable,
    Writable,
    Readable,
  ];
  return {
    pid: child.pid,
    transport: createPipeTransport(input, output),
    exited: once(child, 'exit').then(([code, signal]) =>
      describeExit(code as number | null, signal as string | null),
    ),
    silent: once(child, 'close'),
    stderr: collectTail(stderr),
  };
};

const describeExit = (code: number | null, signal: string | null): string =>
  signal === null ? `it exited with status ${code}` : `it was ended by ${signal}`;

const CLOSE_MS = 3000;
const TERM_MS = 1500;
const STRAGGLER_MS = 2000;

/** Larger than any message id of a connection. */
const CLOSE_COMMAND = JSON.stringify({ id: 2_000_000_000, method: 'Browser.close' });

/**
 * Ends Chrome: first with Browser.close, so that it saves its data, then with signals. Resolves
 * when the main process has ended.
 */
export const endProcess = async ({ pid, transport, exited }: ChromeProcess): Promise<void> => {
  transport.send(CLOSE_COMMAND);
  if (await happensWithin(CLOSE_MS, exited)) return;
  signalGroup(pid, 'SIGTERM');
  if (await happensWithin(TERM_MS, exited)) return;
  signalGroup(pid, 'SIGKILL');
  await happensWithin(TERM_MS, exited);
};

/** Waits for the child processes after the main process has ended, then kills the rest. */
export const endStragglers = async ({ pid }: ChromeProcess): Promise<void> => {
  if (!(await groupGone(pid, STRAGGLER_MS))) await endGroup(pid, 0);
};

const happensWithin = async (ms: number, event: Promise<unknown>): Promise<boolean> => {
  const controller = new AbortController();
  const timer = after(ms, () => controller.abort(new Error('too late')));
  try {
    await abortable(event, controller.signal);
    return true;
  } catch {
    return false;
  } finally {
    timer[Symbol.dispose]();
  }
};

/** Resolves when stderr is closed, or after `ms`. */
export const isSilentWithin = (ms: number, { silent }: ChromeProcess): Promise<boolean> =>
  happensWithin(ms, silent);
