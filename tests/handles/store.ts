// A store of payloads in a folder of its own, for tests: no server, no browser.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../../src/core/log.ts';
import { WorkerPool } from '../../src/core/worker-pool.ts';
import {
  fetchOutput,
  type FetchedOutput,
  type FetchRequest,
} from '../../src/store/handles/handle-fetch.ts';
import { type HandleCreated, Handles } from '../../src/store/handles/handles.ts';
import { PayloadFiles } from '../../src/store/handles/payload-files.ts';

export const HOUR_MS = 3_600_000;

interface StoreOptions {
  readonly ttlMs?: number;
  readonly maxTotalBytes?: number;
  readonly now?: () => number;
  readonly workers?: WorkerPool;
}

export class TestStore {
  readonly handles: Handles;
  readonly created: HandleCreated[] = [];

  private constructor(
    readonly folder: string,
    options: StoreOptions,
  ) {
    this.handles = new Handles({
      payloads: new PayloadFiles(folder),
      ttlMs: 24 * HOUR_MS,
      maxTotalBytes: 2 * 1024 ** 3,
      sweepEveryMs: 300_000,
      log: createLog({ level: 'error' }),
      workers: new WorkerPool(),
      onCreated: (event) => this.created.push(event),
      ...options,
    });
  }

  static async create(options: StoreOptions = {}): Promise<TestStore> {
    return new TestStore(await mkdtemp(join(tmpdir(), 'openchrome-handles-')), options);
  }

  /** The same folder as another process would see it. */
  reopened(options: StoreOptions = {}): TestStore {
    return new TestStore(this.folder, options);
  }

  fetch(output_handle: string, request: Partial<FetchRequest> = {}): Promise<FetchedOutput> {
    return fetchOutput(
      this.handles,
      { output_handle, offset: 0, format: 'auto', ...request },
      new AbortController().signal,
    );
  }

  /** All pages, one after the other, each checked for what every page promises. */
  async pages(handle: string, request: Partial<FetchRequest> = {}): Promise<FetchedOutput[]> {
    const pages: FetchedOutput[] = [];
    for (let offset: number | null = request.offset ?? 0; offset !== null;) {
      const page: FetchedOutput = await this.fetch(handle, { ...request, offset });
      checkPage(page, offset);
      pages.push(page);
      offset = page.next_offset;
    }
    return pages;
  }

  /** Every file in the store, with the folder of its day. */
  async files(): Promise<string[]> {
    const names = await readdir(this.folder, { recursive: true, withFileTypes: true });
    return names.filter((entry) => !entry.isDirectory()).map((entry) => entry.name);
  }

  sweep(now = Date.now()): Promise<{ files: number; bytes: number }> {
    return this.handles.retention.sweep(now);
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

const checkPage = (
  { offset, limit, returned, total, next_offset: next, eof, content }: FetchedOutput,
  asked: number,
): void => {
  const holds =
    offset <= asked &&
    returned <= limit &&
    returned <= total &&
    (next === null) === eof &&
    (next === null ? offset + returned >= total : next === offset + returned && returned > 0) &&
    Buffer.byteLength(typeof content === 'string' ? content : JSON.stringify(content)) <= 65_536;
  if (!holds)
    throw new Error(
      `a page breaks its promise: ${JSON.stringify({ offset, limit, returned, total, next, eof })}`,
    );
};
