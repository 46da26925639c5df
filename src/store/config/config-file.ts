// Reads openchrome.json from the home folder and from the working folder.
import { statSync } from 'node:fs';
import { lstat, readFile, realpath } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { defined } from '../../core/defined.ts';
import { fail } from '../../core/failure.ts';
import { isRecord } from '../../core/json.ts';
import { isMissing, storageFailure } from '../../system/disk-error.ts';

export const CONFIG_FILE = 'openchrome.json';

interface ConfigFile {
  readonly path: string;
  readonly content: unknown;
}

export interface ConfigFiles {
  readonly homeFile?: ConfigFile;
  readonly projectFile?: ConfigFile;
}

interface ConfigFolders {
  readonly home: string;
  readonly workingFolder?: string;
}

/** Whether a configuration file exists; also true if that cannot be determined. */
export const hasConfigFile = ({ home, workingFolder = process.cwd() }: ConfigFolders): boolean =>
  [home, workingFolder].some((folder) => mayExist(join(folder, CONFIG_FILE)));

const mayExist = (path: string): boolean => {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
};

/** Returns both files, because the project file must not replace the owner's file. */
export const readConfigFiles = async ({
  home,
  workingFolder = process.cwd(),
}: ConfigFolders): Promise<ConfigFiles> => {
  const homeFile = await readConfigFile(home);
  if (homeFile && isRecord(homeFile.content) && 'policy' in homeFile.content)
    await requireOwnersFile(home, homeFile.path);
  const projectFile = (await isSameFolder(home, workingFolder))
    ? undefined
    : await readConfigFile(workingFolder);
  return defined({ homeFile, projectFile });
};

/** Write permission of the group and of others. */
const OTHERS_WRITE = 0o022;

/**
 * Throws if another user, or a program that may write to another folder, could change the rules:
 * the file is a link, or others may write to it or to its folder.
 */
const requireOwnersFile = async (folder: string, path: string): Promise<void> => {
  const [file, parent] = await Promise.all([lstat(path), lstat(await realpath(folder))]);
  const owners = [process.getuid?.() ?? file.uid, 0];
  const isOpen = [file, parent].some(
    ({ mode, uid }) => (mode & OTHERS_WRITE) !== 0 || !owners.includes(uid),
  );
  if (file.isFile() && (process.platform === 'win32' || !isOpen)) return;
  throw fail(
    'invalid_argument',
    `${path} sets "policy", so it must be a regular file, not a link, that only you can write.`,
    { argument: 'policy', hint: `Replace a link by the file itself, and run: chmod go-w ${path}` },
  );
};

/** Compares real paths, because the home folder may be reached through a link. */
const isSameFolder = async (a: string, b: string): Promise<boolean> => {
  const [realA, realB] = await Promise.all(
    [a, b].map((folder) => realpath(folder).catch(() => resolve(folder))),
  );
  return realA === realB;
};

const readConfigFile = async (folder: string): Promise<ConfigFile | undefined> => {
  const path = join(folder, CONFIG_FILE);
  const text = await findText(path);
  return text === undefined ? undefined : { path, content: parse(text, path) };
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
    // removes the byte order mark that some Windows editors write
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    const why = error instanceof Error ? error.message : 'not valid';
    throw fail(
      'invalid_argument',
      `${path} is not valid JSON: ${why}`,
      { argument: CONFIG_FILE, hint: 'Correct the file, or remove it.' },
      error,
    );
  }
};
