// A daemon that runs this program, whatever was there before: one process at a time sees to it, the
// others find it done.

import { fail, type Failure } from '../../../core/failure.ts';
import type { Home } from '../../../core/home.ts';
import type { Config, Settings } from '../../../core/config.ts';
import type { Processes } from '../../../system/process.ts';
import { monotonicMs } from '../../../core/time.ts';
import { VERSION } from '../../../core/version.ts';
import { type DaemonNote, setDaemonNoteAside } from '../../../store/config/daemon-file.ts';
import { ensureFolder } from '../../../system/folders.ts';
import { Locks } from '../../../system/lock.ts';
import { createProcesses } from '../../../features/processes.ts';
import { endDaemon, isGone } from './end-daemon.ts';
import { findDaemon, type DaemonState } from './find-daemon.ts';
import { launchDaemon } from './launch.ts';
import { findOwnEntry, runsThisProgram } from './program-mark.ts';
import { digestSettingSources, withFullPaths } from './settings.ts';

interface EnsureOptions {
  readonly home: Home;
  readonly settings: () => Promise<Settings>;
  readonly entry?: string;
}

/** Longer than a start may take: whoever waits here waits for another's start. */
const PATIENCE_MS = 45_000;
/**
 * A daemon that says nothing although its process lives is about to end, has a hard time, or hangs.
 */
const SILENT_MS = 10_000;
const ATTEMPTS = 5;

/** Whether this call has started it. */
export interface Ensured {
  readonly note: DaemonNote;
  readonly started: boolean;
}

export const ensureDaemon = async (options: EnsureOptions): Promise<Ensured> => {
  const { home, entry = findOwnEntry() } = options;
  const processes = createProcesses();
  await ensureFolder(home.root);
  using _lock = await new Locks(processes).take(`${home.daemon}.lock`, { patienceMs: PATIENCE_MS });
  let started = false;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const found = await findDaemon(home.daemon);
    if (found.state === 'ready' && runsThisProgram(found.note, entry))
      return { note: found.note, started };
    if (await isInTheWay(found, home, processes)) continue;
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
}: EnsureOptions): Promise<{ config: Config; environment: string }> => ({
  config: withFullPaths((await settings()).config, process.cwd()),
  environment: await digestSettingSources(home.root),
});

/**
 * Sees to it that nothing of an earlier daemon is left: neither its process, which holds the
 * profile, nor an unreadable note. True when the silent one has found its voice.
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

/** False once its process is gone. */
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

/** `work`: what keeps it from making room, where it was asked. */
export const otherVersionFailure = ({ pid, program }: DaemonNote, work?: object): Failure => {
  const { calls, hosts, tasks } = (work ?? {}) as Readonly<Record<string, unknown>>;
  const which =
    program.version === VERSION
      ? 'another build of this program'
      : `version ${program.version}, and this is ${VERSION}`;
  const atWork = work ? { calls, hosts, tasks } : {};
  return fail(
    'daemon_version_mismatch',
    `The running daemon is ${which}${work ? ', and it is at work' : ''}.`,
    {
      pid,
      daemon_version: program.version,
      ...atWork,
    },
  );
};
