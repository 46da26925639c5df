// Chrome's own lock on a profile: detects a running Chrome and removes a stale lock.
import { open, readlink, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { textIf } from '../../core/text.ts';
import { after } from '../../core/time.ts';
import { removeFolder } from '../../system/private-files.ts';
import { isPidInUse } from '../../system/process-identity.ts';

/** The user of the profile folder; undefined if no Chrome runs in it. */
export const findRunningChrome = async (dir: string): Promise<string | undefined> => {
  if (process.platform === 'win32')
    return (await isLockedOnWindows(join(dir, 'lockfile')))
      ? 'a Chrome that is already running'
      : undefined;
  if (!(await answers(join(dir, 'SingletonSocket')))) return undefined;
  const holder = await readlink(join(dir, 'SingletonLock')).catch(() => '');
  const pid = /-(\d+)$/.exec(holder)?.[1];
  return `a Chrome that is already running${textIf(pid !== undefined, ` (process ${pid})`)}`;
};

/**
 * The process that locks the profile although no Chrome responds there: on another machine with the
 * same home folder, or one that hangs. Undefined if there is none; the lock of a crashed Chrome is
 * not one, because the next Chrome replaces it.
 */
export const findProfileLock = async (dir: string): Promise<string | undefined> => {
  const holder = await readlink(join(dir, 'SingletonLock')).catch(() => '');
  const [, host, pid] = /^(.+)-(\d+)$/.exec(holder) ?? [];
  if (host === undefined) return undefined;
  if (host !== hostname()) return `process ${pid} on ${host}`;
  return isPidInUse(Number(pid)) ? `process ${pid}, which does not respond` : undefined;
};

/** Chrome keeps this file open without sharing it. */
const isLockedOnWindows = async (path: string): Promise<boolean> => {
  try {
    await (await open(path, 'r+')).close();
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
};

const ANSWER_MS = 1000;

/**
 * The lock can be left over from a crash, and its pid can be reused; the socket responds only
 * while Chrome runs.
 */
const answers = (path: string): Promise<boolean> =>
  new Promise((done) => {
    const socket = connect(path);
    const settle = (answer: boolean): void => {
      timer[Symbol.dispose]();
      socket.destroy();
      done(answer);
    };
    const timer = after(ANSWER_MS, () => settle(true));
    socket.once('connect', () => settle(true));
    socket.once('error', () => settle(false));
  });

/** Folder of Chrome's socket in the temporary folder, such as `org.chromium.Chromium.1B2xtU`. */
const SOCKET_FOLDER = /^\.?(?:org|com)\.[\w.-]+\.\w{6}$/;

/** Removes Chrome's lock and socket. Only for profiles in which no Chrome runs. */
export const clearSingleton = async (dir: string): Promise<void> => {
  const folder = dirname(await readlink(join(dir, 'SingletonSocket')).catch(() => ''));
  if (SOCKET_FOLDER.test(basename(folder)))
    await rm(folder, { recursive: true, force: true }).catch(() => {});
  const names = ['SingletonLock', 'SingletonSocket', 'SingletonCookie'];
  await Promise.all(names.map((name) => rm(join(dir, name), { force: true }).catch(() => {})));
};

/**
 * Like clearSingleton, but only if the lock belongs to this killed Chrome; a normal exit removes
 * it.
 */
export const clearSingletonLock = async (pid: number, dir: string): Promise<void> => {
  const holder = await readlink(join(dir, 'SingletonLock')).catch(() => '');
  if (holder === `${hostname()}-${pid}`) await clearSingleton(dir);
};

/** Deletes a temporary profile and its socket folder; returns whether it is gone. */
export const removeProfile = async (dir: string): Promise<boolean> => {
  await clearSingleton(dir);
  return removeFolder(dir);
};
