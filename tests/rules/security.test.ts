// The threat model keeps to the truth: every line of its table names tests, and each of them is
// there.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesBelow, ROOT } from './sources.ts';

interface Citation {
  readonly file: string;
  readonly title: string;
}

const page = readFileSync(join(ROOT, 'SECURITY.md'), 'utf8');
const lines = page.split('\n').filter((line) => /^\| (?!threat \||---)/.test(line));

const citationsIn = (line: string): Citation[] =>
  Array.from(line.matchAll(/`([^`]+\.ts) › ([^`]+)`/g), ([, file = '', title = '']) => ({
    file,
    title,
  }));

/** Searches for the title as the first argument of a call, in quotes of any kind. */
const isTitleIn = (text: string, title: string): boolean =>
  [`'${title.replaceAll("'", String.raw`\'`)}'`, `"${title}"`, `\`${title}\``].some((quoted) =>
    /\(\s*$/.test(text.slice(0, Math.max(0, text.indexOf(quoted)))),
  );

describe('SECURITY.md', () => {
  it('names a test for every threat', () => {
    expect(lines.length).toBeGreaterThan(30);
    for (const line of lines) {
      expect(line.split(' | '), line).toHaveLength(3);
      expect(citationsIn(line).length, line).toBeGreaterThan(0);
    }
  });

  it.each(lines.flatMap(citationsIn))('cites what there is: $file › $title', ({ file, title }) => {
    expect(existsSync(join(ROOT, file)), file).toBe(true);
    expect(isTitleIn(readFileSync(join(ROOT, file), 'utf8'), title), title).toBe(true);
  });

  it('would be reported if it named a missing test', () => {
    const { text } = filesBelow('tests/security', 'paths.test.ts')[0]!;
    expect(isTitleIn(text, 'of a session becomes no path')).toBe(true);
    expect(isTitleIn(text, 'of a session becomes a path')).toBe(false);
  });

  it('leaves no test of security unnamed', () => {
    const cited = new Set(lines.flatMap(citationsIn).map(({ file }) => file));
    for (const { path } of filesBelow('tests/security', '.test.ts'))
      expect([...cited], path).toContain(path);
  });
});
