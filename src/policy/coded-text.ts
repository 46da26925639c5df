// Finds base64 and hex in bytes that may encode a secret, and decodes them in linear time.
import { byteAt, hexValue, positionAt } from './escapes.ts';

/** Shorter byte sequences occur by chance in decoded pictures and words. */
export const MIN_CODED_BYTES = 6;
const SHORTEST_BASE64_RUN = 8;
const SHORTEST_HEX_RUN = 2 * MIN_CODED_BYTES;

const BASE64_DIGIT = 1;
/** Line ends are allowed inside base64. */
const BASE64_GAP = 2;
const HEX_DIGIT = 4;
/** Separators that are allowed inside hex: `71:37`, `71-37`, `71 37`, and line ends. */
const HEX_GAP = 8;
const PADDING = 0x3d;

const kinds = new Uint8Array(256);
const sextets = new Uint8Array(256);
for (const [value, digit] of [
  ...Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'),
].entries()) {
  sextets[digit] = value;
  kinds[digit] = BASE64_DIGIT | (hexValue(digit) >= 0 ? HEX_DIGIT : 0);
}
for (const [value, digit] of [...Buffer.from('-_')].entries()) {
  sextets[digit] = 62 + value; // base64url
  kinds[digit] = BASE64_DIGIT;
}
for (const gap of Buffer.from('\r\n')) kinds[gap] = BASE64_GAP | HEX_GAP;
for (const gap of Buffer.from(':- ')) kinds[gap] = byteAt(kinds, gap) | HEX_GAP;
const hexValues = Uint8Array.from({ length: 256 }, (_, byte) => Math.max(0, hexValue(byte)));

/** Whether a byte is printable ASCII. */
const isPrintable = (byte: number): boolean => byte >= 0x20 && byte < 0x7f;

const FILTER_BITS = 16;
const hashSlot = (three: number): number => Math.imul(three, 0x9e3779b1) >>> (32 - FILTER_BITS);

const OTHER_SPELLINGS = new Map([
  [0x20, 0x2b],
  [0x2b, 0x20],
]);
const spellByte = (byte: number): number[] => {
  const isLetter = (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a);
  const other = isLetter ? byte ^ 0x20 : OTHER_SPELLINGS.get(byte);
  return other === undefined ? [byte] : [byte, other];
};

/**
 * Recognises base64 digits that may be part of a secret. Four digits encode three bytes. One of the
 * first three positions in a secret begins such a group, so the filter contains the three bytes
 * from each of these positions. It also accepts groups that decode to printable text, because that
 * text may be another encoding of a secret.
 */
export class Base64Filter {
  readonly #slots = new Uint8Array(2 ** FILTER_BITS);
  /** Number of digits before and after a group that can belong to the same secret. */
  readonly #reach: number;

  constructor(patterns: readonly Uint8Array[]) {
    this.#reach = 4 * (Math.ceil(Math.max(0, ...patterns.map(({ length }) => length)) / 3) + 1);
    for (const pattern of patterns)
      for (const at of [0, 1, 2]) this.#add(pattern.subarray(at, at + 3));
  }

  #add([first = 0, second = 0, third = 0]: Uint8Array): void {
    for (const a of spellByte(first)) {
      for (const b of spellByte(second))
        for (const c of spellByte(third)) this.#slots[hashSlot((a << 16) | (b << 8) | c)] = 1;
    }
  }

  /**
   * How many digits around a group of four to decode; 0 for none. `wasText` is whether the previous
   * group decodes to text.
   */
  reachOf(three: number, wasText: boolean): number {
    if (this.#slots[hashSlot(three)] === 1) return this.#reach;
    return wasText && isText(three) ? 8 : 0;
  }
}

const isText = (three: number): boolean =>
  (three & 0x808080) === 0 &&
  isPrintable(three >> 16) &&
  isPrintable((three >> 8) & 0xff) &&
  isPrintable(three & 0xff);

/** A quick test: whether base64 or hex digits in a text may encode a secret. */
export const mayBeCoded = (text: string, filter: Base64Filter): boolean => {
  let [three, run, hexRun, texts] = [0, 0, 0, 0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const kind = byteAt(kinds, code & 0x7f);
    if (kind & BASE64_DIGIT) {
      three = ((three << 6) | byteAt(sextets, code)) & 0xffffff;
      run++;
      // Bit 3 of `texts` is the group four digits earlier.
      if (run >= 4) {
        if (filter.reachOf(three, (texts & 8) !== 0) > 0) return true;
        texts = (texts << 1) | (isText(three) ? 1 : 0);
      }
    } else if (!(kind & BASE64_GAP)) {
      run = 0;
      texts = 0;
    }
    if (kind & HEX_DIGIT) hexRun++;
    else if (!(kind & HEX_GAP)) hexRun = 0;
    if (hexRun >= SHORTEST_HEX_RUN) return true;
  }
  return false;
};

