// Ends a process group (Chrome has many processes) and waits until all of it has exited.
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { monotonicMs, sleep } from '../core/time.ts';
import { isPidInUse, linuxStat } from './process-identity.ts';

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
