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
