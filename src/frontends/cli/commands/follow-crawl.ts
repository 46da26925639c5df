// Runs a crawl as a task and follows it: a bar, results as they arrive, and a summary.
import { join } from 'node:path';
import { Failure } from '../../../core/failure.ts';
import { Deadline, monotonicMs } from '../../../core/time.ts';
import {
  createPageWriter,
  type PageWriter,
  type WrittenPage,
} from '../../../store/files/page-files.ts';
import { EntryTail, type NewEntries } from '../../../store/tasks/working-files.ts';
import { type CallOptions, type DaemonClient, readAnswer } from '../client.ts';
import { formatCount, formatDuration, renderWork } from '../amounts.ts';
import type { CliContext } from '../command.ts';
import { INTERRUPTED, INTERRUPTED_STATUS } from '../terminal.ts';
import { toOneLine } from '../text-layout.ts';

export interface CrawlOrder {
  /** The tool that crawls. */
  readonly kind: string;
  readonly args: Record<string, unknown>;
  /** Folder or .jsonl file for the pages. Absent: the pages are listed on stdout. */
  readonly out?: string | undefined;
  readonly isJson: boolean;
}

interface TaskState {
  readonly task_id: string;
  readonly status: string;
  readonly error?: { readonly code?: string; readonly message?: string };
}

/** The longest wait of one call; then the next one is sent. */
const WAIT_MS = 600_000;
/** Time for a cancelled task to save its last page. */
const CANCEL_MS = 10_000;

/** The file of a crawl's task with one page per line. */
const PAGES_FILE = 'pages.jsonl';

export const runCrawl = async (
  client: DaemonClient,
  order: CrawlOrder,
  context: CliContext,
  signal: AbortSignal,
): Promise<number> => {
  const writer = order.out === undefined ? undefined : createPageWriter(order.out, process.cwd());
  const { kind, args } = order;
  const started = readAnswer<TaskState>(
    await client.callTool('oc_task_start', { kind, args }, { signal }),
  );
  const { wiring } = context;
  const id = started.task_id;
  await using shared = await wiring.followInCluster(id, PAGES_FILE);
  const tail = shared ?? new EntryTail(join(wiring.home.tasks, id, PAGES_FILE));
  const crawl = new FollowedCrawl(client, order, context, writer, id, tail);
  try {
    return await crawl.follow(signal);
  } finally {
    writer?.close();
  }
};

type FollowedPage = WrittenPage & { readonly depth: number };

class FollowedCrawl {
  readonly #client: DaemonClient;
  readonly #order: CrawlOrder;
  readonly #context: CliContext;
  readonly #writer: PageWriter | undefined;
  readonly #id: string;
  readonly #tail: NewEntries;
  readonly #startedAt = monotonicMs();
  #reading: Promise<void> = Promise.resolve();
  /** Pages that were visited, with those that failed. */
  #done = 0;
  #errors = 0;
  /** Why the start page could not be loaded. */
  #startError: string | undefined;
  #total: number | undefined;

  constructor(
    client: DaemonClient,
    order: CrawlOrder,
    context: CliContext,
    writer: PageWriter | undefined,
    id: string,
    tail: NewEntries,
  ) {
    this.#client = client;
    this.#order = order;
    this.#context = context;
    this.#writer = writer;
    this.#id = id;
    this.#tail = tail;
  }

  async follow(signal: AbortSignal): Promise<number> {
    try {
      const task = await this.#wait({ signal, onProgress: this.#show });
      await this.#drain();
      return await this.#finish(task);
    } catch (error) {
      if (error === INTERRUPTED) return this.#cancel();
      this.#printSummary('Stopped');
      throw error;
    }
  }

