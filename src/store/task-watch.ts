// Tells when a task's row may have changed, whichever process changed it, at no cost while nothing happens.
import { watch, type FSWatcher } from 'node:fs';
import { abortable, every } from '../core/time.ts';
import { META_FILE } from './task-row.ts';

/** Where the system tells of changes, asking by the clock is only for what it may have missed. */
const SLOW_MS = 1000;
/** Where it does not (network disks, no watches left), it is asked often enough to be told in time. */
const QUICK_MS = 100;

export class TaskWatch implements Disposable {
  #watcher: FSWatcher | undefined;
  #clock: Disposable;
  #waiting: (() => void)[] = [];

  constructor(folder: string) {
    this.#watcher = this.#listen(folder);
    this.#clock = every(this.#watcher ? SLOW_MS : QUICK_MS, () => this.#tell());
  }

  /** Resolves when the row may have changed since this was called; ask for it before looking, and no change is missed. */
  next(signal: AbortSignal): Promise<void> {
    return abortable(new Promise<void>((resolve) => this.#waiting.push(resolve)), signal);
  }

  #listen(folder: string): FSWatcher | undefined {
    try {
      const watcher = watch(folder, { persistent: false }, (_event, name) => {
        if (name === null || name === META_FILE) this.#tell();
      });
      watcher.on('error', () => this.#doWithout());
      return watcher;
    } catch {
      return undefined;
    }
  }

  #doWithout(): void {
    this.#watcher?.close();
    this.#clock[Symbol.dispose]();
    this.#clock = every(QUICK_MS, () => this.#tell());
  }

  #tell(): void {
    for (const tell of this.#waiting.splice(0)) tell();
  }

  [Symbol.dispose](): void {
    this.#watcher?.close();
    this.#clock[Symbol.dispose]();
  }
}
