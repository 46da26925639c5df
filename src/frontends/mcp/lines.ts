// Splits bytes into lines; a line over the limit is dropped as it arrives, not buffered.

const NEWLINE = 0x0a;

interface LineOptions {
  readonly maxBytes: number;
  readonly onLine: (line: string) => void;
  /** Called once for every line that is too long. */
  readonly onTooLong: () => void;
}

export interface LineSplitter {
  readonly take: (chunk: Buffer) => void;
  /** The bytes of a line that has not ended yet. */
  readonly rest: () => Buffer;
}

export const splitLines = ({ maxBytes, onLine, onTooLong }: LineOptions): LineSplitter => {
  let parts: Buffer[] = [];
  let size = 0;

  const gather = (part: Buffer): void => {
    const fitted = size <= maxBytes;
    size += part.length;
    if (size <= maxBytes) return void parts.push(part);
    parts = [];
    if (fitted) onTooLong();
  };

  const finish = (): void => {
    const line = size <= maxBytes ? Buffer.concat(parts).toString('utf8').trim() : '';
    parts = [];
    size = 0;
    if (line !== '') onLine(line);
  };

  const take = (chunk: Buffer): void => {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      gather(chunk.subarray(start, end));
      finish();
      start = end + 1;
    }
    if (start < chunk.length) gather(chunk.subarray(start));
  };
  return { take, rest: () => Buffer.concat(parts) };
};
