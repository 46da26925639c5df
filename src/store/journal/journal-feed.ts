// Reads the journal by position, forwards and backwards, and reports when it grows.
import { type FSWatcher, watch } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { attempt } from '../../core/attempt.ts';
import { isObject, parseJson } from '../../core/json.ts';
import { every } from '../../core/time.ts';
import { openRegularFile } from '../../system/private-files.ts';
import { ensureFolder } from '../../system/private-files.ts';

/** A line of the journal with the position of its first byte. */
export interface FeedLine {
  readonly id: string;
  readonly entry: Readonly<Record<string, unknown>> & { readonly ts: number };
}

export interface FeedPage {
  /** Oldest first. */
  readonly lines: readonly FeedLine[];
  /** Where the next read in the same direction continues. */
  readonly position: string;
  /** More lines can be read in the same direction at once. */
  readonly more: boolean;
  /** The given position no longer exists: lines may be missing before these. */
  readonly gap: boolean;
}

interface JournalFile {
  readonly path: string;
  /** The inode: it stays the same when a full file is renamed. */
  readonly inode: string;
  readonly size: number;
}

interface FilePosition {
  readonly index: number;
  readonly offset: number;
}

const NAME = /^journal-\d{4}-\d{2}-\d{2}(?:-\d{13})?\.jsonl$/;
const POSITION = /^(\d{1,24})\.(\d{1,15})$/;
const CHUNK_BYTES = 1024 * 1024;
/** Expected size of a line; a chunk for few lines is smaller. */
const LINE_BYTES = 512;
/** Arguments and summaries of entries are limited, so that no line is longer. */
const MAX_LINE_BYTES = 64 * 1024;
const NEWLINE = 10;
/** File system events can be missed, for example on network drives. */
const POLL_MS = 1_000;

export class JournalFeed {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The position after the last complete line. */
  async end(): Promise<string> {
    return (await this.readBefore(undefined, 0)).position;
  }

  /** Returns the lines after a position. An unknown position reads from the oldest line. */
  async readAfter(position: string): Promise<FeedPage> {
    const files = await this.#list();
    const found = locate(files, position);
    const at = found ?? { index: 0, offset: 0 };
    const gap = found === undefined && files.length > 0;
    for (let { index, offset } = at; index < files.length; index++, offset = 0) {
      const file = files[index] as JournalFile;
      const chunk = await readChunk(file, offset, offset + CHUNK_BYTES);
      const { end } = chunk;
      const more = end < file.size || index < files.length - 1;
      if (end === offset) continue;
      const lines = parseLines(file, chunk, chunk.lines);
      return { lines, position: formatPosition(file, end), more, gap };
    }
    return { lines: [], position, more: false, gap };
  }

  /** Returns up to `count` lines before a position, or before the end of the journal. */
  async readBefore(position: string | undefined, count: number): Promise<FeedPage> {
    const files = await this.#list();
    const last = files.at(-1);
    if (!last) return { lines: [], position: '0.0', more: false, gap: false };
    const known = position === undefined ? undefined : locate(files, position);
    const gap = position !== undefined && known === undefined;
    if (gap) return { lines: [], position, more: false, gap };
    let { index, offset } = known ?? { index: files.length - 1, offset: await findEnd(last) };
    const lines: FeedLine[] = [];
    while (lines.length < count && (offset > 0 || index > 0)) {
      if (offset === 0) {
        index--;
        offset = (files[index] as JournalFile).size;
        continue;
      }
      const file = files[index] as JournalFile;
      const from = Math.max(0, offset - chooseChunkBytes(count - lines.length));
      const chunk = await readChunk(file, from, offset, from > 0);
      const wanted = chunk.lines.slice(Math.max(0, chunk.lines.length - (count - lines.length)));
      lines.unshift(...parseLines(file, chunk, wanted));
      const [first] = wanted;
      // A line longer than a chunk is skipped.
      offset = first ? from + first.start : from;
    }
    const file = files[index] as JournalFile;
    return { lines, position: formatPosition(file, offset), more: offset > 0 || index > 0, gap };
  }

  /** Returns the line that starts at this position; undefined if it is gone. */
  async readLine(id: string): Promise<FeedLine | undefined> {
    const files = await this.#list();
    const found = locate(files, id);
    if (!found) return undefined;
    const file = files[found.index] as JournalFile;
    const chunk = await readChunk(file, found.offset, found.offset + CHUNK_BYTES);
    return parseLines(file, chunk, chunk.lines.slice(0, 1)).find((line) => line.id === id);
  }

