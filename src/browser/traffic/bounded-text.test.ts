// Texts cut and shared.
import { expect, it } from 'vitest';
import { base64Bytes, clip, decodeUtf8, SharedTexts } from './bounded-text.ts';

it('are cut without breaking a character', () => {
  expect(clip('abc', 5)).toBe('abc');
  expect(clip('abcdef', 3)).toBe('abc');
  expect(clip('ab😀cd', 3)).toBe('ab');
  expect(clip('ab😀cd', 4)).toBe('ab😀');
});

it('are distinguished from bytes that are not text', () => {
  expect(decodeUtf8(Buffer.from('\ufeffé'))).toBe('\ufeffé');
  expect(decodeUtf8(Buffer.from([0xff, 0]))).toBeUndefined();
});

it('have a size in bytes behind their base64', () => {
  for (const length of [0, 1, 2, 3, 4, 100])
    expect(base64Bytes(Buffer.alloc(length, 7).toString('base64'))).toBe(length);
});

it('that repeat are shared, within a bound', () => {
  const texts = new SharedTexts();
  const values = texts.shareValues({ a: 'x', long: 'y'.repeat(1_000) });
  expect(values).toEqual({ a: 'x', long: 'y'.repeat(1_000) });
  for (let i = 0; i < 10_000; i++) expect(texts.share(`value ${i}`)).toBe(`value ${i}`);
});
