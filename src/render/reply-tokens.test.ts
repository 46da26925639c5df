// What replies cost, about: within a fifth of the real count for text, by the size for pictures.
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { estimateReplyTokens } from './reply-tokens.ts';

const png = (width: number, height: number): { data: string } => {
  const head = Buffer.alloc(40);
  head.write('\x89PNG\r\n\x1a\n', 'latin1');
  head.writeUInt32BE(width, 16);
  head.writeUInt32BE(height, 20);
  return { data: head.toString('base64') };
};
const of = (reply: { text?: string; images?: { data: string }[]; notes?: string[] }): number =>
  estimateReplyTokens({ notes: [], ...reply });

describe('the estimate', () => {
  it('is nothing for nothing', () => {
    expect(of({})).toBe(0);
  });

  it.each([1, 40, 4_000])('is near the truth for a text of %i lines', (lines) => {
    const text = Array.from(
      { length: lines },
      (_, i) => `e${i} button "Add item ${i} to the basket" disabled`,
    ).join('\n');
    const real = encode(text).length;
    expect(of({ text })).toBeGreaterThan(real * 0.8);
    expect(of({ text })).toBeLessThan(real * 1.4);
  });

  it('counts notes and pictures', () => {
    expect(of({ notes: ['[hint: look again]'] })).toBeGreaterThan(3);
    expect(of({ images: [png(750, 100)] })).toBe(100);
    expect(of({ images: [png(5_000, 5_000)] })).toBe(1_600);
    expect(of({ images: [{ data: 'AAAA' }, png(750, 1)] })).toBe(1_601);
  });
});