  readonly #show: NonNullable<CallOptions['onProgress']> = ({ message = '' }) => {
    const [, total] = /^\S+ [A-Z]+ \d+\/(\d+)/.exec(message) ?? [];
    if (total !== undefined) this.#total = Number(total);
    this.#drain().catch(() => {}); // the last read reports a failure
  };

  /** One read at a time, so that each page is taken once. */
  #drain(): Promise<void> {
    return (this.#reading = this.#reading.then(() => this.#takePages()));
  }

  /** Waits until the task has ended. */
  async #wait(options: CallOptions): Promise<TaskState> {
    for (;;) {
      const answer = await this.#client.callTool(
        'oc_task_wait',
        { task_id: this.#id, timeout_ms: WAIT_MS },
        options,
      );
      try {
        return readAnswer<TaskState>(answer);
      } catch (error) {
        if (!(error instanceof Failure && error.code === 'task_wait_timeout')) throw error;
      }
    }
  }

  /** Writes the pages that have arrived, and draws the bar. */
  async #takePages(): Promise<void> {
    let last: string | undefined;
    for (const entry of await this.#tail.readNew()) {
      const { page } = entry as { readonly page: FollowedPage };
      last = page.url;
      this.#takePage(page);
    }
    this.#context.terminal.status(
      renderWork({
        done: this.#done,
        total: this.#total === undefined ? undefined : Math.max(this.#total, this.#done),
        errors: this.#errors,
        elapsedMs: monotonicMs() - this.#startedAt,
        message: last,
      }),
    );
  }

  #takePage(page: FollowedPage): void {
    if (page.error !== undefined) {
      this.#errors++;
      if (page.depth === 0 && this.#done === 0) this.#startError = `${page.url}: ${page.error}`;
    }
    this.#done++;
    if (this.#writer) return this.#writer.write(page);
    if (this.#order.isJson) return;
    const text = page.error === undefined ? page.title : `error: ${page.error}`;
    this.#context.terminal.out(toOneLine(`${page.url}  ${text}`).trimEnd());
  }

  async #finish({ status, error }: TaskState): Promise<number> {
    const { terminal } = this.#context;
    // If only the daemon knows the cluster, the pages are in no file that this command can read.
    if (this.#done === 0)
      for (const page of (await this.#loadResult())?.pages ?? []) this.#takePage(page);
    terminal.status();
    if (status !== 'COMPLETED') {
      this.#printSummary(status === 'CANCELLED' ? 'Cancelled' : 'Failed');
      if (error?.message !== undefined) terminal.err(`error: ${error.message} (${error.code})`);
      return 1;
    }
    if (this.#order.isJson && !this.#writer) await this.#printResult();
    else this.#printSummary('Done');
    if (this.#startError !== undefined && this.#writer)
      terminal.err(toOneLine(`error: ${this.#startError}`));
    return this.#startError !== undefined || this.#done === 0 ? 1 : 0;
  }

  async #printResult(): Promise<void> {
    this.#context.terminal.out(JSON.stringify((await this.#loadResult()) ?? null));
  }

  async #loadResult(): Promise<{ readonly pages?: readonly FollowedPage[] } | undefined> {
    const { result } = readAnswer<{
      readonly result?: { readonly pages?: readonly FollowedPage[] };
    }>(await this.#client.callTool('oc_task_get', { task_id: this.#id, include_result: true }));
    return result;
  }

  /** The first Ctrl-C cancels the crawl and keeps its pages. */
  async #cancel(): Promise<number> {
    using deadline = new Deadline(CANCEL_MS);
    const { signal } = deadline;
    const { terminal } = this.#context;
    terminal.status();
    try {
      await this.#client.callTool('oc_task_cancel', { task_id: this.#id }, { signal });
      await this.#wait({ signal });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      terminal.err(`error: ${error.message} (${error.code})`);
    }
    await this.#drain();
    this.#printSummary('Cancelled');
    return INTERRUPTED_STATUS;
  }

  /** `20 pages, 1 error in 12 s.` and the location of the results. */
  #printSummary(outcome: string): void {
    const { terminal } = this.#context;
    terminal.status();
    const loaded = this.#done - this.#errors;
    const pages = formatCount(loaded, 'page');
    const errors = formatCount(this.#errors, 'error');
    const time = formatDuration(monotonicMs() - this.#startedAt);
    const place = this.#writer?.path ?? `openchrome tasks result ${this.#id}`;
    const facts = {
      outcome: outcome.toLowerCase(),
      task_id: this.#id,
      pages: loaded,
      errors: this.#errors,
      path: this.#writer?.path,
    };
    if (this.#order.isJson) return terminal.out(JSON.stringify(facts));
    terminal.err(`${outcome}: ${pages}, ${errors} in ${time}.`);
    terminal.err(`Results: ${place}`);
  }
}
