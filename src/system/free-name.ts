// Moves a file to a name that no other file in the folder has: `name (1).ext`.
import { linkSync, renameSync, statSync, unlinkSync } from 'node:fs';
import { join, parse } from 'node:path';
import { cutToBytes } from '../core/text.ts';
import { getErrorCode } from './disk-error.ts';

/** Characters that are not allowed in file names on some system, and control characters. */
const FORBIDDEN = /[\p{Cc}<>:"/\\|?*]/gu;
const MAX_STEM_BYTES = 180;
const MAX_EXTENSION_BYTES = 40;
const MAX_ATTEMPTS = 10_000;

/** A name without folders that is visible and valid on every system. */
export const toFileName = (name: string): string => {
  const { name: stem, ext } = parse(name.replace(FORBIDDEN, '_').replace(/^[.\s]+/, '_'));
  return cutToBytes(stem, MAX_STEM_BYTES) + cutToBytes(ext, MAX_EXTENSION_BYTES) || 'download';
};

/** Returns the new path. Never replaces a file. */
export const moveToFreeName = (from: string, folder: string, wanted: string): string => {
  const { name, ext } = parse(toFileName(wanted));
  for (let i = 0; i < MAX_ATTEMPTS; i++) {
    const path = join(folder, i === 0 ? `${name}${ext}` : `${name} (${i})${ext}`);
    if (isMoved(from, path)) return path;
  }
  return from;
};

/** False if the path is taken. */
const isMoved = (from: string, path: string): boolean => {
  try {
    linkSync(from, path);
    unlinkSync(from);
    return true;
  } catch (error) {
    if (getErrorCode(error) === 'EEXIST') return false;
    if (getErrorCode(error) === 'ENOENT') throw error;
  }
  // The file system has no links.
  if (statSync(path, { throwIfNoEntry: false })) return false;
  renameSync(from, path);
  return true;
};
