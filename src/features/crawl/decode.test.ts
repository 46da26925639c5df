// Tests of decode.ts.
import { expect, it } from 'vitest';
import { decode, isBinary } from './decode.ts';

const bytes = (text: string, encoding: BufferEncoding = 'utf8'): Uint8Array =>
  Buffer.from(text, encoding);

it('takes the charset of the server, else that of the page', () => {
  expect(decode(bytes('caf\u00e9', 'latin1'), 'iso-8859-1')).toBe('café');
  expect(decode(bytes('<meta charset="windows-1252">caf\u00e9', 'latin1'))).toContain('café');
  expect(
    decode(
      bytes(
        '<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-1">\u00fc',
        'latin1',
      ),
    ),
  ).toContain('ü');
  expect(decode(bytes('漢字'))).toBe('漢字');
});

it('believes a byte order mark more than anything', () => {
  expect(decode(Buffer.concat([Buffer.from([0xff, 0xfe]), bytes('hé', 'utf16le')]), 'utf-8')).toBe(
    'hé',
  );
});

it('never fails: unknown charsets and broken bytes are read as far as can be', () => {
  expect(decode(bytes('plain'), 'x-unheard-of')).toBe('plain');
  expect(decode(Buffer.from([0x61, 0xff, 0xc3, 0x62]))).toBe('a\uFFFD\uFFFDb');
});

it('detects content that is not text', () => {
  expect(isBinary(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1]))).toBe(true);
  expect(isBinary(bytes('text'))).toBe(false);
});
