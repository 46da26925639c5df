// Loads the secrets file once, before the first log line or response. Values stay in the server.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import {
  parseDotenv,
  parseSecretHost,
  parseTotpKey,
  type TotpKey,
} from '../../core/secret-definition.ts';
import { fail, getErrorMessage } from '../../core/failure.ts';

// Runs the command of a secret without a shell and returns its output.

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
const splitCommand = (text: string): readonly string[] | undefined => {
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

export interface Secret {
  readonly name: string;
  /** The secret itself, or the key of one-time codes; empty if a command returns it. */
  readonly value: string;
  /** The command that returns the secret, as words. */
  readonly command?: readonly string[];
  /** Set if the secret is a key of one-time codes, which are filled in instead of it. */
  readonly totp?: TotpKey;
  /** Hosts whose pages may receive the secret. If undefined, the user must confirm each host. */
  readonly hosts?: readonly string[];
}

/** Throws if the file cannot be read, because without it secrets would not be redacted. */
export const loadSecrets = (path: string | undefined): readonly Secret[] => {
  if (path === undefined) return [];
  try {
    return Array.from(parseDotenv(readFileSync(path, 'utf8')), ([key, value]) =>
      toSecret(key, value),
    );
  } catch (error) {
    const why = getErrorMessage(error);
    throw fail(
      'invalid_argument',
      `The secrets file cannot be read: ${why}`,
      { argument: 'secrets', hint: 'Correct --secrets, or omit it.' },
      error,
    );
  }
};

/** The key is `NAME` or `NAME@host,host`. */
const toSecret = (key: string, given: string): Secret => {
  const [name = '', hosts] = key.split('@');
  const source = parseSource(name, given);
  return hosts === undefined
    ? { name, ...source }
    : { name, ...source, hosts: hosts.split(',').map(parseSecretHost) };
};

type SecretSource = Pick<Secret, 'value' | 'command' | 'totp'>;

/** `cmd:PROGRAM ARGUMENTS`, `totp:BASE32` and `otpauth://…` are sources; other text is the value. */
const parseSource = (name: string, given: string): SecretSource => {
  if (given.startsWith('cmd:')) return { value: '', command: parseCommand(name, given.slice(4)) };
  const isTotp = given.startsWith('totp:') || given.startsWith('otpauth://');
  if (!isTotp) return { value: given };
  const key = given.replace(/^totp:/, '');
  try {
    return { value: key, totp: parseTotpKey(key) };
  } catch (error) {
    const why = error instanceof Error ? error.message : 'not a key';
    throw new Error(`${name}: ${why}`, { cause: error });
  }
};

const parseCommand = (name: string, text: string): readonly string[] => {
  const words = splitCommand(text);
  if (!words || words.length === 0) throw new Error(`${name}: its command is empty or not quoted`);
  return words;
};
