// Paints areas of a JPEG grey in its coefficients, without decoding it to pixels. Pure.

/** A rectangle in the unit of the size that is given with it. */
interface MaskedArea {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/**
 * Returns the picture with all blocks that the areas touch in one grey, which does not depend on
 * their content. Throws if the picture is not a baseline JPEG with one scan, as Chrome writes them.
 */
export const maskJpeg = (jpeg: Buffer, size: PictureSize, areas: readonly MaskedArea[]): Buffer => {
  const header = parseHeader(jpeg);
  const reader = new BitReader(jpeg, header.scanAt);
  const writer = new BitWriter(jpeg.length * 2);
  for (const isHidden of markBlocks(header, size, areas))
    for (const component of header.components)
      for (let i = 0; i < component.blocks; i++)
        copyBlock(reader, writer, component, isHidden === 1);
  return Buffer.concat([...header.kept, TABLES_SEGMENT, header.scan, writer.finish()]);
};

interface Component {
  readonly id: number;
  readonly horizontal: number;
  readonly vertical: number;
  /** Blocks of 8x8 values per unit. */
  blocks: number;
  dcCodes: Uint16Array;
  acCodes: Uint16Array;
  /** The last average of a block, in the source and in the result. */
  dcRead: number;
  dcWritten: number;
}

interface JpegHeader {
  readonly width: number;
  readonly height: number;
  readonly components: readonly Component[];
  /** The segments before the scan, without code tables. */
  readonly kept: readonly Buffer[];
  /** The header of the scan, which then uses our code tables. */
  readonly scan: Buffer;
  readonly scanAt: number;
}

const MARKERS = { start: 0xd8, frame: 0xc0, tables: 0xc4, restart: 0xdd, scan: 0xda } as const;
/** Frames that are not baseline: progressive, lossless, arithmetic coding. */
const isOtherFrame = (marker: number): boolean =>
  marker > 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

const unsupported = (): Error => new Error('This form of JPEG is not supported.');

const parseHeader = (jpeg: Buffer): JpegHeader => {
  if (jpeg.readUInt16BE(0) !== 0xff00 + MARKERS.start) throw unsupported();
  const kept = [jpeg.subarray(0, 2)];
  const codes = new Map<number, Uint16Array>();
  let frame: Pick<JpegHeader, 'width' | 'height' | 'components'> | undefined;
  for (let at = 2; ;) {
    const marker = jpeg.readUInt16BE(at) - 0xff00;
    const end = at + 2 + jpeg.readUInt16BE(at + 2);
    const segment = jpeg.subarray(at, end);
    if (isOtherFrame(marker) || marker === MARKERS.restart) throw unsupported();
    if (marker === MARKERS.frame) frame = parseFrame(segment);
    if (marker === MARKERS.tables) parseTables(segment, codes);
    else if (marker !== MARKERS.scan) kept.push(segment);
    else if (!frame) throw unsupported();
    else return { ...frame, kept, scan: parseScan(segment, frame.components, codes), scanAt: end };
    at = end;
  }
};

const parseFrame = (segment: Buffer): Pick<JpegHeader, 'width' | 'height' | 'components'> => {
  const components = Array.from({ length: segment.readUInt8(9) }, (_, i): Component => {
    const sampling = segment.readUInt8(11 + 3 * i);
    const [horizontal, vertical] = [sampling >> 4, sampling & 15];
    return {
      id: segment.readUInt8(10 + 3 * i),
      horizontal,
      vertical,
      blocks: horizontal * vertical,
      dcCodes: NO_CODES,
      acCodes: NO_CODES,
      dcRead: 0,
      dcWritten: 0,
    };
  });
  // The units of a picture with one component are single blocks.
  if (components.length !== 3) throw unsupported();
  return { height: segment.readUInt16BE(5), width: segment.readUInt16BE(7), components };
};

const NO_CODES = new Uint16Array(0);

/** A segment can have several tables: class and number, 16 counts, the symbols. */
const parseTables = (segment: Buffer, codes: Map<number, Uint16Array>): void => {
  for (let at = 4; at < segment.length;) {
    const counts = segment.subarray(at + 1, at + 17);
    const total = counts.reduce((sum, count) => sum + count, 0);
    const symbols = segment.subarray(at + 17, at + 17 + total);
    codes.set(segment.readUInt8(at), buildLookup(counts, symbols));
    at += 17 + total;
  }
};

const AC_CLASS = 16;

/** Assigns the tables to the components; returns a scan header in which all use table 0. */
const parseScan = (
  segment: Buffer,
  components: readonly Component[],
  codes: ReadonlyMap<number, Uint16Array>,
): Buffer => {
  const header = Buffer.from(segment);
  if (header.readUInt8(4) !== components.length) throw unsupported();
  for (const [i, component] of components.entries()) {
    const at = 5 + 2 * i;
    const tables = header.readUInt8(at + 1);
    const dcCodes = codes.get(tables >> 4);
    const acCodes = codes.get(AC_CLASS + (tables & 15));
    if (header.readUInt8(at) !== component.id || !dcCodes || !acCodes) throw unsupported();
    Object.assign(component, { dcCodes, acCodes });
    header.writeUInt8(0, at + 1);
  }
  return header;
};

/** One entry per unit, row by row: 1 if an area touches it. */
const markBlocks = (
  { width, height, components }: JpegHeader,
  size: PictureSize,
  areas: readonly MaskedArea[],
): Uint8Array => {
  const unitWidth = 8 * Math.max(...components.map(({ horizontal }) => horizontal));
  const unitHeight = 8 * Math.max(...components.map(({ vertical }) => vertical));
  const columns = Math.ceil(width / unitWidth);
  const rows = Math.ceil(height / unitHeight);
  const marked = new Uint8Array(columns * rows);
  for (const area of areas) {
    const [fromX, toX] = spread(area.x, area.width, width / size.width / unitWidth, columns);
    const [fromY, toY] = spread(area.y, area.height, height / size.height / unitHeight, rows);
    for (let y = fromY; y < toY; y++) marked.fill(1, y * columns + fromX, y * columns + toX);
  }
  return marked;
};

/** The units that a side covers, rounded outwards. */
const spread = (from: number, length: number, scale: number, count: number): [number, number] => {
  const start = Math.min(count, Math.max(0, Math.floor(from * scale)));
  return [start, Math.max(start, Math.min(count, Math.ceil((from + length) * scale)))];
};

const BLOCK_VALUES = 64;
const END_OF_BLOCK = 0;

const copyBlock = (
  reader: BitReader,
  writer: BitWriter,
  component: Component,
  isHidden: boolean,
): void => {
  const size = reader.readSymbol(component.dcCodes);
  component.dcRead += toSigned(reader.readBits(size), size);
  const average = isHidden ? 0 : component.dcRead;
  writer.writeDifference(average - component.dcWritten);
  component.dcWritten = average;
  for (let i = 1; i < BLOCK_VALUES;) {
    const symbol = reader.readSymbol(component.acCodes);
    const bits = symbol & 15;
    const value = reader.readBits(bits);
    if (!isHidden) writer.writeValue(symbol, value, bits);
    if (symbol === END_OF_BLOCK)
      return isHidden ? writer.writeValue(END_OF_BLOCK, 0, 0) : undefined;
    i += (symbol >> 4) + 1;
  }
  if (isHidden) writer.writeValue(END_OF_BLOCK, 0, 0);
};

/** The smaller half of the values with this number of bits are negative. */
const toSigned = (value: number, bits: number): number =>
  bits > 0 && value < 1 << (bits - 1) ? value - (1 << bits) + 1 : value;

/** All 16-bit prefixes: the length of the code and its symbol; 0 if there is none. */
const buildLookup = (counts: Uint8Array, symbols: Uint8Array): Uint16Array => {
  const lookup = new Uint16Array(1 << 16);
  let code = 0;
  let next = 0;
  for (let length = 1; length <= 16; length++, code <<= 1)
    for (let i = 0; i < (counts[length - 1] ?? 0); i++, code++, next++) {
      const shift = 16 - length;
      lookup.fill((length << 8) | (symbols[next] ?? 0), code << shift, (code + 1) << shift);
    }
  return lookup;
};

/** The code of each symbol: its length in the upper 16 bits. */
const buildCodes = (counts: readonly number[], symbols: readonly number[]): Uint32Array => {
  const codes = new Uint32Array(256);
  let code = 0;
  let next = 0;
  for (const [i, count] of counts.entries()) {
    for (let j = 0; j < count; j++, code++, next++)
      codes[symbols[next] ?? 0] = ((i + 1) << 16) | code;
    code <<= 1;
  }
  return codes;
};

// Our code tables have all symbols: the tables of a picture have only those that it uses.

const DC_COUNTS = [0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0];
const DC_SYMBOLS = Array.from({ length: 12 }, (_, i) => i);
const AC_COUNTS = [0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125];
/** The usual symbols first, as in Annex K of the standard, because they have short codes. */
const USUAL_SYMBOLS = [
  ...Buffer.from(
    '01020300041105122131410613516107227114328191a1082342b1c11552d1f02433627282',
    'hex',
  ),
];
const OTHER_SYMBOLS = Array.from({ length: 256 }, (_, symbol) => symbol).filter(
  (symbol) => (symbol & 15) > 0 && (symbol & 15) <= 10 && !USUAL_SYMBOLS.includes(symbol),
);
const AC_SYMBOLS = [...USUAL_SYMBOLS, ...OTHER_SYMBOLS];

const DC_CODES = buildCodes(DC_COUNTS, DC_SYMBOLS);
const AC_CODES = buildCodes(AC_COUNTS, AC_SYMBOLS);

const buildTablesSegment = (): Buffer => {
  const content = [0, ...DC_COUNTS, ...DC_SYMBOLS, AC_CLASS, ...AC_COUNTS, ...AC_SYMBOLS];
  const length = content.length + 2;
  return Buffer.from([0xff, MARKERS.tables, length >> 8, length & 255, ...content]);
};

const TABLES_SEGMENT = buildTablesSegment();

/** Reads the bits of a scan; a zero byte follows each 0xff. After the end, all bits are 1. */
class BitReader {
  readonly #data: Buffer;
  #at: number;
  #bits = 0;
  #count = 0;

