// Iterates over the files in a tar stream.

export interface TarFile {
  readonly name: string;
  readonly mode: number;
  /** The content; unread bytes are skipped when the next file is requested. */
  readonly content: AsyncIterable<Buffer>;
}

const BLOCK = 512;

/** Reads exact byte counts from a stream of chunks of any size. */
class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#chunks = source[Symbol.asyncIterator]();
  }

  /** Up to `max` bytes, at least one; undefined at the end of the stream. */
  async some(max: number): Promise<Buffer | undefined> {
    while (this.#rest.length === 0) {
      const next = await this.#chunks.next();
      if (next.done) return undefined;
      this.#rest = next.value;
    }
    const part = this.#rest.subarray(0, max);
    this.#rest = this.#rest.subarray(part.length);
    return part;
  }

  async exactly(length: number): Promise<Buffer | undefined> {
    const parts: Buffer[] = [];
    for (let missing = length; missing > 0;) {
      const part = await this.some(missing);
      if (!part) return undefined;
      parts.push(part);
      missing -= part.length;
    }
    return Buffer.concat(parts);
  }
}

const text = (block: Buffer, at: number, length: number): string => {
  const field = block.subarray(at, at + length);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end < 0 ? length : end);
};
const octal = (block: Buffer, at: number, length: number): number =>
  Number.parseInt(text(block, at, length).trim() || '0', 8);

/** Yields regular files only, without folders and links. */
export const tarFiles = async function* (source: AsyncIterable<Buffer>): AsyncGenerator<TarFile> {
  const reader = new ByteReader(source);
  for (let header = await reader.exactly(BLOCK); header; header = await reader.exactly(BLOCK)) {
    if (header[0] === 0) return; // the empty blocks at the end
    const size = octal(header, 124, 12);
    if (!Number.isSafeInteger(size)) throw new Error('not a tar archive');
    const type = text(header, 156, 1);
    let left = size;
    const content = async function* (): AsyncGenerator<Buffer> {
      while (left > 0) {
        const part = await reader.some(left);
        if (!part) throw new Error('the archive ends in the middle of a file');
        left -= part.length;
        yield part;
      }
    };
    if (type === '0' || type === '') {
      const prefix = text(header, 257, 5) === 'ustar' ? text(header, 345, 155) : '';
      yield {
        name: prefix ? `${prefix}/${text(header, 0, 100)}` : text(header, 0, 100),
        mode: octal(header, 100, 8),
        content: content(),
      };
    }
    for await (const _ of content()); // skip the unread bytes
    await reader.exactly((BLOCK - (size % BLOCK)) % BLOCK);
  }
};
