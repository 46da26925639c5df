// Searches in stored payloads, each in a worker thread that it has to itself: bounded in time and memory, and nothing else waits for it.
import { Worker } from 'node:worker_threads';
import { fail, type Failure } from '../core/failure.ts';
import { after, Deadline } from '../core/time.ts';
import { isTextual } from './handle-files.ts';
import { type Page, type References, referenceTo, wrongFormat } from './handle-pages.ts';
import type { OpenPayload } from './handle-read.ts';
import type { GrepRequest } from './workers/grep.ts';
import type { QueryRequest } from './workers/query.ts';
import type { SearchAnswer, SearchRequest } from './workers/search.ts';

const MAX_QUERY_BYTES = 64 * 1024 * 1024;
const SEARCH_MS = 5000;
/** How long a thread waits for the next search. */
const IDLE_MS = 10_000;
/** After a larger payload a thread is full of what it left behind. */
const MAX_REUSED_BYTES = 16 * 1024 * 1024;
/** 64 MB of JSON become several times that as objects. */
const MAX_HEAP_MB = 768;

type QueryOptions = Pick<QueryRequest, 'expression' | 'offset' | 'limit' | 'fields' | 'format'>;
type GrepOptions = Pick<GrepRequest, 'pattern' | 'context' | 'offset' | 'limit'>;

export const queryPage = async (
  searches: Searches,
  payload: OpenPayload,
  options: QueryOptions,
  references: References,
  signal: AbortSignal,
): Promise<Page> => {
  if (payload.meta.mime_type !== 'application/json') throw wrongFormat('JSON that can be queried', payload.meta);
  if (payload.sizeBytes > MAX_QUERY_BYTES) throw tooLarge(payload);
  const answer = await searches.run({ kind: 'query', ...place(payload), ...options }, payload, signal);
  if (answer.kind === 'invalid') throw invalid('query', options.expression, answer);
  if (answer.kind === 'text') return pageOf(answer);
  for (const i of answer.large) answer.content[i] = await storeLarge(answer.content[i] as string, payload, references);
  return { ...pageOf(answer), offset: options.offset, missing: answer.missing };
};

export const grepPage = async (searches: Searches, payload: OpenPayload, options: GrepOptions, signal: AbortSignal): Promise<Page> => {
  if (!isTextual(payload.meta.mime_type)) throw wrongFormat('text to grep', payload.meta);
  const runs = payload.index && [...payload.index.from(0)];
  const answer = await searches.run({ kind: 'grep', ...place(payload), ...options, runs }, payload, signal);
  if (answer.kind === 'invalid') throw invalid('grep', options.pattern, answer);
  return pageOf(answer);
};

const place = ({ fd, base, sizeBytes }: OpenPayload): { fd: number; base: number; sizeBytes: number } => ({ fd, base, sizeBytes });

type Found = Exclude<SearchAnswer, { kind: 'invalid' }>;

const pageOf = (answer: Found): Page => ({
  offset: 'offset' in answer ? answer.offset : 0,
  returned: answer.returned,
  total: answer.total,
  content: answer.content,
});

const storeLarge = async (text: string, payload: OpenPayload, references: References): Promise<unknown> =>
  referenceTo(await references.value(JSON.parse(text), payload.meta.source_tool), text);

/** Worker threads for searches: one that has done its work well is kept for a moment, because the next search is often near. */
export class Searches {
  #idle: Worker | undefined;
  #idleUntil: Disposable | undefined;

  async run(request: SearchRequest, payload: OpenPayload, signal: AbortSignal): Promise<SearchAnswer> {
    using deadline = new Deadline(SEARCH_MS, () => tooSlow(request), signal);
    const worker = await this.#take();
    let reusable = false;
    try {
      const answer = await ask(worker, request, deadline.signal);
      reusable = payload.sizeBytes <= MAX_REUSED_BYTES;
      return answer;
    } catch (error) {
      throw isOutOfMemory(error) ? tooLarge(payload) : error;
    } finally {
      if (reusable) this.#keep(worker);
      else await worker.terminate();
    }
  }

  async #take(): Promise<Worker> {
    const kept = this.#idle;
    this.#idle = undefined;
    this.#idleUntil?.[Symbol.dispose]();
    if (kept) return kept;
    const { default: source } = await import('worker-script:search'); // only who searches pays for loading it
    // stdout is the protocol: nothing of a worker may reach it.
    const worker = new Worker(source, { eval: true, resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB }, stdout: true });
    worker.on('error', () => {}); // one that dies while it waits is no concern
    worker.on('exit', () => this.#idle === worker && (this.#idle = undefined));
    return worker;
  }

  #keep(worker: Worker): void {
    if (this.#idle) return void worker.terminate();
    worker.unref();
    this.#idle = worker;
    this.#idleUntil = after(IDLE_MS, () => {
      if (this.#idle === worker) this.#idle = undefined;
      void worker.terminate();
    });
  }
}

const ask = (worker: Worker, request: SearchRequest, signal: AbortSignal): Promise<SearchAnswer> =>
  new Promise((resolve, reject) => {
    const settle = (end: () => void): void => {
      worker.off('message', onAnswer).off('error', onError).off('exit', onExit);
      signal.removeEventListener('abort', onAbort);
      end();
    };
    const onAnswer = (answer: SearchAnswer): void => settle(() => resolve(answer));
    const onError = (error: Error): void => settle(() => reject(error));
    const onExit = (): void => settle(() => reject(new Error('the search ended without an answer')));
    const onAbort = (): void => settle(() => reject(signal.reason as Error));
    if (signal.aborted) return onAbort();
    worker.ref();
    worker.on('message', onAnswer).on('error', onError).on('exit', onExit);
    signal.addEventListener('abort', onAbort, { once: true });
    worker.postMessage(request);
  });

const isOutOfMemory = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';

const invalid = (
  argument: string,
  expression: string,
  { message, position, missing }: Extract<SearchAnswer, { kind: 'invalid' }>,
): Failure =>
  fail('invalid_query', `${argument}: ${message} (at position ${position})`, {
    argument,
    position,
    near: expression.slice(position, position + 20),
    ...missing,
  });

const tooSlow = (request: SearchRequest): Failure =>
  fail('timeout', `The ${request.kind} did not finish within ${SEARCH_MS} ms.`, { hint: 'Use a simpler expression.', retryable: false });

const tooLarge = ({ meta }: OpenPayload): Failure =>
  fail('payload_too_large_to_query', `The payload is too large to query (${meta.size_bytes} bytes).`, { size_bytes: meta.size_bytes });
