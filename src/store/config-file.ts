// Finds openchrome.json: the one in the working folder, else the one in the home folder.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fail } from '../core/failure.ts';
import { isMissing, storageFailure } from './disk-error.ts';

export interface ConfigFile {
  readonly path: string;
  readonly content: unknown;
}

const NAME = 'openchrome.json';

/** Read synchronously: nothing can begin before the configuration is known. */
export const findConfigFile = (workingFolder: string, homeFolder: string): ConfigFile | undefined => {
  for (const folder of [workingFolder, homeFolder]) {
    const path = join(folder, NAME);
    const text = findText(path);
    if (text !== undefined) return { path, content: parse(text, path) };
  }
  return undefined;
};

const findText = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw storageFailure('read', path, error);
  }
};

const parse = (text: string, path: string): unknown => {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    const why = error instanceof Error ? error.message : 'not valid';
    throw fail('invalid_argument', `${path} is not valid JSON: ${why}`, { argument: NAME, hint: 'Correct the file, or remove it.' }, error);
  }
};
