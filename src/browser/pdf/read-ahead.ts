// Reads the text of the PDF that a tab shows before a call needs it, without sending a request.
import { Failure } from '../../core/failure.ts';
import { abortable, after, sleep } from '../../core/time.ts';
import type { WorkerPool } from '../../core/worker-pool.ts';
import type { Tab } from '../tabs/tab.ts';
import { identifyPdf, loadReceivedPdf } from './pdf-bytes.ts';
import { type PdfReading, readPdfText } from './pdf-text.ts';

/** A call that comes sooner reads the file itself, with two threads instead of one. */
const DELAY_MS = 100;
/** Larger files are read only by a call. */
const MAX_BYTES = 8 * 1024 * 1024;
/** A text that no call has used is released after this time. */
const KEEP_MS = 60_000;

/** Undefined if a call must read the file itself. */
type EarlyReading = { readonly reading: PdfReading } | { readonly failure: Failure } | undefined;

/** The only reading of an engine that no call has used yet, by the pool that reads it. */
const current = new WeakMap<WorkerPool, ReadAhead>();

/** The last document of each tab for which a reading started, here or by a call. */
const started = new WeakMap<Tab, string>();

/**
 * Reads the PDF of a tab for which `showsPdf` is true, once per document. Ends the reading that is
 * in progress or unused, also that of another tab.
 */
export const startReadAhead = (tab: Tab, workers: WorkerPool): void => {
  const key = identifyPdf(tab);
  if (tab.closed || started.get(tab) === key) return;
  started.set(tab, key);
  current.get(workers)?.[Symbol.dispose]();
  current.set(workers, new ReadAhead(tab, workers));
};

/** Waits for the reading of this document if there is one. Throws if the file cannot be read. */
export const takeReadAhead = async (
  tab: Tab,
  key: string,
  { workers, signal }: { readonly workers: WorkerPool; readonly signal: AbortSignal },
): Promise<PdfReading | undefined> => {
  started.set(tab, key);
  const ahead = current.get(workers);
  if (!ahead?.isOf(tab, key)) return undefined;
  current.delete(workers);
  const early = await abortable(ahead.take(), signal);
  if (early && 'failure' in early) throw early.failure;
  return early?.reading;
};

class ReadAhead implements Disposable {
  readonly #tab: Tab;
  readonly #workers: WorkerPool;
  readonly #key: string;
  readonly #stop = new AbortController();
  readonly #off: readonly (() => void)[];
  #hasStarted = false;
  #early: Promise<EarlyReading>;
  #release: Disposable | undefined;

  constructor(tab: Tab, workers: WorkerPool) {
    this.#tab = tab;
    this.#workers = workers;
    this.#key = identifyPdf(tab);
    const end = (): void => this[Symbol.dispose]();
    this.#off = [tab.events.on('navigated', end), tab.events.on('closed', end)];
    this.#early = this.#read();
  }

  isOf(tab: Tab, key: string): boolean {
    return this.#tab === tab && this.#key === key;
  }

  /** A reading that has not started is cancelled. */
  async take(): Promise<EarlyReading> {
    const early = this.#early;
    if (!this.#hasStarted) this[Symbol.dispose]();
    try {
      return await early;
    } finally {
      this[Symbol.dispose]();
    }
  }

  /** Cancels the reading and releases its text. */
  [Symbol.dispose](): void {
    this.#stop.abort(new Error('the early reading of a PDF was cancelled'));
    this.#release?.[Symbol.dispose]();
    this.#early = Promise.resolve(undefined);
    for (const off of this.#off) off();
    if (current.get(this.#workers) === this) current.delete(this.#workers);
  }

  async #read(): Promise<EarlyReading> {
    try {
      await sleep(DELAY_MS, this.#stop.signal);
      this.#hasStarted = true;
      const reading = await this.#readText();
      this.#release = after(KEEP_MS, () => this[Symbol.dispose]());
      return reading && { reading };
    } catch (error) {
      // other errors concern this attempt, such as a cancellation: a call reads the file itself
      return isAboutFile(error) ? { failure: error } : undefined;
    }
  }

  /** A call has more threads, so it may read pages for which the time was too short here. */
  async #readText(): Promise<PdfReading | undefined> {
    const { signal } = this.#stop;
    const bytes = await loadReceivedPdf(this.#tab, MAX_BYTES, signal);
    if (!bytes) return undefined;
    const reading = await readPdfText(bytes, { workers: this.#workers, signal, background: true });
    return reading.pages.length === reading.pageCount ? reading : undefined;
  }
}

const isAboutFile = (error: unknown): error is Failure =>
  error instanceof Failure && error.code.startsWith('document_');
