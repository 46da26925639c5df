// A lock between processes, held for a moment: a file that names its holder, so that what a dead
// one left is taken away safely.
import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { link, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { fail } from '../core/failure.ts';
import { ProcessIdentity, type Processes } from './process.ts';
import { monotonicMs, sleep } from '../core/time.ts';
import { getErrorCode, isMissing, storageFailure } from './disk-error.ts';
import { PRIVATE_FILE } from './folders.ts';

/** The holder, and a word for this one time that it holds the lock. */
const LockContent = z.object({
  holder: ProcessIdentity,
  token: z.string().regex(/^[0-9a-f]{16}$/),
});
type LockContent = z.output<typeof LockContent>;

/** Work under the lock takes milliseconds; whoever waits longer than this is told. */
const PATIENCE_MS = 15_000;
const FIRST_WAIT_MS = 1;
const LONGEST_WAIT_MS = 25;
/**
 * A holder that we cannot look at (another machine), or whose name cannot be read, is taken for
 * dead after this time.
 */
const SILENT_MS = 60_000;

export class Locks {
  readonly #processes: Processes;
  /** Within this process one waits for the other without asking the disk. */
  readonly #tails = new Map<string, Promise<void>>();

  constructor(processes: Processes) {
    this.#processes = processes;
  }

  /** Waits until the lock at `path` is free, and takes it; dispose of it to let it go. */
  async take(path: string, { patienceMs = PATIENCE_MS } = {}): Promise<Disposable> {
    let letGo = (): void => {};
    const before = this.#tails.get(path);
    const mine = new Promise<void>((resolve) => (letGo = resolve));
    this.#tails.set(path, mine);
    const release = (): void => {
      if (this.#tails.get(path) === mine) this.#tails.delete(path);
      letGo();
    };
    try {
      await before;
      const text = await this.#take(path, monotonicMs() + patienceMs);
      return once(() => {
        removeIf(path, text);
        release();
      });
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Returns what the lock says now that it is ours. */
  async #take(path: string, until: number): Promise<string> {
    const mine = JSON.stringify({
      holder: this.#processes.own,
      token: randomBytes(8).toString('hex'),
    } satisfies LockContent);
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
      if (await create(path, mine)) return mine;
      const found = await read(path);
      if (found === undefined) continue; // let go meanwhile
      if (await this.#isDead(path, found)) {
        await this.#remove(path, found, until);
        continue;
      }
      if (monotonicMs() > until) throw busy(path, found);
      await sleep(wait * (0.5 + Math.random()));
    }
  }

  /**
   * Several may find the same dead lock, and one that is slow must not take away the lock of the
   * next holder. So the right to remove a dead lock is a lock itself, named after the dead one;
   * whoever has it looks once more before removing.
   */
  async #remove(path: string, dead: LockFile, until: number): Promise<void> {
    const right = `${path}.${dead.content?.token ?? 'unreadable'}`;
    const mine = await this.#take(right, until);
    try {
      removeIf(path, dead.text);
    } finally {
      removeIf(right, mine);
    }
  }

  async #isDead(path: string, { content }: LockFile): Promise<boolean> {
    if (content) {
      const state = await this.#processes.stateOf(content.holder);
      if (state !== 'elsewhere') return state === 'gone';
    }
    const touched = await stat(path).catch(() => undefined);
    return touched !== undefined && Date.now() - touched.mtimeMs > SILENT_MS;
  }
}

interface LockFile {
  readonly text: string;
  readonly content: LockContent | undefined;
}

const once = (release: () => void): Disposable => {
  let held = true;
  return {
    [Symbol.dispose]: () => {
      if (held) release();
      held = false;
    },
  };
};

/** At once, so that letting go can be one breath with what was done under the lock. */
const removeIf = (path: string, text: string): void => {
  try {
    if (readFileSync(path, 'utf8') === text) rmSync(path, { force: true });
  } catch (error) {
    if (!isMissing(error)) throw storageFailure('unlock', path, error);
  }
};

/** Creates the file with its content in one step: nobody sees half of it. */
const create = async (path: string, text: string): Promise<boolean> => {
  const draft = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    await writeFile(draft, text, { mode: PRIVATE_FILE, flag: 'wx' });
    await link(draft, path);
    return true;
  } catch (error) {
    if (getErrorCode(error) === 'EEXIST') return false;
    if (['EPERM', 'ENOTSUP', 'ENOSYS', 'EOPNOTSUPP'].includes(getErrorCode(error) ?? ''))
      return createWithoutLinks(path, text);
    throw storageFailure('lock', path, error);
  } finally {
    await rm(draft, { force: true });
  }
};

/**
 * On file systems without links. A holder that dies between the two steps leaves an empty lock,
 * which goes when it is old.
 */
const createWithoutLinks = async (path: string, text: string): Promise<boolean> => {
  try {
    await writeFile(path, text, { mode: PRIVATE_FILE, flag: 'wx' });
    return true;
  } catch (error) {
    if (getErrorCode(error) === 'EEXIST') return false;
    throw storageFailure('lock', path, error);
  }
};

const read = async (path: string): Promise<LockFile | undefined> => {
  try {
    const text = await readFile(path, 'utf8');
    return { text, content: parse(text) };
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw storageFailure('read', path, error);
  }
};

const parse = (text: string): LockContent | undefined => {
  try {
    return LockContent.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
};

const busy = (path: string, { content }: LockFile): Error =>
  fail(
    'storage_failed',
    `${path} has been locked by process ${content?.holder.pid ?? 'unknown'} for too long.`,
    { path },
  );
