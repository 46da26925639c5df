// Loads the secrets file: its values never leave the server. Read once, before anything is logged or answered.
import { readFileSync } from 'node:fs';
import { parseDotenv } from '../core/dotenv.ts';
import { fail } from '../core/failure.ts';

/** Names and values; a file that cannot be read is a failure, because going on would let the secrets out. */
export const loadSecrets = (path: string | undefined): ReadonlyMap<string, string> => {
  if (path === undefined) return new Map();
  try {
    return parseDotenv(readFileSync(path, 'utf8'));
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
