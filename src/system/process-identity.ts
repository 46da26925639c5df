// Identifies a process by pid and start time, because pids are reused; ends process groups.
import { valueIf } from '../core/defined.ts';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { attempt } from '../core/attempt.ts';
import { monotonicMs, sleep } from '../core/time.ts';
import { getErrorCode } from './disk-error.ts';
import { findLinuxStart, findOwnHost, linuxStat } from './linux-process.ts';

/** The file process-schema.ts has its schema. */
export interface ProcessIdentity {
  readonly pid: number;
  /**
   * Start time: ticks since boot on Linux, else Unix milliseconds with an error of a few seconds.
   */
  readonly started: string;
  /** The machine (on Linux also the container) to which the pid belongs. */
  readonly host: string;
}

/** `elsewhere`: on another machine or in another container, so its state is unknown. */
export type ProcessState = 'running' | 'gone' | 'elsewhere';

/** Finds out whether the owner of a resource is still running. */
export interface Processes {
  readonly own: ProcessIdentity;
  stateOf(identity: ProcessIdentity): Promise<ProcessState>;
}

const run = promisify(execFile);

const CLOCK_SLACK_MS = 5000;

const darwinStart = async (pid: number): Promise<string | undefined> => {
  const { stdout } = await run('ps', ['-o', 'lstart=', '-p', String(pid)], {
    env: { ...process.env, LC_ALL: 'C' },
  });
  const at = Date.parse(stdout.trim());
  return valueIf(!Number.isNaN(at), String(at));
};

const windowsStart = async (pid: number): Promise<string | undefined> => {
  const script = `([DateTimeOffset](Get-Process -Id ${pid}).StartTime).ToUnixTimeMilliseconds()`;
  const { stdout } = await run(
    'powershell',
    ['-NoProfile', '-NonInteractive', '-Command', script],
    { windowsHide: true },
  );
  return stdout.trim() || undefined;
};

/** Returns undefined if the process does not exist or its start time cannot be read. */
const findStart = async (pid: number): Promise<string | undefined> => {
  if (process.platform === 'linux') return findLinuxStart(pid);
  return (process.platform === 'win32' ? windowsStart(pid) : darwinStart(pid)).catch(
    () => undefined,
  );
};

let own: ProcessIdentity | undefined;

/** The identity of this process; starts no other program, so it is cheap at launch. */
export const ownIdentity = (): ProcessIdentity =>
  (own ??= {
    pid: process.pid,
    started:
      (process.platform === 'linux' ? findLinuxStart(process.pid) : undefined) ??
      String(Math.round(performance.timeOrigin)),
    host: findOwnHost(),
  });

/** Two tick counts must be equal; two clock times may differ by `CLOCK_SLACK_MS`. */
const sameStart = (a: string, b: string): boolean => {
  if (a === b || (a.includes('/') && b.includes('/'))) return a === b;
  return Math.abs(startMs(a) - startMs(b)) <= CLOCK_SLACK_MS;
};

const TICKS_A_SECOND = 100;

/** Returns the start as clock time; converts the ticks since boot that Linux uses. */
const startMs = (started: string): number => {
  const [, ticks] = started.split('/');
  if (ticks === undefined) return Number(started);
  const boot = attempt(() => /^btime (\d+)$/m.exec(readFileSync('/proc/stat', 'latin1'))?.[1]);
  return (Number(boot) + Number(ticks) / TICKS_A_SECOND) * 1000;
};

/** `foreign`: the process exists and belongs to another user. */
const probePid = (pid: number): 'reached' | 'foreign' | 'unused' => {
  try {
    process.kill(pid, 0);
    return 'reached';
  } catch (error) {
    return getErrorCode(error) === 'EPERM' ? 'foreign' : 'unused';
  }
};

/** Whether any process on this machine has this pid; it may be a later one. */
export const isPidInUse = (pid: number): boolean => probePid(pid) !== 'unused';

/**
 * Whether this process is still running. It counts as running if its start time cannot be read, so
 * that its resources are not taken over.
 */
export const findProcessState = async (identity: ProcessIdentity): Promise<ProcessState> => {
  if (identity.host !== ownIdentity().host) return 'elsewhere';
  const reach = probePid(identity.pid);
  if (reach === 'unused') return 'gone';
  const started = await findStart(identity.pid);
  // On Linux, a process that accepts a signal but has no readable start time is dead.
  if (started === undefined)
    return process.platform === 'linux' && reach === 'reached' ? 'gone' : 'running';
  return sameStart(started, identity.started) ? 'running' : 'gone';
};

/** An object, so that tests can replace it. */
export const createProcesses = (): Processes => ({ own: ownIdentity(), stateOf: findProcessState });

// Ends a process group (Chrome has many processes) and waits until all of it has exited.

const POLL_MS = 15;

/** Signals the group of a process that was started detached; on Windows, kills its process tree. */
export const signalGroup = (leader: number, signal: 'SIGTERM' | 'SIGKILL'): void => {
  if (process.platform === 'win32') {
    execFile('taskkill', ['/PID', String(leader), '/T', '/F'], { windowsHide: true }, () => {});
    return;
  }
  for (const target of [-leader, leader]) {
    try {
      process.kill(target, signal);
    } catch {
      // has already exited
    }
  }
};

/**
 * Whether a process of the group is running. Zombies do not count: containers may never reap them.
 */
const isAlive = (leader: number): boolean => {
  if (process.platform === 'linux') {
    const id = String(leader);
    return readdirSync('/proc').some((pid) => {
      if (!/^\d/.test(pid)) return false;
      const stat = linuxStat(pid);
      return stat !== undefined && stat[0] !== 'Z' && (stat[2] === id || pid === id);
    });
  }
  return isPidInUse(process.platform === 'win32' ? leader : -leader);
};

/** Waits until the group has exited; returns false after `withinMs`. */
export const groupGone = async (leader: number, withinMs: number): Promise<boolean> => {
  for (const end = monotonicMs() + withinMs; isAlive(leader);) {
    if (monotonicMs() >= end) return false;
    await sleep(POLL_MS);
  }
  return true;
};

const KILLED_MS = 2000;

/** Sends SIGTERM, then SIGKILL after `graceMs`; returns whether the group has exited. */
export const endGroup = async (leader: number, graceMs: number): Promise<boolean> => {
  signalGroup(leader, 'SIGTERM');
  if (await groupGone(leader, graceMs)) return true;
  signalGroup(leader, 'SIGKILL');
  return groupGone(leader, KILLED_MS);
};
