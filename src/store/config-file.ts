// Finds openchrome.json: the one in the working folder, else the one in the home folder.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fail } from '../core/failure.ts';
import { isMissing, storageFailure } from './disk-error.ts';

const NAME = 'openchrome.json';

export interface ConfigFile {
  readonly path: string;
  readonly content: unknown;
  /** It is the home folder's, and not one that came with whatever is being worked on. */
  readonly ofOwner: boolean;
}

export const readConfigFile = async ({
  home,
  workingFolder = process.cwd(),
}: {
  readonly home: string;
  readonly workingFolder?: string;
}): Promise<ConfigFile | undefined> => {
  for (const folder of [workingFolder, home]) {
    const path = join(folder, NAME);
    const text = await findText(path);
    if (text !== undefined) return { path, content: parse(text, path), ofOwner: folder === home };
  }
  return undefined;
};

const findText = async (path: string): Promise<string | undefined> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw storageFailure('read', path, error);
  }
};

const parse = (text: string, path: string): unknown => {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, '')); // some editors on Windows begin a file with this mark
  } catch (error) {
    const why = error instanceof Error ? error.message : 'not valid';
    throw fail('invalid_argument', `${path} is not valid JSON: ${why}`, { argument: NAME, hint: 'Correct the file, or remove it.' }, error);
  }
};
