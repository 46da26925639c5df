// Finds a request by its key and returns it in full or one path of its body; suggests similar keys.
import type { WorkspaceRequest } from '../../browser/traffic/workspace-traffic.ts';
import type { CapturedRequest } from '../../core/captured-request.ts';
import { measureDistance } from '../../core/closest.ts';
import { fail, Failure } from '../../core/failure.ts';
import { matchGroups } from '../../core/text.ts';
import { toDetail, toPicked } from '../../render/network-detail.ts';
import type { NetworkCapture } from '../../store/network/network-cache.ts';
import { cleanCaptured, formatWorkspace, type NetworkContext } from './network-context.ts';
import { withBodies, withShape } from './capture.ts';

type FoundRequest =
  | { readonly seen: WorkspaceRequest; readonly stored?: undefined }
  | { readonly stored: CapturedRequest; readonly capturedAt: number; readonly seen?: undefined };

export const findRequest = async (
  networkContext: NetworkContext,
  key: string,
  ttlMs: number,
): Promise<FoundRequest> => {
  const live = networkContext.session.traffic.requests();
  const seen = pick(
    live,
    key,
    ({ record, key: own }) => ({ key: own, url: record.url }),
    networkContext,
  );
  if (seen) return { seen };
  const capture = await networkContext.cache
    .load(formatWorkspace(networkContext), { ttlMs, now: networkContext.now })
    .catch((error: unknown) => ignoreIfLive(error, live));
  const stored = capture && pick(capture.requests, key, (request) => request, networkContext);
  if (stored) return { stored, capturedAt: capture.captured_at };
  const keys = [
    ...live.map((request) => request.key),
    ...(capture?.requests ?? []).map((request) => request.key),
  ];
  throw fail('key_not_found', `No request has the key ${JSON.stringify(key.slice(0, 200))}.`, {
    available_keys: findNearestKeys(key, keys),
  });
};

/** Ignores a failure to load the stored capture if there are live requests. */
const ignoreIfLive = (
  error: unknown,
  live: readonly WorkspaceRequest[],
): NetworkCapture | undefined => {
  if (live.length > 0 && error instanceof Failure) return undefined;
  throw error;
};

interface RequestName {
  readonly key: string;
  readonly url: string;
}

/**
 * Matches the exact key, then the redacted key, then the key with a query string (keys have none).
 */
const pick = <T>(
  requests: readonly T[],
  wanted: string,
  named: (request: T) => RequestName,
  { redactor }: NetworkContext,
): T | undefined => {
  const exact = requests.find((request) => named(request).key === wanted);
  if (exact) return exact;
  const shown = wanted.includes('[')
    ? requests.find((request) => redactor.text(named(request).key) === wanted)
    : undefined;
  if (shown) return shown;
  const [, path, query = '', repeat = ''] = matchGroups(/^([^?#]*)\?([^#]*)(#\d+)?$/, wanted);
  if (path === undefined) return undefined;
  const withQuery =
    query === '' ? undefined : requests.find((request) => fits(named(request), path, query));
  return withQuery ?? requests.find((request) => named(request).key === `${path}${repeat}`);
};

const fits = ({ key, url }: RequestName, path: string, query: string): boolean =>
  stripRepeat(key) === path && url.split('#', 1)[0]?.endsWith(`?${query}`) === true;

const stripRepeat = (key: string): string => key.replace(/#\d+$/, '');

const MAX_KEYS = 20;
/** Only this many keys are compared by edit distance. */
const MAX_COMPARED = 60;

/** Sorted by similarity. Repeats (`#2`) are listed only if the wanted key has such a suffix. */
export const findNearestKeys = (wanted: string, keys: readonly string[]): string[] => {
  const names = [...new Set(/#\d+$/.test(wanted) ? keys : keys.map(stripRepeat))];
  const pieces = splitTrigrams(wanted);
  const alike = names
    .map((name) => ({
      name,
      shared: [...splitTrigrams(name)].filter((piece) => pieces.has(piece)).length,
    }))
    .sort((a, b) => b.shared - a.shared)
    .slice(0, MAX_COMPARED);
  return alike
    .map(({ name }) => ({ name, score: unlikeness(wanted.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.score - b.score)
    .slice(0, MAX_KEYS)
    .map(({ name }) => name);
};

/** A key that contains the wanted text scores better than any key that must be edited to match. */
const unlikeness = (wanted: string, name: string): number =>
  name.includes(wanted)
    ? (name.length - wanted.length) / 100
    : measureDistance(wanted.slice(0, 200), name.slice(0, 200));

/** Trigrams of the text. */
const splitTrigrams = (text: string): Set<string> => {
  const low = text.slice(0, 200).toLowerCase();
  return new Set(
    Array.from({ length: Math.max(1, low.length - 2) }, (_, i) => low.slice(i, i + 3)),
  );
};

// Returns one request in full or one path of its body. A stored capture needs no browser.

export interface DetailOrder {
  readonly key: string;
  readonly path?: string | undefined;
  readonly raw: boolean;
  /** Maximum bytes of the body; Infinity returns all of it. */
  readonly maxBytes: number;
  readonly ttlMs: number;
}

export const loadDetail = async (
  networkContext: NetworkContext,
  { key, path, raw, maxBytes, ttlMs }: DetailOrder,
): Promise<Record<string, unknown>> => {
  const { seen, stored, ...found } = await findRequest(networkContext, key, ttlMs);
  const captured = stored ?? (await liveRequest(networkContext, seen));
  const clean = await cleanCaptured(networkContext, captured);
  const view =
    path === undefined ? toDetail(clean, { raw, maxBytes }) : toPicked(clean, path, maxBytes);
  return 'capturedAt' in found
    ? { ...view, cached_at: new Date(found.capturedAt).toISOString() }
    : view;
};

const liveRequest = async (
  { session, signal }: NetworkContext,
  seen: Parameters<typeof withShape>[0],
): Promise<CapturedRequest> => {
  const [captured] = await withBodies(session.traffic, [seen], { signal, worth: () => true });
  return withShape(seen, captured as CapturedRequest);
};
