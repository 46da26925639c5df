// Rules for files: a header with the subject, no unfinished code, no vague names.
import { describe, expect, it } from 'vitest';
import { filesBelow, type SourceFile } from './sources.ts';

const files = [
  ...filesBelow('src', '.ts'),
  ...filesBelow('extension', '.ts'),
  ...filesBelow('tests', '.ts'),
  ...filesBelow('scripts', '.ts', '.mjs'),
];

const promiseOf = ({ text }: SourceFile): string | undefined =>
  /^\/\/ (\S.*)$/.exec(text.split('\n', 1)[0] ?? '')?.[1];

const VAGUE =
  /(?:^|[/-])(?:utils?|helpers?|common|misc|types|managers?|services?(?!-worker))(?:[/.-]|$)/;
/** The brackets keep this file from being its own first finding. */
const UNFINISHED = /\b(?:TO[D]O|FIX[M]E|XX[X]|not impl[e]mented)\b/;
const LEFT_BEHIND = /\b(?:it|test|describe)[.](?:only|skip)[(]|^\s*debug[g]er;/m;

const failing = (test: (file: SourceFile) => boolean): string[] =>
  files.filter(test).map(({ path }) => path);

it('begin with a comment that is their promise', () => {
  expect(failing((file) => (promiseOf(file)?.length ?? 0) < 15)).toEqual([]);
});

it('are finished', () => {
  expect(failing(({ text }) => UNFINISHED.test(text))).toEqual([]);
});

it('run all their tests', () => {
  expect(failing(({ text }) => LEFT_BEHIND.test(text))).toEqual([]);
});

it('are named in kebab-case, after a noun of the field', () => {
  expect(
    failing(
      ({ path }) =>
        VAGUE.test(path) ||
        !/^(?:[a-z0-9.-]+\/)*(?:(?<=verify\/)[A-Z]\d?-)?[a-z0-9.-]+\.(?:ts|mjs)$/.test(path),
    ),
  ).toEqual([]);
});

describe('the words for unfinished work', () => {
  it('are recognised', () => {
    expect(UNFINISHED.test(['// TO', 'DO: later'].join(''))).toBe(true);
    expect(UNFINISHED.test('// the method of the page')).toBe(false);
    expect(VAGUE.test('src/core/utils.ts')).toBe(true);
    expect(VAGUE.test('src/helpers/a.ts')).toBe(true);
    expect(VAGUE.test('src/browser/cdp/connection.ts')).toBe(false);
  });
});

/** In pages, and in the extension, Chrome's own function is right. */
const IN_CHROME = /^(?:src\/page\/|src\/frontends\/dashboard\/web\/|extension\/|tests\/)/;

it('code of Node uses canParseUrl, because URL.canParse rejects some host names with umlauts', () => {
  const wrong = failing(
    ({ path, text }) => !IN_CHROME.test(path) && /\bURL[.]canParse\(/.test(text),
  );
  expect(wrong).toEqual([]);
});

it('code changes no flags of V8 while it runs, because they concern the whole process', () => {
  expect(failing(({ text }) => /\bset[F]lagsFromString\b/.test(text))).toEqual([]);
});