  /** Calls back when the journal may have grown, also by other processes. */
  async watch(onChange: () => void): Promise<Disposable> {
    await ensureFolder(this.#folder);
    const watcher = attempt((): FSWatcher => watch(this.#folder, { persistent: false }, onChange));
    watcher?.on('error', () => {}); // the poll continues
    const poll = every(POLL_MS, onChange);
    return {
      [Symbol.dispose]: () => {
        watcher?.close();
        poll[Symbol.dispose]();
      },
    };
  }

  async #list(): Promise<JournalFile[]> {
    const names = await readdir(this.#folder).catch((): string[] => []);
    const files = await Promise.all(
      names
        .filter((name) => NAME.test(name))
        .sort()
        .map((name) => this.#describe(name)),
    );
    return files.filter((file) => file !== undefined);
  }

  /** Undefined if a sweep has removed the file in the meantime. */
  async #describe(name: string): Promise<JournalFile | undefined> {
    const path = join(this.#folder, name);
    const found = await stat(path, { bigint: true }).catch(() => undefined);
    return found && { path, inode: String(found.ino), size: Number(found.size) };
  }
}

const formatPosition = ({ inode }: JournalFile, offset: number): string => `${inode}.${offset}`;

const locate = (files: readonly JournalFile[], position: string): FilePosition | undefined => {
  const [, inode, offset] = POSITION.exec(position) ?? [];
  const index = files.findIndex((file) => file.inode === inode);
  const file = files[index];
  return file && Number(offset) <= file.size ? { index, offset: Number(offset) } : undefined;
};

/** At least the longest line, so that each chunk contains a complete one. */
const chooseChunkBytes = (lines: number): number =>
  Math.min(CHUNK_BYTES, Math.max(2 * MAX_LINE_BYTES, lines * LINE_BYTES));

/** The end of the last complete line. */
const findEnd = async (file: JournalFile): Promise<number> => {
  const from = Math.max(0, file.size - MAX_LINE_BYTES);
  const { end } = await readChunk(file, from, file.size, from > 0);
  return end;
};

/** A part of a file, and the offsets of its complete lines. */
interface Chunk {
  readonly bytes: Buffer;
  readonly lines: readonly { readonly start: number; readonly end: number }[];
  /** Offsets in the file of the first and after the last complete line. */
  readonly start: number;
  readonly end: number;
  readonly from: number;
}

/** Reads the complete lines between two offsets; `partial`: `from` may be inside of a line. */
const readChunk = async (
  file: JournalFile,
  from: number,
  to: number,
  partial = false,
): Promise<Chunk> => {
  const length = Math.max(0, Math.min(to, file.size) - from);
  const none = { bytes: Buffer.alloc(0), lines: [], start: from, end: from, from };
  if (length === 0) return none;
  await using handle = await openRegularFile(file.path);
  if (!handle) return none;
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, from);
  const bytes = buffer.subarray(0, bytesRead);
  const start = partial ? bytes.indexOf(NEWLINE) + 1 : 0;
  const lines: { start: number; end: number }[] = [];
  let at = start;
  for (let end = bytes.indexOf(NEWLINE, at); end >= 0; end = bytes.indexOf(NEWLINE, at)) {
    lines.push({ start: at, end });
    at = end + 1;
  }
  return { bytes, lines, start: from + start, end: from + at, from };
};

/** Parses lines of a chunk; those that a killed process did not complete are left out. */
const parseLines = (file: JournalFile, { bytes, from }: Chunk, lines: Chunk['lines']): FeedLine[] =>
  lines.flatMap(({ start, end }) => {
    const id = formatPosition(file, from + start);
    return parseLine(bytes.toString('utf8', start, end), id) ?? [];
  });

/** Undefined for a line that a killed process did not complete. */
const parseLine = (text: string, id: string): FeedLine | undefined => {
  const entry = attempt(() => parseJson(text));
  return isEntry(entry) ? { id, entry } : undefined;
};

const isEntry = (value: unknown): value is FeedLine['entry'] =>
  isObject(value) && typeof (value as { readonly ts?: unknown }).ts === 'number';
