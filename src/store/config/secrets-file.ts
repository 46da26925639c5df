// Loads the secrets file: its values never leave the server. Read once, before anything is logged
// or answered.
import { readFileSync } from 'node:fs';
import { parseDotenv } from '../../core/dotenv.ts';
import { fail } from '../../core/failure.ts';
import { parseSecretHost } from '../../core/secret-host.ts';

export interface Secret {
  readonly name: string;
  readonly value: string;
  /**
   * The only hosts whose pages may get it; undefined if the file names none, so that the user has
   * to confirm each host.
   */
  readonly hosts?: readonly string[];
}

/** A file that cannot be read is a failure, because going on would let the secrets out. */
export const loadSecrets = (path: string | undefined): readonly Secret[] => {
  if (path === undefined) return [];
  try {
    return Array.from(parseDotenv(readFileSync(path, 'utf8')), ([key, value]) =>
      toSecret(key, value),
    );
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw fail(
      'invalid_argument',
      `The secrets file cannot be read: ${why}`,
      { argument: 'secrets', hint: 'Correct --secrets, or leave it out.' },
      error,
    );
  }
};

/** The key is `NAME` or `NAME@host,host`. */
const toSecret = (key: string, value: string): Secret => {
  const [name = '', hosts] = key.split('@');
  return hosts === undefined
    ? { name, value }
    : { name, value, hosts: hosts.split(',').map(parseSecretHost) };
};
