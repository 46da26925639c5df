// The store of payloads: files, or PostgreSQL for a cluster. Handles use either.
import type { Swept } from '../files/sweeper.ts';
import type { HandleMeta } from './handle-files.ts';
import type { BinaryPayload, Payload } from './handle-payload.ts';

/** Facts that are known after the whole payload is written. */
export interface WrittenPayload {
  readonly sizeBytes: number;
  readonly itemCount: number | null;
  readonly items?: NonNullable<HandleMeta['items']>;
}

export interface PayloadWriteOptions {
  readonly handle: string;
  /** Time of the creation (Unix ms). */
  readonly now: number;
  readonly maxBytes: number;
  readonly metaOf: (written: WrittenPayload) => HandleMeta;
}

export interface PayloadStore {
  /** Writes a payload and its description: after a crash either both exist or neither. */
  write(payload: Payload | BinaryPayload, options: PayloadWriteOptions): Promise<HandleMeta>;
  /** Writes only a description, for a payload that is a part of another one. */
  writeMeta(meta: HandleMeta): Promise<void>;
  /** Undefined if the handle is unknown, malformed or its description is invalid. */
  findMeta(handle: string): Promise<HandleMeta | undefined>;
  /** The bytes of a whole payload (never of a part); undefined if they are missing. */
  openBytes(meta: HandleMeta): Promise<PayloadBytes | undefined>;
  listMetas(): Promise<HandleMeta[]>;
  /** Removes expired payloads, leftovers, and the oldest ones above the size limit. */
  sweep(options: { readonly now: number; readonly maxTotalBytes: number }): Promise<Swept>;
}

/** The bytes of a payload, open for reading any range. */
export interface PayloadBytes extends AsyncDisposable {
  readonly sizeBytes: number;
  /** Fills the buffer from `position`; throws an error with a code if there are fewer bytes. */
  read(buffer: Uint8Array, position: number): Promise<void>;
  /**
   * A file descriptor with the same bytes, for a worker thread of this process. It is valid until
   * the bytes are disposed of.
   */
  openFile(): Promise<number>;
}