/** Bytes that were decoded from digits. */
export interface DecodedRun {
  readonly bytes: Uint8Array;
  /** Returns the range of the digits that encode some of the bytes. */
  readonly locate: (from: number, to: number) => readonly [from: number, to: number];
}

/** Decodes base64 in the bytes that may be a secret, for every alignment of the digits. */
export function* decodeBase64(bytes: Uint8Array, filter: Base64Filter): Generator<DecodedRun> {
  for (const digits of findRuns(bytes, BASE64_DIGIT, BASE64_GAP, SHORTEST_BASE64_RUN)) {
    for (const [from, to] of windowsIn(bytes, digits, filter))
      yield decodeDigits(bytes, digits.subarray(from, to), 6, sextets);
  }
}

/** Like `decodeBase64`, for hex. */
export function* decodeHex(bytes: Uint8Array): Generator<DecodedRun> {
  for (const digits of findRuns(bytes, HEX_DIGIT, HEX_GAP, SHORTEST_HEX_RUN)) {
    for (const first of [0, 1]) yield decodeDigits(bytes, digits.subarray(first), 4, hexValues);
  }
}

/** Yields the positions of the digits of each run; an array is valid only until the next one. */
function* findRuns(
  bytes: Uint8Array,
  digit: number,
  gap: number,
  shortest: number,
): Generator<Uint32Array> {
  let positions: Uint32Array | undefined;
  for (let at = 0; at < bytes.length; at++) {
    let end = at;
    let count = 0;
    for (; end < bytes.length; end++) {
      const kind = byteAt(kinds, byteAt(bytes, end));
      if (kind & digit) count++;
      else if (count === 0 || !(kind & gap)) break;
    }
    if (count >= shortest) {
      positions ??= new Uint32Array(bytes.length);
      let filled = 0;
      for (let i = at; i < end; i++)
        if (byteAt(kinds, byteAt(bytes, i)) & digit) positions[filled++] = i;
      yield positions.subarray(0, count);
    }
    at = end;
  }
}

/**
 * The parts of a run that are worth decoding. Parts whose first digit is equal modulo 4 do not
 * overlap.
 */
function* windowsIn(
  bytes: Uint8Array,
  digits: Uint32Array,
  filter: Base64Filter,
): Generator<[from: number, to: number]> {
  const open: ([from: number, to: number] | undefined)[] = [
    undefined,
    undefined,
    undefined,
    undefined,
  ];
  let [three, texts] = [0, 0];
  for (let i = 0; i < digits.length; i++) {
    three = ((three << 6) | byteAt(sextets, byteAt(bytes, positionAt(digits, i)))) & 0xffffff;
    if (i < 3) continue;
    const reach = filter.reachOf(three, (texts & 8) !== 0);
    texts = (texts << 1) | (isText(three) ? 1 : 0);
    if (reach === 0) continue;
    const phase = (i - 3) % 4;
    const from = Math.max(phase, i - 3 - reach);
    const to = Math.min(digits.length, i + 1 + reach);
    const window = open[phase];
    if (window && from <= window[1]) window[1] = to;
    else {
      if (window) yield window;
      open[phase] = [from, to];
    }
  }
  yield* open.filter((window) => window !== undefined);
}

const decodeDigits = (
  bytes: Uint8Array,
  digits: Uint32Array,
  bits: 4 | 6,
  values: Uint8Array,
): DecodedRun => {
  const decoded = new Uint8Array(Math.floor((digits.length * bits) / 8));
  let [pending, pendingBits, length] = [0, 0, 0];
  for (let i = 0; i < digits.length; i++) {
    pending = ((pending << bits) | byteAt(values, byteAt(bytes, positionAt(digits, i)))) & 0xffff;
    pendingBits += bits;
    if (pendingBits < 8) continue;
    pendingBits -= 8;
    decoded[length++] = (pending >> pendingBits) & 0xff;
  }
  const locate = (from: number, to: number): readonly [number, number] => {
    let end = positionAt(digits, Math.ceil((to * 8) / bits) - 1) + 1;
    const limit = bits === 6 ? end + 2 : end;
    while (end < limit && bytes[end] === PADDING) end++;
    return [positionAt(digits, Math.floor((from * 8) / bits)), end];
  };
  return { bytes: decoded, locate };
};
