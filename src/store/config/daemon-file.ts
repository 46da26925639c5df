// daemon.json: where the command line's daemon is reached and by what it is known again. Read by
// hand: every command waits for it.
import { readFileSync, rmSync, statSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { isMissing, storageFailure } from '../../system/disk-error.ts';
import { replaceFile } from '../../system/replace-file.ts';

export interface DaemonNote {
  readonly version: 1;
  readonly pid: number;
  /**
   * When it started, and on which machine: with its number, that is one process and never another.
   */
  readonly started: string;
  readonly host: string;
  readonly port: number;
  readonly token: string;
  /** The program that it runs. */
  readonly program: ProgramMark;
  /** The variables that its configuration was made of, as a digest. */
  readonly environment: string;
}

/**
 * Which program a process runs: a version, and the very file, since builds of one version differ
 * too.
 */
export interface ProgramMark {
  readonly version: string;
  readonly entry: string;
  readonly modified_ms: number;
}

const MAX_BYTES = 16 * 1024;

/** Nothing when there is no file; `unreadable` when what stands there is none of ours, or torn. */
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
  if (typeof value !== 'object' || value === null) return false;
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
  typeof value === 'object' &&
  value !== null &&
  'version' in value &&
  typeof value.version === 'string';

export const writeDaemonNote = (path: string, note: DaemonNote): Promise<void> =>
  replaceFile(path, JSON.stringify(note));

/** Removes the note of the daemon with this token; another's is left alone. */
export const removeDaemonNote = (path: string, token: string): void => {
  try {
    const found = readDaemonNote(path);
    if (found !== undefined && found !== 'unreadable' && found.token === token)
      rmSync(path, { force: true });
  } catch {
    // what is left there names a process that is gone, and is known by that
  }
};

/** What could not be read makes room for a new note, and is kept for whoever wants to know. */
export const setDaemonNoteAside = async (path: string): Promise<void> => {
  try {
    await rename(path, `${path}.corrupt-${Date.now()}`);
  } catch (error) {
    if (!isMissing(error)) throw storageFailure('set aside', path, error);
  }
};

export const markProgram = (version: string, entry: string): ProgramMark => {
  try {
    return { version, entry, modified_ms: statSync(entry).mtimeMs };
  } catch {
    return { version, entry, modified_ms: 0 };
  }
};
