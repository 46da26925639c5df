// A short lock between processes: a file with the identity of its holder.
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

/** The token is different each time that a process takes the lock. */
const LockContent = z.object({
  holder: ProcessIdentity,
  token: z.string().regex(/^[0-9a-f]{16}$/),
});
type LockContent = z.output<typeof LockContent>;

/** Code runs under the lock for milliseconds; `take` fails after this time. */
const PATIENCE_MS = 15_000;
const FIRST_WAIT_MS = 1;
const LONGEST_WAIT_MS = 25;
/** A lock expires after this time if its holder is on another machine or its content is invalid. */
const SILENT_MS = 60_000;

export class Locks {
  readonly #processes: Processes;
  /** The last waiter per path: callers in this process queue here instead of polling the file. */
  readonly #tails = new Map<string, Promise<void>>();

  constructor(processes: Processes) {
    this.#processes = processes;
  }

  /** Waits until the lock at `path` is free and takes it; dispose the result to release it. */
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

  /** Returns the content that was written to the lock file. */
  async #take(path: string, until: number): Promise<string> {
    const mine = JSON.stringify({
      holder: this.#processes.own,
      token: randomBytes(8).toString('hex'),
    } satisfies LockContent);
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
      if (await create(path, mine)) return mine;
      const found = await read(path);
      if (found === undefined) continue; // released in the meantime
      if (await this.#isDead(path, found)) {
        await this.#remove(path, found, until);
        continue;
      }
      if (monotonicMs() > until) throw busy(path, found);
      await sleep(wait * (0.5 + Math.random()));
    }
  }

  /**
   * Several processes may find the same dead lock, and a slow one must not delete the lock of the
   * next holder. So deleting requires a second lock that is named after the dead lock's token.
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

/** Synchronous, so that a caller can release the lock in the same tick as its last change. */
const removeIf = (path: string, text: string): void => {
  try {
    if (readFileSync(path, 'utf8') === text) rmSync(path, { force: true });
  } catch (error) {
    if (!isMissing(error)) throw storageFailure('unlock', path, error);
  }
};

/** Creates the file with its content in one step, so that readers never see a partial file. */
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
 * For file systems without hard links. If the holder dies between creating and writing the file,
 * the empty lock expires after `SILENT_MS`.
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
