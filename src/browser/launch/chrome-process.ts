// The processes of one Chrome: started as a group of their own, talked to over a pipe, and ended to
// the last one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { fail } from '../../core/failure.ts';
import { abortable, after } from '../../core/time.ts';
import { createPipeTransport } from '../cdp/pipe.ts';
import type { Transport } from '../cdp/transport.ts';
import { collectTail } from './output-tail.ts';
import { endGroup, groupGone, signalGroup } from '../../system/process-group.ts';

export interface ChromeProcess {
  readonly pid: number;
  readonly transport: Transport;
  /** Resolves with the reason when the main process has ended. */
  readonly exited: Promise<string>;
  /** Resolves when nothing more will come on its stderr either. */
  readonly silent: Promise<unknown>;
  /** The end of what it wrote to stderr. */
  stderr(): string;
}

interface ChromeCommand {
  readonly path: string;
  readonly flags: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * A group of its own lets us signal all of Chrome at once; the pipe ends it when we die, so that it
 * never outlives us.
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
  child.on('error', () => {}); // a signal that could not be sent; what counts is whether it exits
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
      reasonOf(code as number | null, signal as string | null),
    ),
    silent: once(child, 'close'),
    stderr: collectTail(stderr),
  };
};

const reasonOf = (code: number | null, signal: string | null): string =>
  signal === null ? `it exited with status ${code}` : `it was ended by ${signal}`;

const CLOSE_MS = 3000;
const TERM_MS = 1500;
const STRAGGLER_MS = 2000;

/** Larger than any id that a connection will ever have used. */
const CLOSE_COMMAND = JSON.stringify({ id: 2_000_000_000, method: 'Browser.close' });

/**
 * Ends Chrome: politely, so that it saves its data, then less so. Resolves when its main process is
 * gone.
 */
export const endProcess = async ({ pid, transport, exited }: ChromeProcess): Promise<void> => {
  transport.send(CLOSE_COMMAND);
  if (await happensWithin(CLOSE_MS, exited)) return;
  signalGroup(pid, 'SIGTERM');
  if (await happensWithin(TERM_MS, exited)) return;
  signalGroup(pid, 'SIGKILL');
  await happensWithin(TERM_MS, exited);
};

/**
 * After the main process: its children follow by themselves, mostly; they get a moment to write
 * what they hold.
 */
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

/** Resolves when Chrome is silent, or after `ms`. */
export const isSilentWithin = (ms: number, { silent }: ChromeProcess): Promise<boolean> =>
  happensWithin(ms, silent);
