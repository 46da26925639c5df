// A path that a tool may use: inside the allowed folders, after every link in it has been followed.
import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { fail } from '../core/failure.ts';

/** The real absolute path; a failure when it lies outside of all roots. */
export const requireAllowedPath = async (path: string, roots: readonly string[]): Promise<string> => {
  if (path === '' || path.includes('\0')) throw fail('invalid_argument', 'A path must not be empty or hold a NUL character.');
  const real = await realOrFuture(resolve(path));
  for (const root of roots) {
    if (isInside(real, await realOrFuture(resolve(root)))) return real;
  }
  throw fail('file_not_allowed', `${path.slice(0, 300)} is outside of the folders that tools may use.`, { path: path.slice(0, 300) });
};

const isInside = (path: string, root: string): boolean => {
  const way = relative(root, path);
  return way === '' || (!way.startsWith('..') && !isAbsolute(way));
};

/** The real path of what exists, and of the nearest existing folder for what does not exist yet. */
const realOrFuture = async (path: string): Promise<string> => {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(await realOrFuture(parent), basename(path));
  }
};
