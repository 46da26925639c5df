// Runs the command of a secret without a shell and returns its output.
import { execFile } from 'node:child_process';

const TIMEOUT_MS = 60_000;
const MAX_OUTPUT_BYTES = 64 * 1024;

/**
 * Resolves with the output without its last line end. Rejects without the command or its output,
 * because both may contain a secret.
 */
export const runOwnCommand = (words: readonly string[], signal: AbortSignal): Promise<string> =>
  new Promise((resolve, reject) => {
    const [file = '', ...args] = words;
    const options = { timeout: TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES, signal, shell: false };
    const child = execFile(file, args, options, (error, stdout) => {
      if (error) reject(new Error(describeEnd(error)));
      else resolve(stdout.replace(/\r?\n$/, ''));
    });
    child.stdin?.end();
  });

const describeEnd = ({ code, killed }: { code?: unknown; killed?: boolean }): string => {
  if (code === 'ENOENT') return 'the program was not found';
  if (typeof code === 'number') return `the program ended with status ${code}`;
  return killed ? 'the program was ended' : 'the program could not be run';
};

/** Splits a command at spaces; quotes keep a word together. Undefined if a quote is open. */
export const splitCommand = (text: string): readonly string[] | undefined => {
  const words: string[] = [];
  let [word, quote]: [string | undefined, string] = [undefined, ''];
  for (const char of text) {
    if (quote !== '') {
      if (char === quote) quote = '';
      else word += char;
    } else if (char === '"' || char === "'") {
      quote = char;
      word ??= '';
    } else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + char;
  }
  if (word !== undefined) words.push(word);
  return quote === '' ? words : undefined;
};
