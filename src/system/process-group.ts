// Signals to a whole process group and waiting until none of it is left: Chrome is many processes.
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { monotonicMs, sleep } from '../core/time.ts';
import { linuxStat } from './process-identity.ts';

const POLL_MS = 15;

/**
 * The group is led by the process that we started detached; on Windows, where there are no groups,
 * its tree is meant.
 */
export const signalGroup = (leader: number, signal: 'SIGTERM' | 'SIGKILL'): void => {
  if (process.platform === 'win32') {
    execFile('taskkill', ['/PID', String(leader), '/T', '/F'], { windowsHide: true }, () => {});
    return;
  }
  for (const target of [-leader, leader]) {
    try {
      process.kill(target, signal);
    } catch {
      // gone already
    }
  }
};

/**
 * Whether a process of the group still runs. Dead ones that nobody has collected do not count: in
 * containers they stay for ever.
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
  try {
    process.kill(process.platform === 'win32' ? leader : -leader, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/** Waits for the group to be gone; says whether it is. */
export const groupGone = async (leader: number, withinMs: number): Promise<boolean> => {
  for (const end = monotonicMs() + withinMs; isAlive(leader);) {
    if (monotonicMs() >= end) return false;
    await sleep(POLL_MS);
  }
  return true;
};

const KILLED_MS = 2000;

/** Ends a group: asks, then kills. */
export const endGroup = async (leader: number, graceMs: number): Promise<boolean> => {
  signalGroup(leader, 'SIGTERM');
  if (await groupGone(leader, graceMs)) return true;
  signalGroup(leader, 'SIGKILL');
  return groupGone(leader, KILLED_MS);
};
