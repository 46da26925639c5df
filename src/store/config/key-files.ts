// Keys in private files: for the cookies of the dashboard, and of the paired extension.
import { readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { createSecretToken } from '../../core/ids.ts';
import { isMissing, storageFailure } from '../../system/disk-error.ts';
import { ensureFolder, PRIVATE_FILE } from '../../system/private-files.ts';
import { JsonFile } from '../files/json-file.ts';

const PairingSchema = z.object({
  port: z.number().int().min(1).max(65_535),
  key: z.string().regex(/^[0-9a-f]{64}$/),
});

export type SavedPairing = z.infer<typeof PairingSchema>;

/** The key and the port of the paired extension. */
export const openPairingFile = (path: string): JsonFile<SavedPairing> =>
  new JsonFile({ path, schema: PairingSchema, version: 1 });

const KEY = /^[\w-]{43}$/;

/** Loads the key of this home, and creates it on first use. */
export const loadDashboardKey = async (path: string): Promise<string> => {
  const known = await readKey(path);
  if (known !== undefined) return known;
  try {
    await ensureFolder(dirname(path));
    await writeFile(path, createSecretToken(), { mode: PRIVATE_FILE, flag: 'wx' });
  } catch (error) {
    // EEXIST: another server of this home created it at the same time
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
      throw storageFailure('write', path, error);
  }
  const created = await readKey(path);
  if (created === undefined) throw storageFailure('read', path, new Error('not a valid key'));
  return created;
};

const readKey = async (path: string): Promise<string | undefined> => {
  try {
    const text = (await readFile(path, 'utf8')).trim();
    return KEY.test(text) ? text : undefined;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw storageFailure('read', path, error);
  }
};
