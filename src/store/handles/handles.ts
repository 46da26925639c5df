// Stores, opens, lists and expires payloads by handle.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { defined } from '../../core/defined.ts';
import { Failure, fail } from '../../core/failure.ts';
import { createOutputHandle, buildOutputHandle } from '../../core/ids.ts';
import type { Log } from '../../core/log.ts';
import type { WorkerPool } from '../../core/worker-pool.ts';
import { storageFailure } from '../../system/disk-error.ts';
import {
  allMetas,
  findMeta,
  type HandleMeta,
  openOwnFile,
  payloadPath,
  WRITER,
} from './handle-files.ts';
import { ItemScanner, RunPacker } from './handle-index.ts';
import type { BinaryPayload, Payload } from './handle-payload.ts';
import { OpenPayload } from './handle-read.ts';
import { Searches } from './handle-search.ts';
import { sweepHandles } from './handle-sweep.ts';
import { writeHandle, writeMeta, type WrittenPayload } from './handle-write.ts';
import { formatDay } from '../files/jsonl-log.ts';
import type { RetentionRule } from '../files/sweeper.ts';

/** Journal event for every new handle. */
export interface HandleCreated {
  readonly ts: number;
  readonly event: 'output_handle_created';
  readonly handle: string;
  readonly source_tool: string;
  readonly size_bytes: number;
  readonly mime_type: string;
}

interface HandlesOptions {
  readonly folder: string;
  readonly ttlMs: number;
  readonly maxTotalBytes: number;
  readonly sweepEveryMs: number;
  readonly log: Log;
  /** Threads that run searches in payloads. */
  readonly workers: WorkerPool;
  readonly onCreated?: (event: HandleCreated) => void;
  readonly now?: () => number;
}

/** Share of the size limit that may be added before an extra sweep runs. */
const UNWATCHED_PART = 0.1;

export class Handles {
  readonly searches: Searches;
  readonly #options: HandlesOptions;
  readonly #now: () => number;
  #bytesSinceSweep = 0;

  constructor(options: HandlesOptions) {
    this.#options = options;
    this.searches = new Searches(options.workers);
    this.#now = options.now ?? Date.now;
  }

