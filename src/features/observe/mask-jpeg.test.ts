// Tests of maskJpeg with bytes that are not a picture; tests/dashboard/secrets.test.ts reads pixels.
import { expect, it } from 'vitest';
import { maskJpeg } from './mask-jpeg.ts';

const SIZE = { width: 100, height: 100 };
const AREA = { x: 0, y: 0, width: 10, height: 10 };

const segment = (marker: number, ...content: number[]): number[] => {
  const length = content.length + 2;
  return [0xff, marker, length >> 8, length & 255, ...content];
};

const START = [0xff, 0xd8];
const COMPONENTS = [1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1];
const buildFrame = (marker: number): number[] =>
  segment(marker, 8, 0, 100, 0, 100, 3, ...COMPONENTS);
const SCAN = segment(0xda, 3, 1, 0, 2, 0x11, 3, 0x11, 0, 63, 0);
/** One code of one bit for the symbol 0, in all four tables. */
const TABLES = [0, 1, 16, 17].flatMap((id) =>
  segment(0xc4, id, 1, ...Array.from({ length: 15 }, () => 0), 0),
);

it.each([
  ['no bytes', []],
  ['another format', [0x89, 0x50, 0x4e, 0x47]],
  ['only a start', START],
  ['a scan without a frame', [...START, ...TABLES, ...SCAN]],
  ['a progressive picture', [...START, ...buildFrame(0xc2), ...TABLES, ...SCAN, 0]],
  ['restart markers', [...START, ...segment(0xdd, 0, 4), ...buildFrame(0xc0), ...TABLES, ...SCAN]],
  ['a scan without tables', [...START, ...buildFrame(0xc0), ...SCAN, 0]],
  ['a scan that ends too early', [...START, ...buildFrame(0xc0), ...TABLES, ...SCAN, 0]],
])('%s is an error', (_, bytes) => {
  expect(() => maskJpeg(Buffer.from(bytes), SIZE, [AREA])).toThrow();
});

it('masking a picture of one colour changes neither its size nor the pixels outside the area', () => {
  // 49 units of 6 blocks with 2 bits each, all of them zero.
  const scan = Array.from({ length: Math.ceil((49 * 6 * 2) / 8) }, () => 0);
  const picture = [...START, ...buildFrame(0xc0), ...TABLES, ...SCAN, ...scan, 0xff, 0xd9];
  const masked = maskJpeg(Buffer.from(picture), SIZE, [AREA]);
  expect(masked.subarray(0, 2).toString('hex')).toBe('ffd8');
  expect(masked.subarray(-2).toString('hex')).toBe('ffd9');
  expect(masked.includes(Buffer.from(buildFrame(0xc0)))).toBe(true);
  // Masking a masked picture changes nothing: all blocks are grey already.
  expect(maskJpeg(masked, SIZE, [AREA])).toEqual(masked);
});
