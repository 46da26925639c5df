// Loads a text file that the user names on the command line: a script, a list of commands, a table.
import { fail } from '../../core/failure.ts';
import { storageFailure } from '../../system/disk-error.ts';
import { openRegularFile, Unreadable } from '../../system/private-files.ts';

const MAX_FILE_BYTES = 16 * 1024 * 1024;

export const loadUserFile = async (path: string): Promise<string> => {
  const file = await openRegularFile(path, MAX_FILE_BYTES).catch((error: unknown) => {
    if (error instanceof Unreadable)
      throw fail('invalid_argument', `${path} cannot be read: ${error.message}.`);
    throw storageFailure('read', path, error);
  });
  if (!file)
    throw fail('invalid_argument', `The file ${path} does not exist.`, { argument: 'file' });
  try {
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
};
