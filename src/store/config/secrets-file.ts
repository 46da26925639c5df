// The secrets file, loaded once before the first log line; and the confirmed hosts of secrets.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { fail, getErrorMessage } from '../../core/failure.ts';
import type { Home } from '../../core/home.ts';
import {
  parseDotenv,
  parseSecretHost,
  parseTotpKey,
  type TotpKey,
} from '../../core/secret-definition.ts';
import { JsonFile } from '../files/json-file.ts';

const ConfirmedHosts = z.object({ confirmed: z.record(z.string(), z.array(z.string())) });

/**
 * Hosts that the user confirmed for secrets that name none. Only the command line writes the file.
 */
export class SecretHosts {
  readonly #file: JsonFile<z.output<typeof ConfirmedHosts>>;

  constructor(home: Home) {
    this.#file = new JsonFile({ path: home.secretHosts, schema: ConfirmedHosts, version: 1 });
  }

  /**
   * Reads the file each time, because the user may confirm a host while a server runs. An
   * unreadable file confirms no hosts.
   */
  async confirmedFor(name: string): Promise<readonly string[]> {
    const all = await this.list();
    return Object.hasOwn(all, name) ? (all[name] ?? []) : [];
  }

  async list(): Promise<Readonly<Record<string, readonly string[]>>> {
    return (await this.#file.load())?.confirmed ?? {};
  }

  async allow(name: string, host: string): Promise<void> {
    const all = await this.list();
    const hosts = new Set(Object.hasOwn(all, name) ? all[name] : []);
    await this.#save({ ...all, [name]: [...hosts.add(host)] });
  }

  /** Returns whether the host was confirmed before. */
  async remove(name: string, host: string): Promise<boolean> {
    const all = await this.list();
    const hosts = Object.hasOwn(all, name) ? (all[name] ?? []) : [];
    if (!hosts.includes(host)) return false;
    await this.#save({ ...all, [name]: hosts.filter((other) => other !== host) });
    return true;
  }

  #save(all: Readonly<Record<string, readonly string[]>>): Promise<void> {
    const entries = Object.entries(all).filter(([, hosts]) => hosts.length > 0);
    return this.#file.save({
      confirmed: Object.fromEntries(entries.map(([name, hosts]) => [name, [...hosts]])),
    });
  }
}

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
