// Runs searches in stored payloads in worker threads, with limits on time and memory.
import { fail, type Failure } from '../../core/failure.ts';
import { isWorkerOutOfMemory, type WorkerPool, type WorkerScript } from '../../core/worker-pool.ts';
import { isTextual } from './handle-files.ts';
import {
  type OpenPayload,
  type PayloadPage,
  type References,
  referenceTo,
  wrongFormat,
} from './handle-pages.ts';
import type { GrepRequest } from '../workers/grep.ts';
import type { QueryRequest } from '../workers/query.ts';
import type { SearchAnswer, SearchRequest } from '../workers/search.ts';

const MAX_QUERY_BYTES = 64 * 1024 * 1024;
const SEARCH_MS = 5000;
/** After a larger payload the thread is ended, because its heap is mostly garbage. */
const MAX_REUSED_BYTES = 16 * 1024 * 1024;
/** 64 MB of JSON need several times as much memory when parsed. */
const MAX_HEAP_MB = 768;

const SCRIPT: WorkerScript = {
  name: 'search',
  loadSource: async () => (await import('worker-script:search')).default,
  maxHeapMb: MAX_HEAP_MB,
};

type QueryOptions = Pick<QueryRequest, 'expression' | 'offset' | 'limit' | 'fields' | 'format'>;
type GrepOptions = Pick<GrepRequest, 'pattern' | 'context' | 'offset' | 'limit'>;

export const queryPage = async (
  searches: Searches,
  payload: OpenPayload,
  options: QueryOptions,
  references: References,
  signal: AbortSignal,
): Promise<PayloadPage> => {
  if (payload.meta.mime_type !== 'application/json')
    throw wrongFormat('JSON that can be queried', payload.meta);
  if (payload.sizeBytes > MAX_QUERY_BYTES) throw tooLarge(payload);
  const answer = await searches.run(
    { kind: 'query', ...(await locate(payload)), ...options },
    payload,
    signal,
  );
  if (answer.kind === 'invalid') throw invalid('query', options.expression, answer);
  if (answer.kind === 'text') return toPage(answer);
  for (const i of answer.large)
    answer.content[i] = await storeLarge(answer.content[i] as string, payload, references);
  return { ...toPage(answer), offset: options.offset, missing: answer.missing };
};

export const grepPage = async (
  searches: Searches,
  payload: OpenPayload,
  options: GrepOptions,
  signal: AbortSignal,
): Promise<PayloadPage> => {
  if (!isTextual(payload.meta.mime_type)) throw wrongFormat('text to grep', payload.meta);
  const runs = payload.index && [...payload.index.from(0)];
  const answer = await searches.run(
    { kind: 'grep', ...(await locate(payload)), ...options, runs },
    payload,
    signal,
  );
  if (answer.kind === 'invalid') throw invalid('grep', options.pattern, answer);
  return toPage(answer);
};

const locate = async (
  payload: OpenPayload,
): Promise<{ fd: number; base: number; sizeBytes: number }> => ({
  fd: await payload.openFile(),
  base: payload.base,
  sizeBytes: payload.sizeBytes,
});

type SearchResult = Exclude<SearchAnswer, { kind: 'invalid' }>;

const toPage = (answer: SearchResult): PayloadPage => ({
  offset: 'offset' in answer ? answer.offset : 0,
  returned: answer.returned,
  total: answer.total,
  content: answer.content,
});

const storeLarge = async (
  text: string,
  payload: OpenPayload,
  references: References,
): Promise<unknown> =>
  referenceTo(await references.value(JSON.parse(text), payload.meta.source_tool), text);

/** Runs searches in the shared worker threads. A search waits if all threads are busy. */
export class Searches {
  readonly #workers: WorkerPool;

  constructor(workers: WorkerPool) {
    this.#workers = workers;
  }

  async run(
    request: SearchRequest,
    payload: OpenPayload,
    signal: AbortSignal,
  ): Promise<SearchAnswer> {
    try {
      return await this.#workers.run<SearchAnswer>(SCRIPT, request, {
        timeoutMs: SEARCH_MS,
        onTimeout: () => tooSlow(request),
        signal,
        retireThread: payload.sizeBytes > MAX_REUSED_BYTES,
      });
    } catch (error) {
      throw isWorkerOutOfMemory(error) ? tooLarge(payload) : error;
    }
  }
}

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
  fail('timeout', `The ${request.kind} did not finish within ${SEARCH_MS} ms.`, {
    hint: 'Use a simpler expression.',
    retryable: false,
  });

const tooLarge = ({ meta }: OpenPayload): Failure =>
  fail(
    'payload_too_large_to_query',
    `The payload is too large to query (${meta.size_bytes} bytes).`,
    { size_bytes: meta.size_bytes },
  );
