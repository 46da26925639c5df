// Bytes of any size in rows of at most 1 MiB, readable by range.
import type { Queries } from './database.ts';

export const CHUNK_BYTES = 1024 * 1024;

export function* chunkText(text: string): Generator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
}

/** Collects pieces of any size into chunks. */
export function* fillChunks(pieces: Iterable<Uint8Array>): Generator<Buffer> {
  let rest: Uint8Array[] = [];
  let size = 0;
  for (const piece of pieces) {
    rest.push(piece);
    size += piece.length;
    if (size < CHUNK_BYTES) continue;
    const bytes = Buffer.concat(rest);
    const whole = bytes.length - (bytes.length % CHUNK_BYTES);
    for (let at = 0; at < whole; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
    rest = [bytes.subarray(whole)];
    size = bytes.length - whole;
  }
  if (size > 0) yield Buffer.concat(rest);
}

/** Replaces the chunks of an owner, in the transaction of the caller. */
export const saveChunks = async (
  queries: Queries,
  owner: string,
  chunks: Iterable<Uint8Array>,
): Promise<void> => {
  await queries.query('delete from openchrome.chunks where owner = $1', [owner]);
  let n = 0;
  for (const data of chunks)
    await queries.query('insert into openchrome.chunks (owner, n, data) values ($1, $2, $3)', [
      owner,
      n++,
      data,
    ]);
};

/** As base64, because the client decodes it about five times as fast as the binary type. */
const READ_PART = {
  name: 'oc_chunk_read',
  text: `select encode(substring(data from $3 for $4), 'base64') as part
    from openchrome.chunks where owner = $1 and n = $2`,
};

/** Undefined if the owner has no such bytes. */
export const loadRange = async (
  queries: Queries,
  owner: string,
  start: number,
  length: number,
): Promise<Buffer | undefined> => {
  const parts: Buffer[] = [];
  for (let at = start; at < start + length;) {
    const n = Math.floor(at / CHUNK_BYTES);
    const from = at - n * CHUNK_BYTES;
    const size = Math.min(CHUNK_BYTES - from, start + length - at);
    const [row] = await queries.query<{ part: string }>(READ_PART, [owner, n, from + 1, size]);
    const part = row && Buffer.from(row.part, 'base64');
    if (part?.length !== size) return undefined;
    parts.push(part);
    at += size;
  }
  return Buffer.concat(parts);
};

/** All bytes of an owner; undefined if there are none. */
export const loadChunks = async (queries: Queries, owner: string): Promise<Buffer | undefined> => {
  const parts: Buffer[] = [];
  for (;;) {
    const [row] = await queries.query<{ part: string }>(READ_PART, [
      owner,
      parts.length,
      1,
      CHUNK_BYTES,
    ]);
    if (!row) return parts.length === 0 ? undefined : Buffer.concat(parts);
    parts.push(Buffer.from(row.part, 'base64'));
  }
};
