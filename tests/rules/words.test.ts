// Rules for comments: wording that a reader understands without the code.
import { describe, expect, it } from 'vitest';
import { filesBelow } from './sources.ts';

const PHRASES: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\b(?:told|tells|tell|said|says|asked)\b/i, 'reports, returns, logs, requested'],
  [/\bstands? (?:in|for|at|there|above|below|beside|where|behind|around)\b/i, 'is in'],
  [/\b(?:brings?|brought|anew)\b/i, 'returns, again'],
  [/\b(?:nobody|somebody|whoever|whom)\b/i, 'no caller, the client'],
  [/\b(?:is|are) no [a-z]+\b(?! longer| more)/i, 'is not a'],
  [/\b(?:nothing|none|undefined) where\b/i, 'undefined if'],
  [/\bin one (?:breath|go)\b/i, 'in one request'],
];

/** The share of comment lines that may use such a phrase, for quotations and literal uses. */
const MAX_SHARE = 0.005;

const COMMENT = /^\s*(?:\/\/|\/?\*\*?) (.*)$/;

const listComments = (text: string): string[] =>
  text.split('\n').flatMap((line) => COMMENT.exec(line.slice(0, 400))?.[1] ?? []);

const findPhrases = (comments: readonly string[]): string[] =>
  comments.filter((comment) => PHRASES.some(([pattern]) => pattern.test(comment)));

describe('comments in src/', () => {
  const comments = filesBelow('src', '.ts')
    .filter(({ path }) => !path.endsWith('.test.ts'))
    .flatMap(({ text }) => listComments(text));

  it('use plain words', () => {
    const found = findPhrases(comments);
    expect(found.length / comments.length, found.join('\n')).toBeLessThanOrEqual(MAX_SHARE);
  });

  it('would be reported if they did not', () => {
    expect(findPhrases(listComments('// What is told stands here.\n/** Reports it. */'))).toEqual([
      'What is told stands here.',
    ]);
  });
});
