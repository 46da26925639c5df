// A lock file with the identity of its holder; a lock of a dead process can be taken over.
import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, rmdir, stat, utimes, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { every, sleep } from '../core/time.ts';
import { besides } from './private-files.ts';
import { ownIdentity, ProcessIdentity, findProcessState } from './process-identity.ts';

const ProcessLockContent = z.object({
  holder: ProcessIdentity,
  token: z.string(),
  note: z.string(),
});
type ProcessLockContent = z.output<typeof ProcessLockContent>;

export interface ProcessLock {
  /** The note of the dead holder from which the lock was taken over. */
  readonly inherited: string | undefined;
  release(): Promise<void>;
}

export type LockResult =
  | { readonly lock: ProcessLock }
  | { readonly heldBy: ProcessIdentity | undefined };

/**
 * Holders touch their lock every `BEAT_MS`. A lock on another machine is dead after `SILENT_MS`
 * without a touch.
 */
const BEAT_MS = 30_000;
const SILENT_MS = 5 * 60_000;
const TRIES = 20;
const PAUSE_MS = 5;

/**
 * Takes the lock at `path`, or returns its holder. If this process dies, the process that takes the
 * lock over gets `note`.
 */
export const takeLock = async (path: string, note: string): Promise<LockResult> => {
  const mine: ProcessLockContent = {
    holder: ownIdentity(),
    token: randomBytes(9).toString('base64url'),
    note,
  };
  let inherited: string | undefined;
  for (let attempt = 0; attempt < TRIES; attempt++) {
    if (await create(path, JSON.stringify(mine))) return { lock: holding(path, mine, inherited) };
    const found = await read(path);
    if (found === undefined) continue; // released in the meantime
    if (!(await isDead(path, found.content))) return { heldBy: found.content?.holder };
    if (await discard(path, found.text)) inherited = found.content?.note ?? inherited;
    else await sleep(PAUSE_MS);
  }
  return { heldBy: undefined };
};

/** Creates the file with its content in one step, so that readers never see a partial file. */
const create = async (path: string, text: string): Promise<boolean> => {
  const draft = besides(path);
  await writeFile(draft, text, { mode: 0o600, flag: 'wx' });
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    if (code === 'EPERM' || code === 'ENOTSUP' || code === 'ENOSYS' || code === 'EOPNOTSUPP')
      return createWithoutLinks(path, text);
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
};

const createWithoutLinks = async (path: string, text: string): Promise<boolean> => {
  try {
    await writeFile(path, text, { mode: 0o600, flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
};

const parse = (text: string): ProcessLockContent | undefined => {
  try {
    return ProcessLockContent.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
};

const read = async (
  path: string,
): Promise<{ text: string; content: ProcessLockContent | undefined } | undefined> => {
  try {
    const text = await readFile(path, 'utf8');
    return { text, content: parse(text) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};

const isDead = async (path: string, content: ProcessLockContent | undefined): Promise<boolean> => {
  if (content) {
    const state = await findProcessState(content.holder);
    if (state !== 'elsewhere') return state === 'gone';
  }
  return Date.now() - (await touchedAt(path)) > SILENT_MS;
};

/** The time of the last write; the current time if the file is missing. */
const touchedAt = (path: string): Promise<number> =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => Date.now(),
  );

/**
 * Deletes the dead lock, one process at a time. Otherwise two processes could find it dead, and the
 * slower one would delete the new lock of the faster one.
 */
const discard = async (path: string, expected: string): Promise<boolean> => {
  const gate = `${path}.takeover`;
  if (!(await enter(gate))) return false;
  try {
    if ((await read(path))?.text !== expected) return false;
    await rm(path, { force: true });
    return true;
  } finally {
    await removeGate(gate);
  }
};

/** A gate older than this belongs to a process that died; its normal life is milliseconds. */
const GATE_MS = 10_000;

const enter = async (gate: string): Promise<boolean> => {
  try {
    await mkdir(gate, { mode: 0o700 });
    return true;
  } catch {
    if (Date.now() - (await touchedAt(gate)) > GATE_MS) await removeGate(gate);
    return false;
  }
};

const removeGate = (gate: string): Promise<void> => rmdir(gate).catch(() => {});

const holding = (
  path: string,
  mine: ProcessLockContent,
  inherited: string | undefined,
): ProcessLock => {
  const beat = every(BEAT_MS, () => utimes(path, new Date(), new Date()));
  return {
    inherited,
    release: async () => {
      beat[Symbol.dispose]();
      if (parse((await read(path).catch(() => undefined))?.text ?? '')?.token === mine.token)
        await rm(path, { force: true });
    },
  };
};
