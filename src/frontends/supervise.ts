// After a crash, this process stops its engine and only runs the program again as a child.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { monotonicMs } from '../core/time.ts';

/** The exit status by which a supervised process asks to be started again (EX_TEMPFAIL). */
const RESTART_STATUS = 75;
const MARK = 'OPENCHROME_SUPERVISED';

/** A program that crashes more often than this has a defect that a restart does not cure. */
const MAX_RESTARTS = 5;
const PERIOD_MS = 60_000;

export interface Continuation {
  /** Further arguments for the next process. */
  readonly args?: readonly string[];
  /** Bytes of stdin that were read before the crash and belong to the next process. */
  readonly rest?: Buffer;
}

/** Sent between the supervisor and its child: bytes of stdin, in base64. */
interface Handover {
  readonly rest: string;
}

/** Whether the parent of this process is the supervisor. */
const isSupervised = (): boolean => process.env[MARK] === String(process.ppid) && process.connected;

/**
 * In a restarted process, the bytes of stdin that the crashed one had read; undefined in any other
 * process.
 */
export const receiveHandover = async (): Promise<Buffer | undefined> => {
  if (!isSupervised()) return undefined;
  const [message] = (await once(process, 'message')) as [Handover];
  process.channel?.unref();
  return Buffer.from(message.rest, 'base64');
};

/** Calls back if this process is supervised and its supervisor ends. */
export const onSupervisorGone = (stop: () => void): void => {
  if (isSupervised()) process.once('disconnect', stop);
};

/**
 * Starts the program again: by the supervisor if there is one, else this process becomes the
 * supervisor. Never returns.
 */
export const restart = async (next: Continuation): Promise<never> => {
  const handover: Handover = { rest: (next.rest ?? Buffer.alloc(0)).toString('base64') };
  if (!isSupervised()) return supervise(next.args ?? [], handover);
  await new Promise((sent) => process.send?.(handover, sent));
  return process.exit(RESTART_STATUS);
};

const supervise = async (args: readonly string[], first: Handover): Promise<never> => {
  const starts: number[] = [];
  for (let handover = first; ;) {
    const { status, rest } = await run(args, handover);
    if (status !== RESTART_STATUS) return process.exit(status);
    starts.push(monotonicMs());
    const [oldest = 0] = starts.slice(-MAX_RESTARTS);
    if (starts.length >= MAX_RESTARTS && monotonicMs() - oldest < PERIOD_MS) return giveUp();
    handover = { rest };
  }
};

const giveUp = (): never => {
  process.stderr.write(
    `openchrome error: the engine crashed ${MAX_RESTARTS} times within a minute ` +
      'and is not started again\n',
  );
  return process.exit(1);
};

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs the program until it ends. Signals are passed on; after one it is not started again. */
const run = async (
  further: readonly string[],
  handover: Handover,
): Promise<{ readonly status: number } & Handover> => {
  const child = start(further);
  let rest = '';
  let isEnding = false;
  child.once('message', (message: Handover) => ({ rest } = message));
  for (const signal of SIGNALS) {
    // those of the engine that has stopped, or of the last child
    process.removeAllListeners(signal);
    process.on(signal, () => {
      isEnding = true;
      child.kill(signal);
    });
  }
  // a child that ended before it could receive this is noticed by its exit
  child.send(handover, () => {});
  const [code] = (await once(child, 'exit').catch(() => [1])) as [number | null];
  return { status: isEnding ? 0 : (code ?? 1), rest };
};

const start = (further: readonly string[]): ChildProcess => {
  const [, file = '', ...args] = process.argv;
  return spawn(process.execPath, [...process.execArgv, file, ...args, ...further], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, [MARK]: String(process.pid) },
    windowsHide: true,
  });
};
