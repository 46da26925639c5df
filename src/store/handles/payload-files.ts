// Stores payloads in files, one folder per day, and removes expired ones; the default store.
import { type FileHandle, lstat, readdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing } from '../../system/disk-error.ts';
import { formatDay } from '../files/jsonl-log.ts';
import type { Swept } from '../files/sweeper.ts';
import {
  allMetas,
  dayFolders,
  findMeta,
  type HandleMeta,
  isAlive,
  metaPath,
  openOwnFile,
  parseName,
  payloadPath,
  readMeta,
} from './handle-files.ts';
import type { BinaryPayload, Payload } from './handle-payload.ts';
import { writeHandle, writeMeta } from './handle-write.ts';
import type { PayloadBytes, PayloadStore, PayloadWriteOptions } from './payload-store.ts';

/**
 * Writing takes seconds, so an incomplete file of this age is abandoned even if its writer is
 * alive.
 */
const ABANDONED_MS = 60 * 60 * 1000;
/** An unreadable sidecar has no expiry time, so it is removed at this age. */
const UNREADABLE_MS = 48 * 60 * 60 * 1000;

interface SweepOptions {
  readonly now: number;
  readonly maxTotalBytes: number;
}

/** One file of the store with its size. */
interface HandleFile {
  readonly path: string;
  readonly bytes: number;
  readonly modifiedMs: number;
}

interface StoredHandle {
  readonly meta: HandleMeta;
  readonly files: readonly HandleFile[];
}

/** Removes expired payloads, leftovers of crashes, and the oldest payloads above the size limit. */
const sweepHandles = async (root: string, { now, maxTotalBytes }: SweepOptions): Promise<Swept> => {
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
    // fails if the folder is not empty
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
    if (!parsed) continue; // not a file of this store
    if ('writer' in parsed) day.temporaries.push({ path, writer: parsed.writer });
    else if (parsed.role === 'meta') day.metas.add(parsed.handle);
    else day.payloads.set(path, parsed.handle);
  }
  return day;
};

/**
 * Temporary files whose writer is gone, and payloads without a sidecar. The sidecar is written
 * first, so it will not appear later.
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
 * Decides whether a handle is expired, incomplete or kept. Payloads are removed before their
 * sidecars, so that an interrupted sweep leaves no payload without a sidecar.
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
      verdict.doomed.push(...(await findPayloads(folder, handle)), sidecar);
    return;
  }
  const payload = meta.part ? undefined : await find(payloadPath(folder, handle, meta.mime_type));
  const files = payload ? [payload, sidecar] : [sidecar];
  const complete = meta.part !== undefined || payload !== undefined;
  const pending = !complete && isAlive(meta.writer) && sidecar.modifiedMs >= now - ABANDONED_MS;
  if (now >= Date.parse(meta.expires_at) || !(complete || pending)) verdict.doomed.push(...files);
  else verdict.kept.push({ meta, files });
};

const findPayloads = async (folder: string, handle: string): Promise<HandleFile[]> => {
  const found = await Promise.all(
    ['json', 'md', 'bin'].map((extension) => find(join(folder, `${handle}.${extension}`))),
  );
  return found.filter((file) => file !== undefined);
};

/** A part is removed together with the payload that contains it. */
const orphanedParts = (kept: readonly StoredHandle[]): HandleFile[] => {
  const wholes = new Set(kept.map(({ meta }) => meta.output_handle));
  return kept
    .filter(({ meta }) => meta.part && !wholes.has(meta.part.of))
    .flatMap(({ files }) => files);
};

/**
 * The oldest handles above the size limit. The newest is always kept, because a caller has just
 * received it.
 */
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

/** Undefined if the path is missing or a folder. Links are removed, not followed. */
const find = async (path: string): Promise<HandleFile | undefined> => {
  try {
    const stats = await lstat(path);
    return stats.isDirectory() ? undefined : { path, bytes: stats.size, modifiedMs: stats.mtimeMs };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
};

export class PayloadFiles implements PayloadStore {
  readonly #root: string;

  constructor(folder: string) {
    this.#root = folder;
  }

  write(payload: Payload | BinaryPayload, options: PayloadWriteOptions): Promise<HandleMeta> {
    return writeHandle(payload, { ...options, folder: this.#findDay(options.now) });
  }

  writeMeta(meta: HandleMeta): Promise<void> {
    return writeMeta(this.#findDay(Date.parse(meta.created_at)), meta);
  }

  async findMeta(handle: string): Promise<HandleMeta | undefined> {
    return (await findMeta(this.#root, handle))?.meta;
  }

  async openBytes(meta: HandleMeta): Promise<PayloadBytes | undefined> {
    const folder = this.#findDay(Date.parse(meta.created_at));
    const file = await openOwnFile(payloadPath(folder, meta.output_handle, meta.mime_type));
    return file && new FileBytes(file, (await file.stat()).size);
  }

  listMetas(): Promise<HandleMeta[]> {
    return allMetas(this.#root);
  }

  sweep(options: { readonly now: number; readonly maxTotalBytes: number }): Promise<Swept> {
    return sweepHandles(this.#root, options);
  }

  #findDay(now: number): string {
    return join(this.#root, formatDay(now));
  }
}

class FileBytes implements PayloadBytes {
  readonly #file: FileHandle;
  readonly sizeBytes: number;

  constructor(file: FileHandle, sizeBytes: number) {
    this.#file = file;
    this.sizeBytes = sizeBytes;
  }

  async read(buffer: Uint8Array, position: number): Promise<void> {
    let got = 0;
    while (got < buffer.length) {
      const { bytesRead } = await this.#file.read(buffer, got, buffer.length - got, position + got);
      if (bytesRead === 0)
        throw Object.assign(new Error('the file is shorter than it was'), { code: 'EIO' });
      got += bytesRead;
    }
  }

  async openFile(): Promise<number> {
    return this.#file.fd;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close();
  }
}