  constructor(data: Buffer, at: number) {
    this.#data = data;
    this.#at = at;
  }

  readSymbol(codes: Uint16Array): number {
    const entry = codes[this.#peek(16)] ?? 0;
    if (entry === 0) throw unsupported();
    this.#count -= entry >> 8;
    return entry & 255;
  }

  readBits(count: number): number {
    if (count === 0) return 0;
    const value = this.#peek(count);
    this.#count -= count;
    return value;
  }

  /** At most 16 bits. */
  #peek(count: number): number {
    while (this.#count < count) {
      this.#bits = ((this.#bits << 8) | this.#readByte()) & 0xffffff;
      this.#count += 8;
    }
    return (this.#bits >> (this.#count - count)) & ((1 << count) - 1);
  }

  #readByte(): number {
    const byte = this.#data[this.#at] ?? 255;
    if (byte !== 255) {
      this.#at++;
      return byte;
    }
    if (this.#data[this.#at + 1] !== 0) return 255; // the end of the scan
    this.#at += 2;
    return 255;
  }
}

/** Writes the bits of a scan, and a zero byte after each 0xff. */
class BitWriter {
  #data: Buffer;
  #at = 0;
  #bits = 0;
  #count = 0;

  constructor(expectedBytes: number) {
    this.#data = Buffer.allocUnsafe(expectedBytes + 1_024);
  }

