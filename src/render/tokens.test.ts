// Estimates of tokens stay near the exact count, and rather above it.
import { countTokens as countExactly, encode } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { countTokens, estimateReplyTokens } from './tokens.ts';

const TEXTS: Readonly<Record<string, string>> = {
  prose:
    'The engine reads a card and moves the barrel, so that each wheel turns by one tooth while the mill waits.\n'.repeat(
      20,
    ),
  lines: Array.from({ length: 100 }, (_, i) => `e${i} button "Approve ${1000 + i}" disabled`).join(
    '\n',
  ),
  numbers: Array.from(
    { length: 100 },
    (_, i) => `${1000 + i} | Ben H${i} | Kyoto | ${(i * 7.31).toFixed(2)} | closed`,
  ).join('\n'),
  german:
    'Die Verordnung über die Übertragung öffentlicher Aufgaben gilt für alle Behörden des Landes.\n'.repeat(
      20,
    ),
  russian:
    'Машина читает карту и двигает барабан, так что каждое колесо поворачивается на один зубец.\n'.repeat(
      20,
    ),
  chinese: '机器读取卡片并移动滚筒，使每个轮子转动一个齿。\n'.repeat(20),
  japanese: '機械はカードを読み取り、バレルを動かします。\n'.repeat(20),
  arabic: 'تقرأ الآلة البطاقة وتحرك الأسطوانة بحيث تدور كل عجلة.\n'.repeat(20),
  code: 'const lineOf = (node: AxNode, refOf: RefOf): string => `${refOf(node)} ${detailed(node)}`;\n'.repeat(
    20,
  ),
  random: Array.from({ length: 300 }, (_, i) => ((i * 2654435761) >>> 0).toString(36)).join(' '),
};

describe('The estimate of tokens', () => {
  it.each(Object.keys(TEXTS))('is not too low, and not twice too high, for %s', (name) => {
    const text = TEXTS[name] ?? '';
    const ratio = countTokens(text) / countExactly(text);
    expect(ratio).toBeGreaterThan(0.96);
    expect(ratio).toBeLessThan(2.4);
  });

  it('is fast', () => {
    const text = (TEXTS['prose'] ?? '').repeat(500);
    const runs = [1, 2, 3, 4, 5].map(() => {
      const startedAt = performance.now();
      countTokens(text);
      return performance.now() - startedAt;
    });
    expect(Math.min(...runs) / text.length).toBeLessThan(0.001); // the others were interrupted
  });
});

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