  /** Stores a payload. A disk error throws a failure and leaves no files. */
  async store(payload: Payload | BinaryPayload, sourceTool: string): Promise<HandleMeta> {
    const now = this.#now();
    const handle = createOutputHandle();
    const folder = this.#folderOf(now);
    const lifetime = { created_at: iso(now), expires_at: iso(now + this.#options.ttlMs) };
    const metaOf = ({ sizeBytes, itemCount, items }: WrittenPayload): HandleMeta =>
      defined({
        version: 1,
        output_handle: handle,
        mime_type: payload.mimeType,
        size_bytes: sizeBytes,
        item_count: itemCount,
        source_tool: sourceTool,
        ...lifetime,
        items,
        writer: WRITER,
      });
    const meta = await this.#writing(handle, () =>
      writeHandle(payload, { folder, handle, maxBytes: this.#options.maxTotalBytes, metaOf }),
    );
    await this.#keepWithinLimit(meta.size_bytes);
    this.#created(meta);
    return meta;
  }

  /**
   * A handle for the bytes from `start` to `end` of an open payload, without a copy. It expires
   * with the whole. The same part always gets the same handle.
   */
  async storePart(whole: OpenPayload, start: number, end: number): Promise<HandleMeta> {
    const of = whole.meta.part?.of ?? whole.meta.output_handle;
    const from = whole.base + start;
    const handle = buildOutputHandle(
      createHash('sha256')
        .update(`${of}:${from}:${end - start}`)
        .digest(),
    );
    const known = await findMeta(this.#options.folder, handle);
    if (known) return known.meta;
    const items = await buildIndex(whole, start, end);
    const now = this.#now();
    const meta: HandleMeta = defined({
      version: 1,
      output_handle: handle,
      mime_type: whole.meta.mime_type,
      size_bytes: end - start,
      item_count: items?.itemCount ?? null,
      source_tool: whole.meta.source_tool,
      created_at: iso(now),
      expires_at: whole.meta.expires_at,
      items: items?.finish(),
      part: { of, start: from },
      writer: WRITER,
    });
    await this.#writing(handle, () => writeMeta(this.#folderOf(now), meta));
    this.#created(meta);
    return meta;
  }

  /** Throws "not found" for unknown, malformed, expired and unreadable handles. */
  async open(handle: string): Promise<OpenPayload> {
    const place = await findMeta(this.#options.folder, handle);
    const root = place?.meta.part
      ? await findMeta(this.#options.folder, place.meta.part.of)
      : place;
    if (!place || !root || !this.#isLive(place.meta) || !this.#isLive(root.meta))
      throw handleNotFoundFailure(handle);
    const file = await openOwnFile(
      payloadPath(root.folder, root.meta.output_handle, root.meta.mime_type),
    );
    if (!file) throw handleNotFoundFailure(handle);
    const whole =
      (await file.stat()).size === root.meta.size_bytes &&
      findEnd(place.meta) <= root.meta.size_bytes;
    if (whole) return new OpenPayload(place.meta, file);
    await file.close();
    throw handleNotFoundFailure(handle);
  }

  /** All handles that have not expired, newest first. */
  async list(): Promise<HandleMeta[]> {
    const metas = await allMetas(this.#options.folder);
    return metas
      .filter((meta) => this.#isLive(meta))
      .sort((a, b) => b.created_at.localeCompare(a.created_at));
  }

  get retention(): RetentionRule {
    const { folder, maxTotalBytes, sweepEveryMs } = this.#options;
    return {
      name: 'output handles',
      everyMs: sweepEveryMs,
      sweep: (now) => {
        this.#bytesSinceSweep = 0;
        return sweepHandles(folder, { now, maxTotalBytes });
      },
    };
  }

  #folderOf(now: number): string {
    return join(this.#options.folder, formatDay(now));
  }

  #isLive({ expires_at: expiresAt }: HandleMeta): boolean {
    return this.#now() < Date.parse(expiresAt);
  }

  async #writing<T>(handle: string, write: () => Promise<T>): Promise<T> {
    try {
      return await write();
    } catch (error) {
      throw error instanceof Failure ? error : storageFailure('store', `output/${handle}`, error);
    }
  }

  /** Sweeps run at intervals; this handles a burst of payloads between two sweeps. */
  async #keepWithinLimit(addedBytes: number): Promise<void> {
    this.#bytesSinceSweep += addedBytes;
    if (this.#bytesSinceSweep <= this.#options.maxTotalBytes * UNWATCHED_PART) return;
    await this.retention
      .sweep(this.#now())
      .catch((error: unknown) =>
        this.#options.log.warn('expired payloads could not be deleted', error),
      );
  }

  /** An error in `onCreated` must not fail the call that stored the payload. */
  #created(meta: HandleMeta): void {
    try {
      this.#options.onCreated?.({
        ts: this.#now(),
        event: 'output_handle_created',
        handle: meta.output_handle,
        source_tool: meta.source_tool,
        size_bytes: meta.size_bytes,
        mime_type: meta.mime_type,
      });
    } catch (error) {
      this.#options.log.warn('a stored payload was not recorded', error);
    }
  }
}

const iso = (ms: number): string => new Date(ms).toISOString();

const findEnd = ({ part, size_bytes: sizeBytes }: HandleMeta): number =>
  (part?.start ?? 0) + sizeBytes;

export const handleNotFoundFailure = (handle: string): Failure =>
  fail(
    'output_handle_not_found',
    `No stored payload ${JSON.stringify(handle.slice(0, 40))}: the handle is unknown or expired.`,
    {
      output_handle: handle.slice(0, 40),
    },
  );

const OPEN_ARRAY = 0x5b;

/** The index of a part that is an array; undefined for other parts. */
const buildIndex = async (
  whole: OpenPayload,
  start: number,
  end: number,
): Promise<RunPacker | undefined> => {
  const [first] = await whole.read(start, start + 1);
  if (first !== OPEN_ARRAY) return undefined;
  const packer = new RunPacker();
  const scanner = new ItemScanner((from, to) => packer.add(from, to));
  for await (const chunk of whole.chunks(start, end)) scanner.feed(chunk);
  return packer;
};
