// Selects requests by time, tab, method, URL and outcome, without noise such as assets.
import type { RequestRecord } from '../../browser/traffic/request-record.ts';
import type { WorkspaceRequest } from '../../browser/traffic/workspace-traffic.ts';
import { fail, type Failure } from '../../core/failure.ts';
import { matchGroups } from '../../core/text.ts';
import { Deadline } from '../../core/time.ts';
import { isWorkerOutOfMemory, type WorkerPool, type WorkerScript } from '../../core/worker-pool.ts';
import { classifyFiltered, type FilterReason } from '../../policy/traffic-filter.ts';
import { readContentType } from './capture.ts';
import type { NetworkContext } from './network-context.ts';
import type { AddressMatchAnswer, AddressMatchRequest } from './workers/address-matches.ts';

// Filters request URLs by a substring or a regular expression, which runs in a worker thread.

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

interface AddressMatchContext {
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

/** The first and the last accepted status. */
export type StatusRange = readonly [from: number, to: number];

export interface Selection {
  readonly all?: boolean | undefined;
  readonly failed?: boolean | undefined;
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  /** Kinds of requests, in lower case: document, xhr, fetch, script, image, websocket. */
  readonly types?: readonly string[] | undefined;
  readonly status?: StatusRange | undefined;
  /** Milliseconds since 1970. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** Only requests that changed after this version number. */
  readonly cursor?: number | undefined;
  readonly tabId?: string | undefined;
}

interface Selected {
  readonly kept: readonly WorkspaceRequest[];
  readonly leftOut: Readonly<Partial<Record<FilterReason, number>>>;
}

export const select = async (
  requests: readonly WorkspaceRequest[],
  selection: Selection,
  context: AddressMatchContext,
): Promise<Selected> => {
  const asked = requests.filter((seen) => isAskedFor(seen, selection));
  const addresses = await findAddresses(asked, selection.url, context);
  const leftOut: Partial<Record<FilterReason, number>> = {};
  const kept = asked.filter((seen) => {
    if (addresses && !addresses.has(seen.record.url)) return false;
    const isExplicit = selection.all || selection.failed || selection.types !== undefined;
    const reason = isExplicit ? undefined : findExclusionReason(seen);
    if (reason) leftOut[reason] = (leftOut[reason] ?? 0) + 1;
    return reason === undefined;
  });
  return { kept, leftOut };
};

const findAddresses = async (
  requests: readonly WorkspaceRequest[],
  pattern: string | undefined,
  context: AddressMatchContext,
): Promise<ReadonlySet<string> | undefined> => {
  if (pattern === undefined) return undefined;
  const urls = [...new Set(requests.map(({ record }) => record.url))];
  return matchAddresses(urls, pattern, context);
};

/** The reasons of ended requests. */
const reasons = new WeakMap<RequestRecord, FilterReason | 'none'>();

export const findExclusionReason = ({ record }: WorkspaceRequest): FilterReason | undefined => {
  const known = reasons.get(record);
  if (known) return known === 'none' ? undefined : known;
  const reason = classifyFiltered({
    method: record.method,
    resourceType: record.resourceType,
    url: record.url,
    documentUrl: record.documentUrl,
    contentType: readContentType(record),
    failed: record.state === 'failed',
  });
  if (record.ended) reasons.set(record, reason ?? 'none');
  return reason;
};

const isAskedFor = (
  seen: WorkspaceRequest,
  { cursor, tabId, since, until, method, failed, types, status }: Selection,
): boolean => {
  const { record } = seen;
  if (cursor !== undefined && seen.version <= cursor) return false;
  if (tabId !== undefined && seen.tabId !== tabId) return false;
  const at = record.startedAt || seen.seenAt;
  if ((since !== undefined && at < since) || (until !== undefined && at > until)) return false;
  if (method !== undefined && record.method.toUpperCase() !== method.toUpperCase()) return false;
  if (types && !types.includes(record.resourceType.toLowerCase())) return false;
  if (status && !isBetween(record.status ?? 0, status)) return false;
  return !failed || record.state === 'failed' || (record.status ?? 0) >= 400;
};

/** Waits until a listing has at least one request, or until the time limit. */
export const waitForNews = async (
  { session, signal, workers }: NetworkContext,
  selection: Selection,
  maxMs: number,
): Promise<void> => {
  const { traffic } = session;
  using limit = new Deadline(maxMs, undefined, signal);
  for (;;) {
    const { cursor } = traffic;
    const { kept } = await select(traffic.requests(), selection, { workers, signal });
    if (kept.length > 0) return;
    if (traffic.cursor !== cursor) continue; // changed during the selection
    try {
      await traffic.events.next('changed', undefined, limit.signal);
    } catch (error) {
      if (signal.aborted) throw error;
      return; // time limit reached: the listing explains why it is empty
    }
  }
};
const isBetween = (value: number, [from, to]: StatusRange): boolean => value >= from && value <= to;
