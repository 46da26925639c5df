// Filters request URLs by a substring or a regular expression, which runs in a worker thread.
import { fail, type Failure } from '../../core/failure.ts';
import { matchGroups } from '../../core/text.ts';
import { isWorkerOutOfMemory, type WorkerPool, type WorkerScript } from '../../core/worker-pool.ts';
import type { AddressMatchAnswer, AddressMatchRequest } from './workers/address-matches.ts';

/** Includes the start of the thread, which takes long on a busy machine. */
const PATIENCE_MS = 2000;
const MAX_URL_CHARS = 4000;
const MAX_HEAP_MB = 128;
const SIGNS = /[\\^$*+|()[\]{}]/;

const SCRIPT: WorkerScript = {
  name: 'address-matches',
  loadSource: async () => (await import('worker-script:address-matches')).default,
  maxHeapMb: MAX_HEAP_MB,
};

export interface AddressMatchContext {
  readonly workers: WorkerPool;
  readonly signal: AbortSignal;
}

/**
 * A pattern in slashes or with regular-expression characters is compiled as an expression. Every
 * pattern is also tried as a plain substring.
 */
export const matchAddresses = async (
  urls: readonly string[],
  pattern: string,
  context: AddressMatchContext,
): Promise<ReadonlySet<string>> => {
  const [, inSlashes, flags = ''] = matchGroups(/^\/(.+)\/([imsu]*)$/s, pattern);
  const plain = urls.filter((url) => url.includes(pattern));
  if (inSlashes === undefined && !SIGNS.test(pattern)) return new Set(plain);
  const expression = compile(inSlashes ?? pattern, flags, inSlashes !== undefined);
  if (!expression || urls.length === 0) return new Set(plain);
  return new Set([...plain, ...(await findMatching(urls, expression, context))]);
};

/**
 * Returns undefined if the pattern does not compile, because it may be a plain substring. A
 * pattern in slashes (`meant`) must compile.
 */
const compile = (source: string, flags: string, meant: boolean): RegExp | undefined => {
  try {
    return new RegExp(source, flags);
  } catch (error) {
    if (!meant) return undefined;
    throw fail(
      'invalid_argument',
      `"url" is not a regular expression: ${(error as Error).message}.`,
      { argument: 'url' },
    );
  }
};

const findMatching = async (
  urls: readonly string[],
  { source, flags }: RegExp,
  { workers, signal }: AddressMatchContext,
): Promise<string[]> => {
  const texts = urls.map((url) => url.slice(0, MAX_URL_CHARS));
  const request: AddressMatchRequest = { source, flags, texts };
  const options = { timeoutMs: PATIENCE_MS, onTimeout: tooSlow, signal };
  const matches = await workers
    .run<AddressMatchAnswer>(SCRIPT, request, options)
    .catch((error: unknown) => {
      throw isWorkerOutOfMemory(error) ? tooSlow() : error;
    });
  if (!matches) throw tooSlow();
  return urls.filter((_, i) => matches[i]);
};

const tooSlow = (): Failure =>
  fail('invalid_argument', 'The expression in "url" takes too long on these URLs.', {
    argument: 'url',
  });
