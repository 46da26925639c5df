// Finds or starts a daemon of this program; a lock lets one process at a time do so.
import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import type { Config, ConfigOrigins, Settings } from '../../../core/config.ts';
import { defined } from '../../../core/defined.ts';
import { fail, type Failure, type FailureBody } from '../../../core/failure.ts';
import type { Home } from '../../../core/home.ts';
import { textIf } from '../../../core/text.ts';
import { abortable, Deadline, monotonicMs } from '../../../core/time.ts';
import { VERSION } from '../../../core/version.ts';
import {
  type DaemonNote,
  setDaemonNoteAside,
  takeDaemonEnd,
} from '../../../store/config/daemon-file.ts';
import { openDaemonLog, tailDaemonLog } from '../../../store/config/daemon-log.ts';
import { Locks } from '../../../system/lock.ts';
import { ensureFolder } from '../../../system/private-files.ts';
import { createProcesses, type Processes } from '../../../system/process-identity.ts';
import { endDaemon, isGone } from './end-daemon.ts';
import { type DaemonState, findDaemon, findOwnEntry, runsThisProgram } from './find-daemon.ts';
import { digestSettingSources, withFullPaths } from './settings.ts';

/** The first message to a starting daemon, over the IPC channel. */
export interface DaemonOrder {
  readonly config: Config;
  /** A digest of the variables and files that its configuration comes from. */
  readonly environment: string;
  readonly sources: ConfigOrigins;
}

/** `ready`: the daemon listens and has written daemon.json. */
export type DaemonReport = { readonly ready: true } | { readonly failure: FailureBody['error'] };

/** Timeout of a start, which takes less than a second on an idle machine (Chrome starts later). */
const START_MS = 30_000;
export const LINES_SHOWN = 12;

interface DaemonLaunch {
  readonly home: Home;
  readonly config: Config;
  readonly environment: string;
  readonly sources?: ConfigOrigins;
  readonly entry: string;
}

/** Resolves when the daemon listens and is named in daemon.json. */
export const launchDaemon = async ({
  home,
  config,
  environment,
  sources = {},
  entry,
}: DaemonLaunch): Promise<void> => {
  const log = openDaemonLog(home.daemonLog);
  const child = spawn(process.execPath, [entry, 'daemon', 'run'], {
    detached: true,
    windowsHide: true,
    cwd: resolve(home.root),
    env: {
      ...process.env,
      OPENCHROME_HOME: resolve(home.root),
      OPENCHROME_TASK_ROOT: resolve(home.tasks),
    },
    stdio: ['ignore', log.fd, log.fd, 'ipc'],
  });
  const said = (): string[] =>
    tailDaemonLog(home.daemonLog, { lines: LINES_SHOWN, from: log.size });
  const notStarted = (why: string): Failure =>
    fail('daemon_start_failed', `The daemon did not start: ${why}.`, {
      log: said(),
      log_file: home.daemonLog,
    });
  using deadline = new Deadline(START_MS, () =>
    notStarted(`it was not ready within ${START_MS / 1000} s`),
  );
  try {
    const report = reportOf(child, notStarted);
    // a failed send is noticed by the exit of the child
    child.send({ config, environment, sources } satisfies DaemonOrder, () => {});
    const outcome = await abortable(report, deadline.signal);
    if ('failure' in outcome) throw ofChild(outcome.failure);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  } finally {
    log.close();
    if (child.connected) child.disconnect();
    child.unref();
  }
};

const reportOf = (
  child: ChildProcess,
  notStarted: (why: string) => Failure,
): Promise<DaemonReport> =>
  new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message as DaemonReport));
    child.once('error', (error) => reject(notStarted(error.message)));
    child.once('exit', (code, signal) =>
      reject(notStarted(signal ? `it was ended by ${signal}` : `it ended with status ${code}`)),
    );
  });

/** The daemon's own failure, for example a missing secrets file. */
const ofChild = ({ code, message, ...details }: FailureBody['error']): Failure =>
  fail(code, message, details);

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
