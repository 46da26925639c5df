// A lock between processes: a file with the identity of its holder, taken over if that has died.
import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { link, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { attempt } from '../core/attempt.ts';
import { defined } from '../core/defined.ts';
import { fail } from '../core/failure.ts';
import { every, monotonicMs, sleep } from '../core/time.ts';
import { getErrorCode, isMissing, storageFailure } from './disk-error.ts';
import { PRIVATE_FILE } from './private-files.ts';
import type { ProcessIdentity, Processes } from './process-identity.ts';
import { ProcessIdentitySchema } from './process-schema.ts';
import { buildTemporaryPath } from './replace-file.ts';

/** The token is different each time that a process takes the lock. */
const LockContent = z.object({
  holder: ProcessIdentitySchema,
  token: z.string().regex(/^[\w-]{1,32}$/),
  /** For the process that takes the lock over if its holder dies. */
  note: z.string().optional(),
});
type LockContent = z.output<typeof LockContent>;

/** Code runs under the lock for milliseconds; `take` fails after this time. */
const PATIENCE_MS = 15_000;
const FIRST_WAIT_MS = 1;
const LONGEST_WAIT_MS = 25;
/** A lock expires after this time if its holder is on another machine or its content is invalid. */
const SILENT_MS = 60_000;
/** The same for locks of `tryTake`, which their holders touch every `BEAT_MS`. */
const HELD_SILENT_MS = 5 * 60_000;
const BEAT_MS = 30_000;
/** How long `tryTake` waits while another process removes a dead lock. */
const REMOVAL_MS = 1000;

/** Dispose it to release the lock. */
export interface HeldLock extends Disposable {
  /** The note of the dead holder from which the lock was taken over. */
  readonly inherited: string | undefined;
}

/** `heldBy` is undefined if the holder is unknown. */
export type LockResult =
  | { readonly lock: HeldLock }
  | { readonly heldBy: ProcessIdentity | undefined };

interface LockRequest {
  readonly path: string;
  /** The content of the lock file. */
  readonly text: string;
  readonly until: number;
  readonly silentMs: number;
}

/** The lock was taken, or `until` has passed. */
type LockOutcome =
  | { readonly taken: true; readonly inherited: string | undefined }
  | { readonly taken: false; readonly holder: LockContent | undefined };

export class Locks {
  readonly #processes: Processes;
  /** The last waiter per path: callers in this process queue here instead of polling the file. */
  readonly #tails = new Map<string, Promise<void>>();

  constructor(processes: Processes) {
    this.#processes = processes;
  }

  /** Waits until the lock at `path` is free and takes it; dispose the result to release it. */
  async take(path: string, { patienceMs = PATIENCE_MS } = {}): Promise<Disposable> {
    const leave = await this.#queue(path);
    const text = this.#buildContent();
    try {
      const until = monotonicMs() + patienceMs;
      const outcome = await this.#take({ path, text, until, silentMs: SILENT_MS });
      if (!outcome.taken) throw busy(path, outcome.holder);
    } catch (error) {
      leave();
      throw error;
    }
    return once(() => {
      removeIf(path, text);
      leave();
    });
  }

  /**
   * Takes the lock at `path` for the life of a resource, or returns its holder. If this process
   * dies, the process that takes the lock over gets `note`.
   */
  async tryTake(path: string, note = ''): Promise<LockResult> {
    const text = this.#buildContent(note);
    const until = monotonicMs();
    const outcome = await this.#take({ path, text, until, silentMs: HELD_SILENT_MS });
    if (!outcome.taken) return { heldBy: outcome.holder?.holder };
    const beat = every(BEAT_MS, () => utimes(path, new Date(), new Date()));
    const release = once(() => {
      beat[Symbol.dispose]();
      removeIf(path, text);
    });
    return { lock: { ...release, inherited: outcome.inherited } };
  }

  /** Waits for earlier callers in this process; call the result when the next one may go on. */
  async #queue(path: string): Promise<() => void> {
    let letGo = (): void => {};
    const before = this.#tails.get(path);
    const mine = new Promise<void>((resolve) => (letGo = resolve));
    this.#tails.set(path, mine);
    await before;
    return () => {
      if (this.#tails.get(path) === mine) this.#tails.delete(path);
      letGo();
    };
  }

  #buildContent(note?: string): string {
    const token = randomBytes(8).toString('hex');
    return JSON.stringify(defined({ holder: this.#processes.own, token, note }));
  }

  async #take({ path, text, until, silentMs }: LockRequest): Promise<LockOutcome> {
    let inherited: string | undefined;
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
      if (await create(path, text)) return { taken: true, inherited };
      const found = await read(path);
      if (found === undefined) continue; // released in the meantime
      if (await this.#isDead(path, found, silentMs)) {
        const removal = await this.#remove(path, found, until);
        if (removal === 'refused') return { taken: false, holder: undefined };
        if (removal === 'removed') inherited = found.content?.note ?? inherited;
        continue;
      }
      if (monotonicMs() > until) return { taken: false, holder: found.content };
      await sleep(wait * (0.5 + Math.random()));
    }
  }

  /**
   * Several processes may find the same dead lock, and a slow one must not delete the lock of the
   * next holder. So deleting requires a second lock that is named after the dead lock's token.
   */
  async #remove(
    path: string,
    dead: LockFile,
    until: number,
  ): Promise<'removed' | 'changed' | 'refused'> {
    const right: LockRequest = {
      path: `${path}.${dead.content?.token ?? 'unreadable'}`,
      text: this.#buildContent(),
      until: Math.max(until, monotonicMs() + REMOVAL_MS),
      silentMs: SILENT_MS,
    };
    if (!(await this.#take(right)).taken) return 'refused';
    try {
      return removeIf(path, dead.text) ? 'removed' : 'changed';
    } finally {
      removeIf(right.path, right.text);
    }
  }

  async #isDead(path: string, { content }: LockFile, silentMs: number): Promise<boolean> {
    if (content) {
      const state = await this.#processes.stateOf(content.holder);
      if (state !== 'elsewhere') return state === 'gone';
    }
    const touched = await stat(path).catch(() => undefined);
    return touched !== undefined && Date.now() - touched.mtimeMs > silentMs;
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

/**
 * Removes the lock file if it has this content. Synchronous, so that a caller can release the lock
 * in the same tick as its last change.
 */
const removeIf = (path: string, text: string): boolean => {
  try {
    if (readFileSync(path, 'utf8') !== text) return false;
    rmSync(path, { force: true });
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw storageFailure('unlock', path, error);
  }
};

/** Creates the file with its content in one step, so that readers never see a partial file. */
const create = async (path: string, text: string): Promise<boolean> => {
  const draft = buildTemporaryPath(path);
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

const parse = (text: string): LockContent | undefined =>
  attempt(() => LockContent.safeParse(JSON.parse(text)).data);

const busy = (path: string, content: LockContent | undefined): Error =>
  fail(
    'storage_failed',
    `${path} has been locked by process ${content?.holder.pid ?? 'unknown'} for too long.`,
    { path, hint: 'Try again when that process has ended.' },
  );
