// Ends a daemon: asks it to, waits until its process is gone, and kills it when it does not listen.
import { fail } from '../../../core/failure.ts';
import type { Processes } from '../../../system/process.ts';
import { Deadline, monotonicMs, sleep } from '../../../core/time.ts';
import type { DaemonNote } from '../../../store/config/daemon-file.ts';
import { STOP_PATH } from './paths.ts';
import { sendRequest } from './wire.ts';

/** Tasks and Chrome may take some seconds to end in order. */
const ORDERLY_MS = 20_000;
/** Between an answer and the end of the process there is next to nothing. */
const LAST_STEPS_MS = 5_000;
const LOOK_MS = 20;

/** `refused`: it has work to lose, and was only to end without. */
export type Ending =
  | { readonly outcome: 'ended' | 'killed' }
  | { readonly outcome: 'refused'; readonly work: object };

export const endDaemon = async (
  note: DaemonNote,
  processes: Processes,
  { ifIdle = false } = {},
): Promise<Ending> => {
  const refusal = await askToEnd(note, ifIdle);
  if (refusal) return { outcome: 'refused', work: refusal };
  if (await isGone(note, processes, LAST_STEPS_MS)) return { outcome: 'ended' };
  return killDaemon(note, processes);
};

/**
 * What it has to do, where that is why it does not end. One that does not answer is dealt with by
 * its process.
 */
const askToEnd = async (note: DaemonNote, ifIdle: boolean): Promise<object | undefined> => {
  using deadline = new Deadline(ORDERLY_MS);
  const path = ifIdle ? `${STOP_PATH}?if_idle` : STOP_PATH;
  const answer = await sendRequest(note, { method: 'DELETE', path, signal: deadline.signal }).catch(
    () => undefined,
  );
  const { error } = (answer?.body ?? {}) as { readonly error?: { readonly data?: object } };
  return error?.data;
};

/** For one that does not answer: its number alone would not do, since numbers are used again. */
export const killDaemon = async (note: DaemonNote, processes: Processes): Promise<Ending> => {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if ((await processes.stateOf(note)) !== 'running') return { outcome: 'ended' };
    process.kill(note.pid, signal);
    if (await isGone(note, processes, LAST_STEPS_MS)) return { outcome: 'killed' };
  }
  throw fail('daemon_unresponsive', `The daemon (process ${note.pid}) does not end.`, {
    pid: note.pid,
  });
};

/** Another process has no event for its end: it is looked at until then. */
export const isGone = async (
  note: DaemonNote,
  processes: Processes,
  withinMs: number,
): Promise<boolean> => {
  const until = monotonicMs() + withinMs;
  while ((await processes.stateOf(note)) === 'running') {
    if (monotonicMs() > until) return false;
    await sleep(LOOK_MS);
  }
  return true;
};
