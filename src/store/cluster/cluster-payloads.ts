// Stored payloads in PostgreSQL: descriptions in rows, bytes in chunks.
import { mkdtemp, open, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fail } from '../../core/failure.ts';
import { OUTPUT_HANDLE } from '../../core/ids.ts';
import type { Swept } from '../files/sweeper.ts';
import { type HandleMeta, parseMeta } from '../handles/handle-files.ts';
import { IndexBuilder } from '../handles/handle-index.ts';
import type { BinaryPayload, Payload } from '../handles/handle-payload.ts';
import type {
  PayloadBytes,
  PayloadStore,
  PayloadWriteOptions,
  WrittenPayload,
} from '../handles/payload-store.ts';
import { CHUNK_BYTES, fillChunks, loadRange, saveChunks } from './chunks.ts';
import { sweepPayloads } from './cluster-sweep.ts';
import type { Database, Queries } from './database.ts';

/** Smaller differences between the clocks of two machines do not matter. */
const CLOCK_TOLERANCE_MS = 60_000;

interface StoredMeta {
  readonly handle: string;
  readonly meta: string;
  readonly left_ms: number;
}

const META_COLUMNS = `handle, meta,
  (extract(epoch from expires_at - clock_timestamp()) * 1000)::float8 as left_ms`;

const FIND = {
  name: 'oc_payload_find',
  text: `select ${META_COLUMNS} from openchrome.payloads
    where handle = $1 and expires_at > clock_timestamp()`,
};

export class ClusterPayloads implements PayloadStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async write(
    payload: Payload | BinaryPayload,
    { handle, maxBytes, metaOf }: PayloadWriteOptions,
  ): Promise<HandleMeta> {
    return this.#database.transaction(async (queries) => {
      const counter = new PayloadCounter(payload, maxBytes);
      await saveChunks(queries, handle, fillChunks(counter.pieces()));
      const meta = metaOf(counter.written());
      await insertMeta(queries, meta);
      return meta;
    });
  }

  async writeMeta(meta: HandleMeta): Promise<void> {
    await insertMeta(this.#database, meta);
  }

  async findMeta(handle: string): Promise<HandleMeta | undefined> {
    if (!OUTPUT_HANDLE.test(handle)) return undefined;
    const [row] = await this.#database.query<{ [K in keyof StoredMeta]: StoredMeta[K] }>(FIND, [
      handle,
    ]);
    return row && toMeta(row);
  }

  /** Without a statement: the bytes are stored and deleted together with the description. */
  async openBytes(meta: HandleMeta): Promise<PayloadBytes | undefined> {
    return new ClusterBytes(this.#database, meta.output_handle, meta.size_bytes);
  }

  async listMetas(): Promise<HandleMeta[]> {
    const rows = await this.#database.query<{ [K in keyof StoredMeta]: StoredMeta[K] }>(
      `select ${META_COLUMNS} from openchrome.payloads where expires_at > clock_timestamp()
       order by created_at desc`,
    );
    return rows.flatMap((row) => toMeta(row) ?? []);
  }

  sweep({ maxTotalBytes }: { readonly maxTotalBytes: number }): Promise<Swept> {
    return sweepPayloads(this.#database, maxTotalBytes);
  }
}

/** The lifetime counts from the database's time of the insert. */
const insertMeta = async (queries: Queries, meta: HandleMeta): Promise<void> => {
  const lifetimeMs = Date.parse(meta.expires_at) - Date.parse(meta.created_at);
  await queries.query(
    `insert into openchrome.payloads (handle, meta, size_bytes, part_of, expires_at)
     values ($1, $2, $3, $4, clock_timestamp() + $5::float8 * interval '1 millisecond')
     on conflict (handle) do nothing`,
    [
      meta.output_handle,
      JSON.stringify(meta),
      meta.part ? 0 : meta.size_bytes,
      meta.part?.of ?? null,
      lifetimeMs,
    ],
  );
};

/** The time of expiry by the clock of this machine, if it differs from the writer's clock. */
const toMeta = ({ handle, meta: text, left_ms: leftMs }: StoredMeta): HandleMeta | undefined => {
  const meta = parseMeta(text, handle);
  if (!meta) return undefined;
  const expiresAt = Date.now() + leftMs;
  return Math.abs(Date.parse(meta.expires_at) - expiresAt) < CLOCK_TOLERANCE_MS
    ? meta
    : { ...meta, expires_at: new Date(expiresAt).toISOString() };
};

/** Counts a payload's bytes and items while it is written. */
class PayloadCounter {
  readonly #payload: Payload | BinaryPayload;
  readonly #maxBytes: number;
  readonly #index = new IndexBuilder();

  constructor(payload: Payload | BinaryPayload, maxBytes: number) {
    this.#payload = payload;
    this.#maxBytes = maxBytes;
  }

  *pieces(): Generator<Uint8Array> {
    const payload = this.#payload;
    if ('bytes' in payload) {
      this.#requireSize(payload.bytes.length);
      for (let at = 0; at < payload.bytes.length; at += CHUNK_BYTES)
        yield payload.bytes.subarray(at, at + CHUNK_BYTES);
      return;
    }
    for (const piece of payload.pieces()) {
      this.#index.add(piece);
      this.#requireSize(this.#index.sizeBytes);
      yield Buffer.from(piece.text);
    }
  }

  #requireSize(bytes: number): void {
    if (bytes <= this.#maxBytes) return;
    throw fail(
      'storage_failed',
      `The payload is larger than the limit for all stored payloads (${this.#maxBytes} bytes).`,
      {
        hint: 'Request less data, or start the server with a larger --output-store-max-bytes.',
        retryable: false,
      },
    );
  }

  written(): WrittenPayload {
    const payload = this.#payload;
    if ('bytes' in payload) return { sizeBytes: payload.bytes.length, itemCount: null };
    const { sizeBytes, itemCount } = this.#index;
    return payload.items
      ? { sizeBytes, itemCount, items: { ...payload.items, ...this.#index.toStored() } }
      : { sizeBytes, itemCount: null };
  }
}

class ClusterBytes implements PayloadBytes {
  readonly #database: Database;
  readonly #handle: string;
  readonly sizeBytes: number;
  #copy: Promise<FileHandle> | undefined;

  constructor(database: Database, handle: string, sizeBytes: number) {
    this.#database = database;
    this.#handle = handle;
    this.sizeBytes = sizeBytes;
  }

  async read(buffer: Uint8Array, position: number): Promise<void> {
    const bytes = await loadRange(this.#database, this.#handle, position, buffer.length);
    if (!bytes) throw Object.assign(new Error('the payload was removed'), { code: 'EIO' });
    buffer.set(bytes);
  }

  async openFile(): Promise<number> {
    this.#copy ??= this.#copyToFile();
    return (await this.#copy).fd;
  }

  /** The file has no name, so that it disappears with this process. */
  async #copyToFile(): Promise<FileHandle> {
    const folder = await mkdtemp(join(tmpdir(), 'openchrome-payload-'));
    try {
      const file = await open(join(folder, 'bytes'), 'wx+', 0o600);
      const buffer = Buffer.alloc(Math.min(CHUNK_BYTES, this.sizeBytes));
      for (let at = 0; at < this.sizeBytes; at += CHUNK_BYTES) {
        const part = buffer.subarray(0, Math.min(CHUNK_BYTES, this.sizeBytes - at));
        await this.read(part, at);
        await file.write(part, 0, part.length, at);
      }
      return file;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#copy?.catch(() => undefined))?.close();
  }
}
