// Stores, opens, lists and expires payloads by handle.
import { createHash } from 'node:crypto';
import { defined } from '../../core/defined.ts';
import { Failure, fail } from '../../core/failure.ts';
import { createOutputHandle, buildOutputHandle } from '../../core/ids.ts';
import type { Log } from '../../core/log.ts';
import type { WorkerPool } from '../../core/worker-pool.ts';
import { storageFailure } from '../../system/disk-error.ts';
import { type HandleMeta, WRITER } from './handle-files.ts';
import { ItemScanner, RunPacker } from './handle-index.ts';
import type { BinaryPayload, Payload } from './handle-payload.ts';
import { OpenPayload } from './handle-pages.ts';
import { Searches } from './handle-search.ts';
import type { PayloadStore, WrittenPayload } from './payload-store.ts';
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
  readonly payloads: PayloadStore;
  readonly ttlMs: number;
  readonly maxTotalBytes: number;
  readonly sweepEveryMs: number;
  readonly log: Log;
  /** Threads that run searches in payloads. */
  readonly workers: WorkerPool;
  readonly onCreated?: (event: HandleCreated) => void;
  readonly now?: () => number;
}

/** Who reads a payload. */
export interface PayloadReader {
  /** The session of the call if it has its own storage; undefined for Chrome's profile. */
  readonly session?: string | undefined;
  /** The user of this machine, who may read every payload. */
  readonly isUser?: boolean | undefined;
}

/** Share of the size limit that may be added before an extra sweep runs. */
const UNWATCHED_PART = 0.1;

export class Handles {
  readonly searches: Searches;
  readonly #options: HandlesOptions;
  readonly #payloads: PayloadStore;
  readonly #now: () => number;
  #bytesSinceSweep = 0;

  constructor(options: HandlesOptions) {
    this.#options = options;
    this.#payloads = options.payloads;
    this.searches = new Searches(options.workers);
    this.#now = options.now ?? Date.now;
  }

  /**
   * Stores a payload. Only `session` can read it; without one, every session of Chrome's profile. A
   * disk error throws a failure and leaves no files.
   */
  async store(
    payload: Payload | BinaryPayload,
    sourceTool: string,
    session?: string,
  ): Promise<HandleMeta> {
    const now = this.#now();
    const handle = createOutputHandle();
    const lifetime = { created_at: iso(now), expires_at: iso(now + this.#options.ttlMs) };
    const metaOf = ({ sizeBytes, itemCount, items }: WrittenPayload): HandleMeta =>
      defined({
        version: 1,
        output_handle: handle,
        mime_type: payload.mimeType,
        size_bytes: sizeBytes,
        item_count: itemCount,
        source_tool: sourceTool,
        session,
        ...lifetime,
        items,
        writer: WRITER,
      });
    const meta = await this.#writing(handle, () =>
      this.#payloads.write(payload, {
        handle,
        now,
        maxBytes: this.#options.maxTotalBytes,
        metaOf,
      }),
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
    const known = await this.#payloads.findMeta(handle);
    if (known) return known;
    const items = await buildIndex(whole, start, end);
    const now = this.#now();
    const meta: HandleMeta = defined({
      version: 1,
      output_handle: handle,
      mime_type: whole.meta.mime_type,
      size_bytes: end - start,
      item_count: items?.itemCount ?? null,
      source_tool: whole.meta.source_tool,
      session: whole.meta.session,
      created_at: iso(now),
      expires_at: whole.meta.expires_at,
      items: items?.finish(),
      part: { of, start: from },
      writer: WRITER,
    });
    await this.#writing(handle, () => this.#payloads.writeMeta(meta));
    this.#created(meta);
    return meta;
  }

  /**
   * Throws "not found" for unknown, malformed, expired and unreadable handles, and for those of
   * other sessions.
   */
  async open(handle: string, reader: PayloadReader = {}): Promise<OpenPayload> {
    const meta = await this.#payloads.findMeta(handle);
    const root = meta?.part ? await this.#payloads.findMeta(meta.part.of) : meta;
    if (!meta || !root || !this.#isLive(meta) || !this.#isLive(root))
      throw handleNotFoundFailure(handle);
    if (!mayRead(meta, reader) || !mayRead(root, reader)) throw handleNotFoundFailure(handle);
    const bytes = await this.#payloads.openBytes(root);
    if (!bytes) throw handleNotFoundFailure(handle);
    if (bytes.sizeBytes === root.size_bytes && findEnd(meta) <= root.size_bytes)
      return new OpenPayload(meta, bytes);
    await bytes[Symbol.asyncDispose]();
    throw handleNotFoundFailure(handle);
  }

  /** The facts of a payload; undefined if the reader has none with this handle. */
  async find(handle: string, reader: PayloadReader): Promise<HandleMeta | undefined> {
    const meta = await this.#payloads.findMeta(handle);
    return meta && this.#isLive(meta) && mayRead(meta, reader) ? meta : undefined;
  }

  /** All handles of the reader that have not expired, newest first. */
  async list(reader: PayloadReader = {}): Promise<HandleMeta[]> {
    const metas = await this.#payloads.listMetas();
    return metas
      .filter((meta) => this.#isLive(meta) && mayRead(meta, reader))
      .sort((a, b) => b.created_at.localeCompare(a.created_at));
  }

  get retention(): RetentionRule {
    const { maxTotalBytes, sweepEveryMs } = this.#options;
    return {
      name: 'output handles',
      everyMs: sweepEveryMs,
      sweep: (now) => {
        this.#bytesSinceSweep = 0;
        return this.#payloads.sweep({ now, maxTotalBytes });
      },
    };
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

const mayRead = (meta: HandleMeta, { session, isUser }: PayloadReader): boolean =>
  isUser === true || meta.session === session;

const iso = (ms: number): string => new Date(ms).toISOString();

const findEnd = ({ part, size_bytes: sizeBytes }: HandleMeta): number =>
  (part?.start ?? 0) + sizeBytes;

export const handleNotFoundFailure = (handle: string): Failure =>
  fail(
    'output_handle_not_found',
    `No stored payload ${JSON.stringify(handle.slice(0, 40))}: the handle is unknown or expired, ` +
      'or belongs to another session.',
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
