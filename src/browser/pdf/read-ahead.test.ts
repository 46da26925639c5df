// Reading a PDF before a call needs it: which results a call gets, and what cancels or releases them.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Events } from '../../core/events.ts';
import { fail } from '../../core/failure.ts';
import type { WorkerPool } from '../../core/worker-pool.ts';
import type { Tab } from '../tabs/tab.ts';
import type { PdfReading } from './pdf-parts.ts';
import { startReadAhead, takeReadAhead } from './read-ahead.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const READING: PdfReading = {
  title: 'Report',
  pageCount: 1,
  pages: ['Text'],
  textless: [],
  pictures: [],
  damaged: [],
  hidden: 0,
};

interface PdfTab {
  readonly tab: Tab;
  readonly events: Events<{ navigated: unknown; closed: undefined }>;
}

const createTab = (file = '%PDF-1.7\n%%EOF\n', decodedBytes = file.length): PdfTab => {
  const events = new Events<{ navigated: unknown; closed: undefined }>();
  const record = { ended: true, decodedBytes };
  const tab = {
    events,
    closed: false,
    openedFile: undefined,
    frames: { main: { loaderId: 'L1' } },
    traffic: { document: () => record, body: async () => ({ text: file }) },
  };
  return { tab: tab as unknown as Tab, events };
};

interface FakeJob {
  readonly signal: AbortSignal;
  readonly end: (reading: PdfReading) => void;
  readonly fail: (error: Error) => void;
}

/** A pool whose jobs end when the test decides. */
const createPool = (): { readonly workers: WorkerPool; readonly jobs: FakeJob[] } => {
  const jobs: FakeJob[] = [];
  const run = (
    _script: unknown,
    _request: unknown,
    { signal }: { readonly signal: AbortSignal },
  ): Promise<unknown> =>
    new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
      jobs.push({ signal, end: (reading) => resolve({ reading }), fail: reject });
    });
  return { workers: { run, load: { running: 0 } } as unknown as WorkerPool, jobs };
};

const { signal } = new AbortController();
const take = (tab: Tab, workers: WorkerPool): Promise<PdfReading | undefined> =>
  takeReadAhead(tab, 'document L1', { workers, signal });

/** Starts a reading, and waits until its thread has got the file. */
const start = async (
  { tab }: PdfTab,
  { workers, jobs }: ReturnType<typeof createPool>,
): Promise<FakeJob> => {
  const before = jobs.length;
  startReadAhead(tab, workers);
  await vi.advanceTimersByTimeAsync(100);
  await vi.waitUntil(() => jobs.length > before, { timeout: 20_000 });
  return jobs[before] as FakeJob;
};

describe('a call gets the text', () => {
  test('that is complete already, and only once', async () => {
    const [page, pool] = [createTab(), createPool()];
    (await start(page, pool)).end(READING);
    expect(await take(page.tab, pool.workers)).toBe(READING);
    expect(await take(page.tab, pool.workers)).toBeUndefined();
  });

  test('after waiting for it', async () => {
    const [page, pool] = [createTab(), createPool()];
    const job = await start(page, pool);
    const taken = take(page.tab, pool.workers);
    job.end(READING);
    expect(await taken).toBe(READING);
  });

  test('or the failure of a file that cannot be read', async () => {
    const [page, pool] = [createTab(), createPool()];
    const job = await start(page, pool);
    const taken = take(page.tab, pool.workers);
    job.fail(fail('document_encrypted', 'The PDF is encrypted and needs a password.'));
    await expect(taken).rejects.toMatchObject({ code: 'document_encrypted' });
  });
});

describe('a call reads the file itself', () => {
  test('if it comes before the reading has started', async () => {
    const [page, pool] = [createTab(), createPool()];
    startReadAhead(page.tab, pool.workers);
    expect(await take(page.tab, pool.workers)).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1000);
    expect(pool.jobs).toHaveLength(0);
  });

  test('if the tab shows another document', async () => {
    const [page, pool] = [createTab(), createPool()];
    (await start(page, pool)).end(READING);
    const options = { workers: pool.workers, signal };
    expect(await takeReadAhead(page.tab, 'document L2', options)).toBeUndefined();
    expect(await take(createTab().tab, pool.workers)).toBeUndefined();
  });

  test('if pages are missing, because the time was too short', async () => {
    const [page, pool] = [createTab(), createPool()];
    (await start(page, pool)).end({ ...READING, pageCount: 2 });
    expect(await take(page.tab, pool.workers)).toBeUndefined();
  });

  test('if the attempt failed for a reason that does not concern the file', async () => {
    const [page, pool] = [createTab(), createPool()];
    (await start(page, pool)).fail(fail('overloaded', 'Too many jobs.'));
    expect(await take(page.tab, pool.workers)).toBeUndefined();
  });

  test.each([
    ['if the file has more than 8 MB', createTab('%PDF-1.7\n%%EOF\n', 9_000_000)],
    ['if the end of the file is missing', createTab('%PDF-1.7\n')],
  ])('%s', async (_, page) => {
    const pool = createPool();
    startReadAhead(page.tab, pool.workers);
    await vi.advanceTimersByTimeAsync(100);
    expect(await take(page.tab, pool.workers)).toBeUndefined();
    expect(pool.jobs).toHaveLength(0);
  });
});

describe('a reading is cancelled', () => {
  test.each(['navigated', 'closed'] as const)('when the tab is %s', async (event) => {
    const [page, pool] = [createTab(), createPool()];
    const job = await start(page, pool);
    page.events.emit(event, undefined);
    expect(job.signal.aborted).toBe(true);
    expect(await take(page.tab, pool.workers)).toBeUndefined();
  });

  test('when the PDF of another tab is read', async () => {
    const [first, second, pool] = [createTab(), createTab(), createPool()];
    const job = await start(first, pool);
    (await start(second, pool)).end(READING);
    expect(job.signal.aborted).toBe(true);
    expect(await take(first.tab, pool.workers)).toBeUndefined();
    expect(await take(second.tab, pool.workers)).toBe(READING);
  });
});

test('a text that no call has used is released after a minute, and the file is not read again', async () => {
  const [page, pool] = [createTab(), createPool()];
  (await start(page, pool)).end(READING);
  await vi.advanceTimersByTimeAsync(60_000);
  startReadAhead(page.tab, pool.workers);
  await vi.advanceTimersByTimeAsync(1000);
  expect(await take(page.tab, pool.workers)).toBeUndefined();
  expect(pool.jobs).toHaveLength(1);
});
