// Writes and reads evidence bundles, .tar.gz files that are identical for identical content.
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { createTarDecoder } from 'modern-tar';
import { fail, Failure } from '../../core/failure.ts';
import { canParseUrl } from '../../core/text.ts';
import { storageFailure } from '../../system/disk-error.ts';
import { replaceFileBy } from '../../system/replace-file.ts';

// Builds a tar archive that is identical for identical content, without data of this machine.

export interface TarEntry {
  /** ASCII, at most 100 characters, with `/` as separator. */
  readonly name: string;
  readonly content: Uint8Array;
}

const BLOCK = 512;
const MODE = 0o600;

/** POSIX ustar format. Entries are consumed while earlier ones are written. */
export async function* packTar(
  entries: AsyncIterable<TarEntry> | Iterable<TarEntry>,
  modifiedMs: number,
): AsyncGenerator<Uint8Array> {
  for await (const { name, content } of entries) {
    yield buildHeader(name, content.length, modifiedMs);
    yield content;
    yield Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK);
  }
  yield Buffer.alloc(2 * BLOCK);
}

const buildHeader = (name: string, size: number, modifiedMs: number): Buffer => {
  if (!/^[\x21-\x7e]{1,100}$/.test(name))
    throw new Error(`"${name}" cannot be the name of a file in an archive`);
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, length: number): void =>
    void header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1');
  header.write(name, 0, 'latin1');
  octal(MODE, 100, 8);
  octal(0, 108, 8); // owner and group id 0
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(Math.floor(modifiedMs / 1000), 136, 12);
  header.write('        ', 148, 'latin1'); // the checksum is computed with spaces in its field
  header.write('0', 156, 'latin1');
  header.write('ustar\u000000', 257, 'latin1');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return header;
};

export interface Archive {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Builds a new file name from the host of the page and the capture time. */
export const evidencePath = (folder: string, url: string, at: number): string => {
  const host = canParseUrl(url) ? new URL(url).host : '';
  const words = host
    .toLowerCase()
    .replace(/[^a-z\d.]+/g, '-')
    .slice(0, 60)
    .replace(/^[-.]+|[-.]+$/g, '');
  const time = new Date(at).toISOString().replace(/[-:.]/g, '');
  return join(folder, `${words || 'page'}-${time}-${randomBytes(2).toString('hex')}.tar.gz`);
};

/**
 * Writes entries while later ones are captured. If the work fails, the incomplete file is removed.
 */
export const saveArchive = async (
  path: string,
  entries: AsyncIterable<TarEntry>,
  { modifiedMs, signal }: { readonly modifiedMs: number; readonly signal: AbortSignal },
): Promise<Archive> => {
  try {
    const archive = packTar(entries, modifiedMs);
    const written = await replaceFileBy(path, (file) => writePacked(file, archive, signal));
    return { path, ...written };
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
};

const writePacked = async (
  file: FileHandle,
  content: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<Omit<Archive, 'path'>> => {
  const hash = createHash('sha256');
  let bytes = 0;
  const toFile = async (packed: AsyncIterable<Buffer>): Promise<void> => {
    for await (const chunk of packed) {
      hash.update(chunk);
      bytes += chunk.length;
      await file.writeFile(chunk);
    }
  };
  await pipeline(Readable.from(content, { objectMode: true }), createGzip(), toFile, { signal });
  return { bytes, sha256: hash.digest('hex') };
};

/** Larger contents are only hashed. */
const KEPT_BYTES = 4_000_000;
/** A compressed file can unpack to far more than its own size. */
const MAX_UNPACKED_BYTES = 4_000_000_000;
const MAX_ENTRIES = 10_000;

/** A file of an archive. The content is undefined if the file is large. */
export interface ArchivedFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly content?: Buffer | undefined;
}

/** Reads the files of an archive in order, and keeps at most one of them in memory. */
export async function* readArchive(path: string): AsyncGenerator<ArchivedFile> {
  const file = createReadStream(path);
  const unpacked = createGunzip();
  file.on('error', (error) => unpacked.destroy(storageFailure('read', path, error)));
  const entries = Readable.toWeb(file.pipe(unpacked)).pipeThrough(createTarDecoder());
  let [total, count] = [0, 0];
  try {
    for await (const { header, body } of entries) {
      const read = await readEntry(body, MAX_UNPACKED_BYTES - total);
      total += read.bytes;
      if (++count > MAX_ENTRIES) throw new Error(`it has more than ${MAX_ENTRIES} files`);
      yield { name: header.name, ...read };
    }
  } catch (error) {
    if (error instanceof Failure) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw fail('invalid_argument', `${path} is not a complete .tar.gz archive: ${reason}`, {
      argument: 'file',
    });
  } finally {
    file.destroy();
    unpacked.destroy();
  }
}

const readEntry = async (
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<Omit<ArchivedFile, 'name'>> => {
  const hash = createHash('sha256');
  const kept: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    hash.update(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error('it unpacks to more than 4 GB');
    if (bytes <= KEPT_BYTES) kept.push(chunk);
  }
  const content = bytes <= KEPT_BYTES ? Buffer.concat(kept) : undefined;
  return { bytes, sha256: hash.digest('hex'), content };
};

/** Returns the index page of a bundle with its pictures inside; undefined if it has none. */
export const loadBundlePage = async (path: string): Promise<Buffer | undefined> => {
  let page: string | undefined;
  const pictures = new Map<string, string>();
  for await (const { name, content } of readArchive(path)) {
    const base = name.slice(name.indexOf('/') + 1);
    if (base === 'index.html') page = content?.toString('utf8');
    const [, type] = /\.(png|jpe?g|webp)$/.exec(base) ?? [];
    if (type !== undefined && content)
      pictures.set(base, `data:image/${type};base64,${content.toString('base64')}`);
  }
  if (page === undefined) return undefined;
  let shown = page;
  for (const [name, data] of pictures) shown = shown.replaceAll(`src="${name}"`, `src="${data}"`);
  return Buffer.from(shown);
};
