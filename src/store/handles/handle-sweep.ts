// What leaves the store of payloads: the expired, what a crash left half-done, and the oldest when
// all together are too much.
import { lstat, readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing } from '../../system/disk-error.ts';
import {
  dayFolders,
  type HandleMeta,
  isAlive,
  metaPath,
  parseName,
  payloadPath,
  readMeta,
} from './handle-files.ts';
import { formatDay } from '../files/jsonl-log.ts';
import type { Swept } from '../files/sweeper.ts';

/** Writing takes seconds: after this even a living process does not complete what it began. */
const ABANDONED_MS = 60 * 60 * 1000;
/** A sidecar that cannot be read says no time; it goes when everything of its day has gone. */
const UNREADABLE_MS = 48 * 60 * 60 * 1000;

interface SweepOptions {
  readonly now: number;
  readonly maxTotalBytes: number;
}

/** One file of the store, and what it would free. */
interface HandleFile {
  readonly path: string;
  readonly bytes: number;
  readonly modifiedMs: number;
}

interface StoredHandle {
  readonly meta: HandleMeta;
  readonly files: readonly HandleFile[];
}

export const sweepHandles = async (
  root: string,
  { now, maxTotalBytes }: SweepOptions,
): Promise<Swept> => {
  const doomed: HandleFile[] = [];
  const kept: StoredHandle[] = [];
  const folders = await dayFolders(root);
  for (const folder of folders) {
    const day = await lookAt(folder);
    doomed.push(...(await leftovers(folder, day, now)));
    for (const handle of day.metas) await judge(folder, handle, now, { doomed, kept });
  }
  doomed.push(...orphanedParts(kept), ...overLimit(kept, maxTotalBytes));
  for (const { path } of doomed) await rm(path, { force: true });
  for (const folder of folders)
    // only goes when it is empty
    if (!folder.endsWith(formatDay(now))) await rmdir(folder).catch(() => {});
  return { files: doomed.length, bytes: doomed.reduce((sum, { bytes }) => sum + bytes, 0) };
};

interface Day {
  readonly metas: Set<string>;
  readonly payloads: Map<string, string>;
  readonly temporaries: { readonly path: string; readonly writer: HandleMeta['writer'] }[];
}

const lookAt = async (folder: string): Promise<Day> => {
  const day: Day = { metas: new Set(), payloads: new Map(), temporaries: [] };
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const parsed = parseName(name);
    if (!parsed) continue; // not ours: left alone
    if ('writer' in parsed) day.temporaries.push({ path, writer: parsed.writer });
    else if (parsed.role === 'meta') day.metas.add(parsed.handle);
    else day.payloads.set(path, parsed.handle);
  }
  return day;
};

/**
 * Temporary files whose writer is gone, and payloads without a sidecar: it is there before the
 * payload is, so it will not come.
 */
const leftovers = async (
  folder: string,
  { metas, payloads, temporaries }: Day,
  now: number,
): Promise<HandleFile[]> => {
  const out: HandleFile[] = [];
  for (const { path, writer } of temporaries) {
    const found = await find(path);
    if (found && (!isAlive(writer) || found.modifiedMs < now - ABANDONED_MS)) out.push(found);
  }
  for (const [path, handle] of payloads) {
    if (metas.has(handle) || (await find(metaPath(folder, handle)))) continue;
    const found = await find(path);
    if (found) out.push(found);
  }
  return out;
};

/**
 * Expired, incomplete or kept; the payload stands before its sidecar, so that an interrupted sweep
 * leaves nothing nameless.
 */
const judge = async (
  folder: string,
  handle: string,
  now: number,
  verdict: { doomed: HandleFile[]; kept: StoredHandle[] },
): Promise<void> => {
  const sidecar = await find(metaPath(folder, handle));
  if (!sidecar) return; // another process swept it
  const meta = await readMeta(folder, handle);
  if (!meta) {
    if (sidecar.modifiedMs < now - UNREADABLE_MS)
      verdict.doomed.push(...(await payloadsOf(folder, handle)), sidecar);
    return;
  }
  const payload = meta.part ? undefined : await find(payloadPath(folder, handle, meta.mime_type));
  const files = payload ? [payload, sidecar] : [sidecar];
  const complete = meta.part !== undefined || payload !== undefined;
  const pending = !complete && isAlive(meta.writer) && sidecar.modifiedMs >= now - ABANDONED_MS;
  if (now >= Date.parse(meta.expires_at) || !(complete || pending)) verdict.doomed.push(...files);
  else verdict.kept.push({ meta, files });
};

const payloadsOf = async (folder: string, handle: string): Promise<HandleFile[]> => {
  const found = await Promise.all(
    ['json', 'md', 'bin'].map((extension) => find(join(folder, `${handle}.${extension}`))),
  );
  return found.filter((file) => file !== undefined);
};

/** A part does not outlive the payload that it is a part of. */
const orphanedParts = (kept: readonly StoredHandle[]): HandleFile[] => {
  const wholes = new Set(kept.map(({ meta }) => meta.output_handle));
  return kept
    .filter(({ meta }) => meta.part && !wholes.has(meta.part.of))
    .flatMap(({ files }) => files);
};

/** The oldest, as many as it takes; the newest stays, it was just promised to somebody. */
const overLimit = (kept: readonly StoredHandle[], maxTotalBytes: number): HandleFile[] => {
  let total = 0;
  return kept
    .toSorted((a, b) => b.meta.created_at.localeCompare(a.meta.created_at))
    .filter(({ files }, i) => {
      total += files.reduce((sum, { bytes }) => sum + bytes, 0);
      return total > maxTotalBytes && i > 0;
    })
    .flatMap(({ files }) => files);
};

/** Nothing when it is gone, or is no file: links are swept as links, never followed. */
const find = async (path: string): Promise<HandleFile | undefined> => {
  try {
    const stats = await lstat(path);
    return stats.isDirectory() ? undefined : { path, bytes: stats.size, modifiedMs: stats.mtimeMs };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
};
