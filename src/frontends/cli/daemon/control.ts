// The daemon commands: start, stop, status.
import { compact, defined } from '../../../core/defined.ts';
import type { Settings } from '../../../core/config.ts';
import { fail, Failure } from '../../../core/failure.ts';
import type { Home } from '../../../core/home.ts';
import { isRecord } from '../../../core/json.ts';
import { type DaemonNote, removeDaemonNote } from '../../../store/config/daemon-file.ts';
import { tailDaemonLog } from '../../../store/config/daemon-log.ts';
import { createProcesses } from '../../../system/process-identity.ts';
import { TICKET_PATH } from '../../dashboard/paths.ts';
import { requireMatchingDaemon } from './compare-settings.ts';
import { endDaemon, killDaemon } from './end-daemon.ts';
import { ensureDaemon, LINES_SHOWN } from './ensure-daemon.ts';
import { findDaemon } from './find-daemon.ts';
import { requestDaemon } from './request-daemon.ts';
import { OVERVIEW_PATH, STATUS_PATH } from './wire.ts';
import type { DaemonOverview, DaemonStatus } from './status.ts';

export interface StartedDaemon {
  /** False if it was running already. */
  readonly started: boolean;
  readonly status: DaemonStatus;
}

/** Throws if a daemon with other settings is running already. */
export const startDaemon = async (home: Home, settings: Settings): Promise<StartedDaemon> => {
  const { note, started } = await ensureMatching(home, settings);
  try {
    return { started, status: await statusOf(note) };
  } catch (error) {
    if (!started || !(error instanceof Failure) || error.code !== 'daemon_lost') throw error;
    throw fail(
      'daemon_start_failed',
      'The daemon started, but ended before it reported its status.',
      {
        log: tailDaemonLog(home.daemonLog, { lines: LINES_SHOWN }),
        log_file: home.daemonLog,
      },
    );
  }
};

/** The address and token of the running daemon, or of a new one. */
export const requireRunningDaemon = async (home: Home, settings: Settings): Promise<DaemonNote> =>
  (await ensureMatching(home, settings)).note;

const ensureMatching = async (
  home: Home,
  settings: Settings,
): Promise<{ readonly note: DaemonNote; readonly started: boolean }> => {
  const { note, started } = await ensureDaemon({ home, settings: async () => settings });
  if (!started) await requireMatchingDaemon(note, settings, 'command');
  return { note, started };
};

/** The address of the daemon's dashboard, with a ticket that works once. */
export const createDashboardUrl = async (note: DaemonNote): Promise<string> => {
  const { status, body } = await requestDaemon(note, {
    method: 'POST',
    path: TICKET_PATH,
    body: {},
  });
  const ticket = isRecord(body) ? body['ticket'] : undefined;
  if (typeof ticket !== 'string')
    throw fail('daemon_lost', `The daemon returned no ticket (status ${status}).`);
  return `http://127.0.0.1:${note.port}/?ticket=${ticket}`;
};

export interface Stopped {
  /** False if none was running. */
  readonly stopped: boolean;
  readonly pid?: number;
  /** The daemon did not respond and was killed. */
  readonly killed?: true;
}

export const stopDaemon = async (home: Home): Promise<Stopped> => {
  const found = await findDaemon(home.daemon);
  if (found.state === 'none' || found.state === 'unreadable') return { stopped: false };
  const { note, state } = found;
  const processes = createProcesses();
  const isThere = state !== 'silent' || (await processes.stateOf(note)) === 'running';
  const ending =
    state === 'silent'
      ? isThere && (await killDaemon(note, processes))
      : await endDaemon(note, processes);
  removeDaemonNote(home.daemon, note.token); // for a daemon that could not remove its own
  if (!ending) return { stopped: false };
  return defined({
    stopped: true,
    pid: note.pid,
    ...compact({ killed: ending.outcome === 'killed' }),
  });
};

/** Throws `no_daemon` if none is running. */
export const readDaemonStatus = async (home: Home): Promise<DaemonStatus> => {
  const found = await findDaemon(home.daemon);
  if (found.state === 'ready' || found.state === 'stopping') return statusOf(found.note);
  if (found.state !== 'silent' || (await createProcesses().stateOf(found.note)) !== 'running')
    throw fail('no_daemon', 'No daemon is running.');
  throw fail(
    'daemon_unresponsive',
    `The daemon (process ${found.note.pid}) runs but does not answer.`,
    { pid: found.note.pid },
  );
};

/** Throws `no_daemon` if none is running. */
export const readDaemonOverview = async (
  home: Home,
  signal: AbortSignal,
): Promise<DaemonOverview> => {
  const found = await findDaemon(home.daemon, signal);
  if (found.state !== 'ready') throw fail('no_daemon', 'No daemon is running.');
  const { body } = await requestDaemon(found.note, { method: 'GET', path: OVERVIEW_PATH, signal });
  return body as DaemonOverview;
};

const statusOf = async (note: DaemonNote): Promise<DaemonStatus> =>
  (await requestDaemon(note, { method: 'GET', path: STATUS_PATH })).body as DaemonStatus;
