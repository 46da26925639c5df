// Ends a daemon: requests a stop, waits for the exit of its process, and kills it if needed.
import { fail } from '../../../core/failure.ts';
import type { Processes } from '../../../system/process-identity.ts';
import { Deadline, monotonicMs, sleep } from '../../../core/time.ts';
import type { DaemonNote } from '../../../store/config/daemon-file.ts';
import { sendRequest, STOP_PATH } from './wire.ts';

/** Tasks and Chrome may take some seconds to end. */
const ORDERLY_MS = 20_000;
/** Time between the response and the exit of the process. */
const LAST_STEPS_MS = 5_000;
const LOOK_MS = 20;

/** `refused`: `ifIdle` was set and the daemon has work to lose. */
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
 * Returns the daemon's work if it refuses to end. A daemon that does not respond is killed later.
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

/** Kills a daemon that does not respond. Its identity is checked first, because pids are reused. */
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

/** Polls: Node emits no event for the exit of a process that is not a child. */
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
