// Loads the secrets file once, before the first log line or response. Values stay in the server.
import { readFileSync } from 'node:fs';
import { parseDotenv } from '../../core/dotenv.ts';
import { fail } from '../../core/failure.ts';
import { parseSecretHost } from '../../core/secret-host.ts';

export interface Secret {
  readonly name: string;
  readonly value: string;
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
    const why = error instanceof Error ? error.message : String(error);
    throw fail(
      'invalid_argument',
      `The secrets file cannot be read: ${why}`,
      { argument: 'secrets', hint: 'Correct --secrets, or omit it.' },
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
