// Wildcards mean what a regular expression would, and no pattern is slow.
import { describe, expect, it } from 'vitest';
import { ANY, matchesGlob, type Glob, ONE, PART, parsePathGlob } from './glob.ts';

const asExpression = (glob: Glob): RegExp =>
  new RegExp(
    `^${glob.map((token) => (token === ANY ? '.*' : token === PART ? '[^/]*' : token === ONE ? '.' : token)).join('')}$`,
    's',
  );

describe('a glob', () => {
  it('matches the same texts as the equivalent regular expression', () => {
    let state = 7;
    const random = (n: number): number =>
      (state = (state * 1_103_515_245 + 12_345) & 0x7fffffff) % n;
    const fitting = Array.from({ length: 30_000 }, () => {
      const glob = Array.from(
        { length: random(8) },
        () => ['a', 'b', '/', ANY, PART, ONE][random(6)] ?? 'a',
      );
      const text = Array.from({ length: random(9) }, () => 'ab/'[random(3)]).join('');
      expect(matchesGlob(glob, text), `${asExpression(glob)} ${text}`).toBe(
        asExpression(glob).test(text),
      );
      return matchesGlob(glob, text);
    });
    expect(fitting.filter(Boolean).length).toBeGreaterThan(3000);
  });

  it('reads one star as a part of a path and two as several', () => {
    expect(parsePathGlob('/a/*/b**')).toEqual(['/', 'a', '/', PART, '/', 'b', ANY]);
  });

  it('takes little time on a text on which an expression would backtrack forever', () => {
    const before = performance.now();
    expect(matchesGlob(parsePathGlob(`${'**a'.repeat(40)}**b`), 'a'.repeat(200_000))).toBe(false);
    expect(matchesGlob(parsePathGlob(`${'*a'.repeat(40)}*b`), 'a'.repeat(200_000))).toBe(false);
    expect(performance.now() - before).toBeLessThan(2000);
  });
});
