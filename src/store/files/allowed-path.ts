// A path that a tool may use: inside the allowed folders, after every link in it has been followed,
// and no file of the engine's own.
import { readlink, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { fail } from '../../core/failure.ts';

/** Linux gives up on a chain of links after as many. */
const MAX_LINKS = 40;

export interface AllowedRoot {
  readonly path: string;
  /** Not what stands there under a name that begins with a dot. */
  readonly shownOnly?: boolean;
}

/**
 * The real absolute path; a failure when it lies outside of all roots, or in one of the closed
 * places within them.
 */
export const requireAllowedPath = async (
  path: string,
  roots: readonly AllowedRoot[],
  closed: readonly string[] = [],
): Promise<string> => {
  if (path === '' || path.includes('\0'))
    throw fail('invalid_argument', 'A path must not be empty or hold a NUL character.');
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
    throw fail('file_not_allowed', `${shown} is kept from tools.`, {
      path: shown,
      hint: 'Choose another path.',
    });
  return real;
};

export const isInside = (path: string, root: string): boolean => {
  const way = relative(root, path);
  return way === '' || (!/^\.\.(?:[\\/]|$)/.test(way) && !isAbsolute(way));
};

/** The real path of what exists, and of the nearest existing folder for what does not exist yet. */
export const resolveRealPath = async (path: string, links = 0): Promise<string> => {
  try {
    return await realpath(path);
  } catch {
    const parent = dirname(path);
    if (parent === path) return path;
    const folder = await resolveRealPath(parent, links);
    // A link to what is not there yet would be followed by whoever makes it.
    const target = await readlink(join(folder, basename(path))).catch(() => undefined);
    if (target === undefined || links >= MAX_LINKS) return join(folder, basename(path));
    return resolveRealPath(resolve(folder, target), links + 1);
  }
};
