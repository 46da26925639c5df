// Writes exports of recordings atomically, and removes old ones from the home folder.
import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { isMissing } from '../../system/disk-error.ts';
import { replaceFileBy } from '../../system/replace-file.ts';
import type { RetentionRule, Swept } from './sweeper.ts';

const KEPT_MS = 30 * 24 * 60 * 60 * 1000;
const KEPT_BYTES = 2_000_000_000;

/** Names from `newRecordingFolder`; other folders are not touched. */
const NAME = /^\d{8}-\d{6}-[0-9a-f]{6}$/;

/** Path for one recording; the folder is created with its first file. */
export const newRecordingFolder = (recordings: string, at: number): string => {
  const [day = '', time = ''] = new Date(at).toISOString().replaceAll(/[-:]/g, '').split(/[T.]/);
  return join(recordings, `${day}-${time}-${randomBytes(3).toString('hex')}`);
};

/** Returns the size. Readers see either the old file or the complete new one. */
export const writeParts = (
  path: string,
  parts: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
): Promise<number> =>
  replaceFileBy(path, async (file) => {
    let bytes = 0;
    for await (const part of parts) {
      const chunk = typeof part === 'string' ? Buffer.from(part) : part;
      await file.writeFile(chunk);
      bytes += chunk.length;
    }
    return bytes;
  });

/** The names of the recording folders in the home folder, newest first. */
export const listRecordingFolders = async (recordings: string): Promise<string[]> => {
  const names = await readdir(recordings).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  return names
    .filter((name) => NAME.test(name))
    .sort()
    .toReversed();
};

/** The path of the replay in a recording folder; undefined if it has none. */
export const findReplay = async (folder: string): Promise<string | undefined> => {
  const path = join(folder, 'replay.html');
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() ? path : undefined;
};

/** Streams a replay with backpressure, because it can be large. */
export const streamReplay = (path: string, to: NodeJS.WritableStream): Promise<void> =>
  pipeline(createReadStream(path), to);

export const recordingsRetention = (folder: string): RetentionRule => ({
  name: 'recordings',
  sweep: async (now) => {
    const swept = { files: 0, bytes: 0 };
    let total = 0;
    for (const name of await listRecordingFolders(folder)) {
      const size = await measureFolder(join(folder, name));
      total += size.bytes;
      if (total <= KEPT_BYTES && now - size.modifiedMs < KEPT_MS) continue;
      await rm(join(folder, name), { recursive: true, force: true });
      swept.files += size.files;
      swept.bytes += size.bytes;
    }
    return swept;
  },
});

const measureFolder = async (folder: string): Promise<Swept & { readonly modifiedMs: number }> => {
  // missing: another process swept it
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const stats = await Promise.all(
    names.map((name) => stat(join(folder, name)).catch(() => undefined)),
  );
  const files = stats.filter((one) => one?.isFile());
  return {
    files: files.length,
    bytes: files.reduce((sum, one) => sum + (one?.size ?? 0), 0),
    modifiedMs: Math.max(0, ...files.map((one) => one?.mtimeMs ?? 0)),
  };
};
