// Finds or starts a daemon of this program; a lock lets one process at a time do so.

import { defined } from '../../../core/defined.ts';
import { fail, type Failure } from '../../../core/failure.ts';
import type { Home } from '../../../core/home.ts';
import type { Settings } from '../../../core/config.ts';
import { textIf } from '../../../core/text.ts';
import { monotonicMs } from '../../../core/time.ts';
import { VERSION } from '../../../core/version.ts';
import {
  type DaemonNote,
  setDaemonNoteAside,
  takeDaemonEnd,
} from '../../../store/config/daemon-file.ts';
import { ensureFolder } from '../../../system/private-files.ts';
import { Locks } from '../../../system/lock.ts';
import { createProcesses, type Processes } from '../../../system/process-identity.ts';
import { endDaemon, isGone } from './end-daemon.ts';
import { findDaemon, type DaemonState } from './find-daemon.ts';
import { launchDaemon } from './launch.ts';
import { findOwnEntry, runsThisProgram } from './program-mark.ts';
import { digestSettingSources, withFullPaths } from './settings.ts';
import type { DaemonOrder } from './start-order.ts';

interface EnsureOptions {
  readonly home: Home;
  readonly settings: () => Promise<Settings>;
  readonly entry?: string;
}

/** Timeout for the lock; longer than another process's start may take. */
const PATIENCE_MS = 45_000;
/** How long a daemon that does not respond may stay alive: it is ending, overloaded or hanging. */
const SILENT_MS = 10_000;
const ATTEMPTS = 5;

/** `started`: this call started the daemon. */
export interface Ensured {
  readonly note: DaemonNote;
  readonly started: boolean;
  /** Why the tabs of the previous daemon are gone, if it had any. */
  readonly lost?: string;
}

export const ensureDaemon = async (options: EnsureOptions): Promise<Ensured> => {
  const { home, entry = findOwnEntry() } = options;
  const processes = createProcesses();
  await ensureFolder(home.root);
  using _lock = await new Locks(processes).take(`${home.daemon}.lock`, { patienceMs: PATIENCE_MS });
  let [started, lost]: [boolean, string | undefined] = [false, undefined];
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const found = await findDaemon(home.daemon);
    if (found.state === 'ready' && runsThisProgram(found.note, entry))
      return defined({ note: found.note, started, lost });
    if (await isInTheWay(found, home, processes)) continue;
    lost ??= takeDaemonEnd(home.daemon) ?? describeLost(found);
    await launchDaemon({ ...(await collectOrder(options)), home, entry });
    started = true;
  }
  throw fail('daemon_start_failed', 'The daemon was started, but does not answer at its port.', {
    log_file: home.daemonLog,
  });
};

const collectOrder = async ({
  settings,
  home,
}: EnsureOptions): Promise<Pick<DaemonOrder, 'config' | 'environment' | 'sources'>> => {
  const { config, sources } = await settings();
  return {
    config: withFullPaths(config, process.cwd()),
    environment: await digestSettingSources(home.root),
    sources,
  };
};

/** A daemon that ended in order has removed its note. */
const describeLost = (found: DaemonState): string | undefined =>
  found.state === 'silent'
    ? `The daemon (pid ${found.note.pid}) ended unexpectedly: its tabs are gone.`
    : undefined;

/**
 * Removes an earlier daemon: its process, which locks the profile, and an unreadable daemon.json.
 * Returns true if the daemon responds again.
 */
const isInTheWay = async (
  found: DaemonState,
  home: Home,
  processes: Processes,
): Promise<boolean> => {
  if (found.state === 'none') return false;
  if (found.state === 'unreadable') {
    await setDaemonNoteAside(home.daemon);
    return false;
  }
  const { note, state } = found;
  if (state === 'silent') return speaksAgain(note, home, processes);
  const ending = await endDaemon(note, processes, { ifIdle: true });
  if (ending.outcome === 'refused') throw otherVersionFailure(note, ending.work);
  return false;
};

/** False if its process has ended. */
const speaksAgain = async (
  note: DaemonNote,
  home: Home,
  processes: Processes,
): Promise<boolean> => {
  for (const until = monotonicMs() + SILENT_MS; monotonicMs() < until;) {
    if (await isGone(note, processes, LOOK_MS)) return false;
    if ((await findDaemon(home.daemon)).state !== 'silent') return true;
  }
  throw unresponsive(note);
};

const LOOK_MS = 200;

const unresponsive = ({ pid }: DaemonNote): Failure =>
  fail('daemon_unresponsive', `The daemon (process ${pid}) runs but does not answer.`, { pid });

/** `work`: the reason why it refused to end, if a stop was requested. */
export const otherVersionFailure = ({ pid, program }: DaemonNote, work?: object): Failure => {
  const { calls, hosts, tasks } = (work ?? {}) as Readonly<Record<string, unknown>>;
  const which =
    program.version === VERSION
      ? 'another build of this program'
      : `version ${program.version}, and this is ${VERSION}`;
  const atWork = work ? { calls, hosts, tasks } : {};
  return fail(
    'daemon_version_mismatch',
    `The running daemon is ${which}${textIf(work, ', and it is at work')}.`,
    {
      pid,
      daemon_version: program.version,
      ...atWork,
    },
  );
};
