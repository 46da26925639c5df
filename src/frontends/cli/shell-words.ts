// Splits a line into words as a shell does: quotes, backslashes and comments; no expansion. Pure.
import { fail } from '../../core/failure.ts';

/** Throws if a quote is not closed. */
export const splitShellWords = (line: string): string[] => {
  let words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let at = 0; at < line.length; at++) {
    const character = line.charAt(at);
    if (character === '\\' && quote !== "'") word = (word ?? '') + line.charAt(++at);
    else if (character === quote) quote = undefined;
    else if (quote !== undefined) word += character;
    else if (character === '"' || character === "'") [quote, word] = [character, word ?? ''];
    else if (character === '#' && word === undefined) break;
    else if (character.trim() === '') [words, word] = [endWord(words, word), undefined];
    else word = (word ?? '') + character;
  }
  if (quote !== undefined)
    throw fail('invalid_argument', `The line has a ${quote} that is not closed.`, {
      argument: 'line',
    });
  return endWord(words, word);
};

const endWord = (words: string[], word: string | undefined): string[] =>
  word === undefined ? words : [...words, word];
