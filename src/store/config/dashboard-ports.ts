// The ports of the running dashboards of this home, which agents may not open.
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../../core/attempt.ts';
import { monotonicMs } from '../../core/time.ts';
import { getErrorCode } from '../../system/disk-error.ts';
import { ensureFolder, PRIVATE_FILE } from '../../system/private-files.ts';

const FILE = /^dashboard-(\d+)-(\d+)$/;

/** How long a listing is used: every call in a tab on this machine needs it. */
const LISTED_MS = 1_000;

interface ServedPort {
  readonly file: string;
  readonly pid: number;
  readonly port: number;
}

/** Each server with a dashboard has an empty file, whose name contains its pid and its port. */
export class DashboardPorts {
  readonly #folder: string;
  readonly #own = new Set<number>();
  #listed: readonly number[] = [];
  #listedAt = -Infinity;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Records a port of this process until the result is disposed. */
  async add(port: number): Promise<Disposable> {
    this.#own.add(port);
    const file = join(this.#folder, `dashboard-${process.pid}-${port}`);
    await ensureFolder(this.#folder);
    for (const served of this.#load())
      if (!isRunning(served.pid)) rmSync(join(this.#folder, served.file), { force: true });
    writeFileSync(file, '', { mode: PRIVATE_FILE });
    return {
      [Symbol.dispose]: () => {
        this.#own.delete(port);
        this.#listedAt = -Infinity;
        rmSync(file, { force: true });
      },
    };
  }

  /** The ports of this process and of the other running servers of this home. */
  list(): readonly number[] {
    const now = monotonicMs();
    if (now - this.#listedAt >= LISTED_MS) {
      this.#listedAt = now;
      this.#listed = this.#load()
        .filter(({ pid }) => isRunning(pid))
        .map(({ port }) => port);
    }
    return [...this.#own, ...this.#listed];
  }

  /** No file if the folder does not exist: no server of this home has a dashboard. */
  #load(): readonly ServedPort[] {
    const names = attempt(() => readdirSync(this.#folder), []);
    return names.flatMap((file) => {
      const [, pid, port] = FILE.exec(file) ?? [];
      return pid === undefined ? [] : [{ file, pid: Number(pid), port: Number(port) }];
    });
  }
}

/** A process of another user cannot be signalled, but it is running. */
const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return getErrorCode(error) === 'EPERM';
  }
};
