// The context for capturing a part of a bundle, and a probe that detects pages that hang.
import { quoteText } from '../../core/text.ts';
import type { Browser } from '../../browser/browser.ts';
import type { Session } from '../../browser/tabs/session.ts';
import { dialogOpenFailure } from '../../browser/tabs/dialog.ts';
import type { Tab } from '../../browser/tabs/tab.ts';
import { fail, type Failure } from '../../core/failure.ts';
import type { Redactor } from '../../core/redactor.ts';
import type { WorkerPool } from '../../core/worker-pool.ts';
import { Deadline } from '../../core/time.ts';

export interface EvidenceContext {
  readonly browser: Browser;
  readonly session: Session;
  readonly tab: Tab;
  /** Redacts secrets in every part. */
  readonly redactor: Redactor;
  readonly workers: WorkerPool;
  readonly page: PageProbe;
  readonly capturedAt: number;
  readonly signal: AbortSignal;
}

/** A responsive page answers in milliseconds; during layout it may take seconds. */
const ANSWER_MS = 8000;

export class PageProbe {
  readonly #tab: Tab;
  #silent = false;

  constructor(tab: Tab) {
    this.#tab = tab;
  }

  /** Throws if the page cannot answer. After one timeout it throws at once. */
  async requireAnswer(signal: AbortSignal): Promise<void> {
    const { dialog, crashed, url, id } = this.#tab;
    if (crashed)
      throw fail('page_crashed', `The page at ${quoteText(url)} has crashed.`, { tabId: id });
    if (dialog) throw dialogOpenFailure(dialog);
    if (this.#silent) throw silence(url);
    using patience = new Deadline(ANSWER_MS, undefined, signal);
    if (await this.#tab.answers(patience.signal)) return;
    signal.throwIfAborted();
    this.#silent = true;
    throw silence(url);
  }

  async answers(signal: AbortSignal): Promise<boolean> {
    try {
      await this.requireAnswer(signal);
      return true;
    } catch {
      signal.throwIfAborted();
      return false;
    }
  }
}

const silence = (url: string): Failure =>
  fail('page_unresponsive', `The page at ${quoteText(url)} does not respond.`);
