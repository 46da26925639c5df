// Chrome's own lock on a profile: whether a Chrome runs in it, and what a killed one leaves of it.
import { open, readlink, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { after } from '../../core/time.ts';
import { removeFolder } from '../../system/private-files.ts';

/** Who uses the folder, if a Chrome runs in it that is not known to us. */
export const findRunningChrome = async (dir: string): Promise<string | undefined> => {
  if (process.platform === 'win32')
    return (await isLockedOnWindows(join(dir, 'lockfile')))
      ? 'a Chrome that is already running'
      : undefined;
  if (!(await answers(join(dir, 'SingletonSocket')))) return undefined;
  const holder = await readlink(join(dir, 'SingletonLock')).catch(() => '');
  const pid = /-(\d+)$/.exec(holder)?.[1];
  return `a Chrome that is already running${pid === undefined ? '' : ` (process ${pid})`}`;
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
 * The lock alone may be left over from a crash, and its process number be used again; a socket
 * answers only while Chrome runs.
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

/**
 * The folder of Chrome's socket, in the folder for temporary files: `org.chromium.Chromium.1B2xtU`.
 */
const SOCKET_FOLDER = /^\.?(?:org|com)\.[\w.-]+\.\w{6}$/;

/** Removes Chrome's lock with its socket. Only for profiles in which surely no Chrome runs. */
export const clearSingleton = async (dir: string): Promise<void> => {
  const folder = dirname(await readlink(join(dir, 'SingletonSocket')).catch(() => ''));
  if (SOCKET_FOLDER.test(basename(folder)))
    await rm(folder, { recursive: true, force: true }).catch(() => {});
  const names = ['SingletonLock', 'SingletonSocket', 'SingletonCookie'];
  await Promise.all(names.map((name) => rm(join(dir, name), { force: true }).catch(() => {})));
};

/**
 * As clearSingleton, if the lock is that of a certain Chrome, which was killed: one that went in
 * order has removed it itself.
 */
export const clearSingletonLock = async (pid: number, dir: string): Promise<void> => {
  const holder = await readlink(join(dir, 'SingletonLock')).catch(() => '');
  if (holder === `${hostname()}-${pid}`) await clearSingleton(dir);
};

/**
 * Deletes a temporary profile with everything outside it that belongs to it; says whether it is
 * gone.
 */
export const removeProfile = async (dir: string): Promise<boolean> => {
  await clearSingleton(dir);
  return removeFolder(dir);
};