  writeDifference(value: number): void {
    const size = 32 - Math.clz32(Math.abs(value));
    this.#writeCode(DC_CODES, size);
    this.#write(value < 0 ? value + (1 << size) - 1 : value, size);
  }

  writeValue(symbol: number, value: number, bits: number): void {
    this.#writeCode(AC_CODES, symbol);
    this.#write(value, bits);
  }

  /** Fills the last byte with ones; adds the end of the picture. */
  finish(): Buffer {
    if (this.#count > 0) this.#write((1 << (8 - this.#count)) - 1, 8 - this.#count);
    return Buffer.concat([this.#data.subarray(0, this.#at), Buffer.from([0xff, 0xd9])]);
  }

  #writeCode(codes: Uint32Array, symbol: number): void {
    const code = codes[symbol] ?? 0;
    if (code === 0) throw unsupported();
    this.#write(code & 0xffff, code >> 16);
  }

  /** At most 16 bits. */
  #write(value: number, count: number): void {
    this.#bits = (this.#bits << count) | value;
    this.#count += count;
    while (this.#count >= 8) {
      this.#count -= 8;
      this.#writeByte((this.#bits >> this.#count) & 255);
    }
    this.#bits &= (1 << this.#count) - 1;
  }

  #writeByte(byte: number): void {
    if (this.#at + 2 > this.#data.length) this.#data = Buffer.concat([this.#data, this.#data]);
    this.#data[this.#at++] = byte;
    if (byte === 255) this.#data[this.#at++] = 0;
  }
}
