// Loads the files of --init-script: scripts of the owner that run before those of a page.
import { readFile } from 'node:fs/promises';
import { fail } from '../../core/failure.ts';

/** `SESSION=FILE`: only for one session. A path with an earlier `=` can start with `./`. */
const FOR_SESSION = /^([\w.@-]+)=(.+)$/s;

export const loadInitScript = async (
  text: string,
): Promise<{ readonly session?: string; readonly source: string }> => {
  const [, session, path = text] = FOR_SESSION.exec(text) ?? [];
  const source = await readFile(path, 'utf8').catch((error: unknown) => {
    throw fail(
      'invalid_argument',
      `--init-script: ${path} cannot be read.`,
      { argument: 'initScript' },
      error,
    );
  });
  return session === undefined ? { source } : { session, source };
};
