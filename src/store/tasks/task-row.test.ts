// Reads a history from any offset: skips torn lines and returns only complete lines.
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readHistory } from './task-row.ts';

let folder = '';
let path = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'openchrome-history-'));
  path = join(folder, 'events.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const line = (ts: number, data: unknown = ''): string =>
  `${JSON.stringify({ ts, kind: 'log', data })}\n`;
const read = (from = 0): { times: number[]; next: number | undefined } => {
  const times: number[] = [];
  const next = readHistory(path, from, ({ ts }) => times.push(ts));
  return { times, next };
};

describe('a history', () => {
  it('is read from the offset where the reader stopped', () => {
    writeFileSync(path, line(1) + line(2));
    const first = read();
    expect(first.times).toEqual([1, 2]);
    appendFileSync(path, line(3));
    expect(read(first.next)).toEqual({ times: [3], next: (line(1) + line(2) + line(3)).length });
    expect(read(read().next).times).toEqual([]);
  });

  it('keeps a line that lacks its end for the next time', () => {
    writeFileSync(path, line(1) + line(2).slice(0, 9));
    const { times, next } = read();
    expect(times).toEqual([1]);
    appendFileSync(path, line(2).slice(9));
    expect(read(next).times).toEqual([2]);
  });

  it('is skipped if it cannot be read', () => {
    writeFileSync(
      path,
      `${line(1)}{"ts": 2, "ki\nnull\n\n{"ts":"x","kind":"log"}\n{"ts":3,"kind":"other"}\n${line(4)}`,
    );
    expect(read().times).toEqual([1, 4]);
  });

  it('can be much longer than one read, with lines of every length', () => {
    const lines = Array.from({ length: 3_000 }, (_, i) => line(i, 'ä'.repeat(i % 700)));
    writeFileSync(path, lines.join(''));
    const { times, next } = read();
    expect(times).toEqual(lines.map((_, i) => i));
    expect(next).toBe(Buffer.byteLength(lines.join('')));
  });

  it('can contain a line longer than any of ours, and only that line is skipped', () => {
    writeFileSync(path, `${line(1)}${'x'.repeat(700_000)}\n${line(2)}`);
    expect(read().times).toEqual([1, 2]);
  });

  it('that is shorter than before, missing, or not a file is reported as such', () => {
    writeFileSync(path, line(1) + line(2));
    const { next } = read();
    truncateSync(path, 5);
    expect(read(next).next).toBeUndefined();
    rmSync(path);
    expect(read().next).toBeUndefined();
    mkdirSync(path);
    expect(read().next).toBeUndefined();
  });
});
