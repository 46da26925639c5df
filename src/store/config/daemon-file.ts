// Reads and writes daemon.json: address, token and identity of the daemon. No zod, for fast starts.
import { readFileSync, rmSync, statSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { attempt } from '../../core/attempt.ts';
import { isObject } from '../../core/json.ts';
import { isMissing, storageFailure } from '../../system/disk-error.ts';

export interface DaemonNote {
  readonly version: 1;
  readonly pid: number;
  /**
   * Start time and machine, which together with the pid identify one process even if the pid is
   * reused.
   */
  readonly started: string;
  readonly host: string;
  readonly port: number;
  readonly token: string;
  /** The program file that the daemon runs. */
  readonly program: ProgramMark;
  /** Digest of the environment variables that its configuration depends on. */
  readonly environment: string;
}

/** Identifies a program by version and file, because builds of the same version can differ. */
export interface ProgramMark {
  readonly version: string;
  readonly entry: string;
  readonly modified_ms: number;
}

const MAX_BYTES = 16 * 1024;

/** Undefined if the file is missing; `unreadable` if it is incomplete or not a daemon note. */
export const readDaemonNote = (path: string): DaemonNote | 'unreadable' | undefined => {
  try {
    const stat = statSync(path);
    if (!stat.isFile() || stat.size > MAX_BYTES) return 'unreadable';
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isNote(value) ? value : 'unreadable';
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (error instanceof SyntaxError) return 'unreadable';
    throw storageFailure('read', path, error);
  }
};

const isNote = (value: unknown): value is DaemonNote => {
  if (!isObject(value)) return false;
  const { version, pid, started, host, port, token, program, environment } = value as Record<
    keyof DaemonNote,
    unknown
  >;
  const texts = [started, host, token, environment].every((text) => typeof text === 'string');
  return (
    version === 1 && texts && isCount(pid) && isCount(port) && port <= 65_535 && isProgram(program)
  );
};

const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) > 0;

const isProgram = (value: unknown): value is ProgramMark =>
  isObject(value) && 'version' in value && typeof value.version === 'string';

export const writeDaemonNote = (path: string, note: DaemonNote): Promise<void> =>
  writeJson(path, note);

/** Every command reads the note, but only the daemon writes: it loads that code on its own. */
const writeJson = async (path: string, value: unknown): Promise<void> => {
  const { replaceFile } = await import('../../system/replace-file.ts');
  await replaceFile(path, JSON.stringify(value));
};

/** Removes the note only if it has this token. */
export const removeDaemonNote = (path: string, token: string): void => {
  try {
    const found = readDaemonNote(path);
    if (found !== undefined && found !== 'unreadable' && found.token === token)
      rmSync(path, { force: true });
  } catch {
    // a note that stays names a process that has ended, so readers ignore it
  }
};

/**
 * Renames an unreadable note, so that a new one can be written and the old one can be inspected.
 */
export const setDaemonNoteAside = async (path: string): Promise<void> => {
  try {
    await rename(path, `${path}.corrupt-${Date.now()}`);
  } catch (error) {
    if (!isMissing(error)) throw storageFailure('set aside', path, error);
  }
};

export const markProgram = (version: string, entry: string): ProgramMark =>
  attempt(() => ({ version, entry, modified_ms: statSync(entry).mtimeMs }), {
    version,
    entry,
    modified_ms: 0,
  });

const locateEnd = (path: string): string => `${path}.ended`;

/** Leaves a sentence for the next command: why the daemon and its tabs are gone. */
export const writeDaemonEnd = (path: string, sentence: string): Promise<void> =>
  writeJson(locateEnd(path), sentence);

/** Returns the sentence of the last daemon, once. */
export const takeDaemonEnd = (path: string): string | undefined => {
  // missing or unreadable: the tabs are gone without a reason
  return attempt(() => {
    const text: unknown = JSON.parse(readFileSync(locateEnd(path), 'utf8'));
    rmSync(locateEnd(path), { force: true });
    return typeof text === 'string' ? text.slice(0, 500) : undefined;
  });
};
