// Checks that a path, with all links resolved, is in the folders that tools may use.
import { readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { fail } from '../../core/failure.ts';

/** The same limit for chains of links as in Linux. */
const MAX_LINKS = 40;

export interface AllowedRoot {
  readonly path: string;
  /** Excludes names at the top of this folder that start with a dot. */
  readonly shownOnly?: boolean;
}

/**
 * Returns the real absolute path. Throws if it is outside all roots or inside a `closed` folder.
 */
export const requireAllowedPath = async (
  path: string,
  roots: readonly AllowedRoot[],
  closed: readonly string[] = [],
): Promise<string> => {
  if (path === '' || path.includes('\0'))
    throw fail('invalid_argument', 'A path must not be empty or contain a NUL character.');
  const real = await resolveRealPath(resolve(path));
  const liesIn = async ({ path: place, shownOnly = false }: AllowedRoot): Promise<boolean> => {
    const root = await resolveRealPath(resolve(place));
    return isInside(real, root) && !(shownOnly && relative(root, real).startsWith('.'));
  };
  const [shown, found] = [path.slice(0, 300), await Promise.all(roots.map(liesIn))];
  if (!found.includes(true))
    throw fail('file_not_allowed', `${shown} is outside the folders that tools may use.`, {
      path: shown,
    });
  if ((await Promise.all(closed.map((place) => liesIn({ path: place })))).includes(true))
    throw fail('file_not_allowed', `${shown} is not accessible to tools.`, {
      path: shown,
      hint: 'Choose another path.',
    });
  return real;
};

/** Throws if the path does not exist; `given` is the path as the caller wrote it. */
export const requireExisting = async (path: string, given: string): Promise<void> => {
  const found = await stat(path).catch(() => undefined);
  if (found) return;
  const shown = given.slice(0, 300);
  throw fail('invalid_argument', `The file ${shown} does not exist.`, { path: shown });
};

export const isInside = (path: string, root: string): boolean => {
  const way = relative(root, path);
  return way === '' || (!/^\.\.(?:[\\/]|$)/.test(way) && !isAbsolute(way));
};

/** Resolves links. Parts that do not exist yet are appended to the real path of their folder. */
export const resolveRealPath = async (path: string, links = 0): Promise<string> => {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    if (parent === path) return path;
    const folder = await resolveRealPath(parent, links);
    // A dangling link must be resolved too, because creating the file would follow it.
    const target = await readlink(join(folder, basename(path))).catch(() => undefined);
    if (target === undefined || links >= MAX_LINKS) return join(folder, basename(path));
    return resolveRealPath(resolve(folder, target), links + 1);
  }
};
