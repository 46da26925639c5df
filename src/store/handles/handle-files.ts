// File names and sidecars of stored payloads, and opening them without following links.
import { textAt } from '../../core/text.ts';
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { attempt } from '../../core/attempt.ts';
import { OUTPUT_HANDLE } from '../../core/ids.ts';
import { isPidInUse } from '../../system/process-identity.ts';

const count = z.number().int().min(0);

/**
 * Validated without copying, because an index has thousands of numbers and is read at every fetch.
 */
const isListOfCounts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => Number.isSafeInteger(item) && item >= 0);

const MetaSchema = z.object({
  version: z.literal(1),
  output_handle: z.string().regex(OUTPUT_HANDLE),
  mime_type: z.string().min(1),
  size_bytes: count,
  item_count: count.nullable(),
  source_tool: z.string(),
  /** The session that may read it; absent if a session of Chrome's profile stored it. */
  session: z.string().optional(),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
  /**
   * Position of the items: key of the array, start and end byte, and for each run its item count
   * and bytes.
   */
  items: z
    .object({
      key: z.string().optional(),
      start: count,
      end: count,
      runs: z.custom<readonly number[]>(isListOfCounts),
    })
    .optional(),
  /** This payload is a part of another payload's file. */
  part: z.object({ of: z.string().regex(OUTPUT_HANDLE), start: count }).optional(),
  /** The process that wrote the payload. Incomplete files are kept while it is alive. */
  writer: z.object({ pid: z.number().int(), token: z.string() }),
});

export type HandleMeta = z.output<typeof MetaSchema>;

/** The token is needed because process ids repeat in containers. */
export const WRITER = { pid: process.pid, token: randomBytes(6).toString('hex') } as const;

const MAX_META_BYTES = 64 * 1024 * 1024;
const NAME = /^(oh_[A-Z2-7]{12})\.(meta\.json|json|md|bin)$/;
const TEMPORARY =
  /^\.(oh_[A-Z2-7]{12})\.(?:meta\.json|json|md|bin)\.(\d{1,10})\.([0-9a-f]{12})\.tmp$/;

const findExtension = (mimeType: string): string => {
  if (mimeType === 'application/json') return 'json';
  return mimeType.startsWith('text/') ? 'md' : 'bin';
};

/** Whether a payload of this type can be returned as text. */
export const isTextual = (mimeType: string): boolean => findExtension(mimeType) !== 'bin';

export const metaPath = (folder: string, handle: string): string =>
  join(folder, `${handle}.meta.json`);
export const payloadPath = (folder: string, handle: string, mimeType: string): string =>
  join(folder, `${handle}.${findExtension(mimeType)}`);

/** Path of a file that is not complete yet. */
export const temporaryPath = (folder: string, name: string): string =>
  join(folder, `.${name}.${WRITER.pid}.${WRITER.token}.tmp`);

/** Parses a file name in a day folder; undefined for other files. */
export const parseName = (
  name: string,
):
  | { handle: string; role: 'meta' | 'payload' }
  | { handle: string; writer: Writer }
  | undefined => {
  const own = NAME.exec(name);
  if (own?.[1]) return { handle: own[1], role: own[2] === 'meta.json' ? 'meta' : 'payload' };
  const left = TEMPORARY.exec(name);
  if (left?.[1])
    return { handle: left[1], writer: { pid: Number(left[2]), token: textAt(left, 3) } };
  return undefined;
};

type Writer = HandleMeta['writer'];

/** Whether the writing process is alive, so that it can still complete the file. */
export const isAlive = ({ pid, token }: Writer): boolean =>
  pid === WRITER.pid ? token === WRITER.token : isPidInUse(pid);

/** Folders of days, newest first. Links are skipped. */
export const dayFolders = async (root: string): Promise<string[]> => {
  const names = await readdir(root).catch(() => []);
  const days = names
    .filter((name) => /^\d{4}-\d{2}-\d{2}$/.test(name))
    .sort()
    .toReversed()
    .map((name) => join(root, name));
  const real = await Promise.all(
    days.map(async (path) => isOwn(await lstat(path).catch(() => undefined), 'folder')),
  );
  return days.filter((_, i) => real[i]);
};

/** A sidecar and the day folder that contains it. */
interface HandleLocation {
  readonly folder: string;
  readonly meta: HandleMeta;
}

/** Finds the sidecar of a handle; undefined if it is missing or invalid. */
export const findMeta = async (
  root: string,
  handle: string,
): Promise<HandleLocation | undefined> => {
  if (!OUTPUT_HANDLE.test(handle)) return undefined;
  for (const folder of await dayFolders(root)) {
    const meta = await readMeta(folder, handle);
    if (meta) return { folder, meta };
  }
  return undefined;
};

/** All valid sidecars. */
export const allMetas = async (root: string): Promise<HandleMeta[]> => {
  const metas: HandleMeta[] = [];
  for (const folder of await dayFolders(root)) {
    for (const name of await readdir(folder).catch(() => [])) {
      const found = parseName(name);
      const meta =
        found && 'role' in found && found.role === 'meta'
          ? await readMeta(folder, found.handle)
          : undefined;
      if (meta) metas.push(meta);
    }
  }
  return metas;
};

interface Stats {
  isFile(): boolean;
  isDirectory(): boolean;
  readonly uid: number;
}

/**
 * A regular file or folder of the current user. Windows has no user ids; its profile folder is
 * private.
 */
const isOwn = (stats: Stats | undefined, what: 'file' | 'folder'): boolean => {
  if (!stats || !(what === 'file' ? stats.isFile() : stats.isDirectory())) return false;
  return process.getuid === undefined || stats.uid === process.getuid();
};

/** Neither links nor named pipes are opened. Windows lacks these flags, so lstat is used there. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Undefined if the path is not a regular file of the current user. */
export const openOwnFile = async (path: string): Promise<FileHandle | undefined> => {
  if (
    constants.O_NOFOLLOW === undefined &&
    !isOwn(await lstat(path).catch(() => undefined), 'file')
  )
    return undefined;
  const file = await open(path, FLAGS).catch(() => undefined);
  if (!file || isOwn(await file.stat(), 'file')) return file;
  await file.close();
  return undefined;
};

/** Undefined if the sidecar is missing or invalid. */
export const readMeta = async (folder: string, handle: string): Promise<HandleMeta | undefined> => {
  await using file = await openOwnFile(metaPath(folder, handle));
  if (!file || (await file.stat()).size > MAX_META_BYTES) return undefined;
  return parseMeta(await file.readFile('utf8'), handle);
};

export const parseMeta = (text: string, handle: string): HandleMeta | undefined =>
  attempt(() => {
    const meta = MetaSchema.safeParse(JSON.parse(text)).data;
    return meta?.output_handle === handle ? meta : undefined;
  });

// Lists the handles of stored payloads by their file names, newest day first.

const HANDLE_FILE = /^(oh_[A-Z2-7]{12})\.meta\.json$/;

const compareTexts = (a: string, b: string): number => (a < b ? -1 : 1);

/** `folder`: the folder of all payloads, with one folder per day. */
export const listHandleNames = async (folder: string, limit: number): Promise<string[]> => {
  // A missing folder has no payloads.
  const days = (await readdir(folder).catch(() => [])).toSorted(compareTexts).toReversed();
  const found: string[] = [];
  for (const day of days) {
    if (found.length >= limit) break;
    const files = await readdir(join(folder, day)).catch(() => []);
    found.push(...files.flatMap((file) => HANDLE_FILE.exec(file)?.[1] ?? []));
  }
  return found.slice(0, limit);
};
