// Keeps compiled code on disk, so that the next start is faster (Node 22.8 and later). Node runs
// what it finds there, so the folder is used only if no other user can change it.
import { mkdirSync, statSync } from 'node:fs';
import nodeModule from 'node:module';
import type { Home } from '../core/home.ts';

const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;

/** Does nothing if the folder cannot be created, or if others could change its files. */
export const useCompileCache = ({ root, cache, compiledCode }: Home): void => {
  const { enableCompileCache: enable } = nodeModule as {
    readonly enableCompileCache?: (folder: string) => unknown;
  };
  if (!enable) return;
  try {
    const parents = [root, cache].every((folder) => isOwn(folder, OTHERS_WRITE));
    if (parents && isOwn(compiledCode, OTHERS)) enable(compiledCode);
  } catch {
    // the home folder cannot be written: what needs it reports that
  }
};

/** Creates the folder if it is missing. Always true on Windows, as for other private folders. */
const isOwn = (folder: string, forbidden: number): boolean => {
  if (!statSync(folder, { throwIfNoEntry: false })) mkdirSync(folder, { mode: 0o700 });
  const { uid, mode } = statSync(folder);
  return process.platform === 'win32' || (uid === process.getuid?.() && (mode & forbidden) === 0);
};
