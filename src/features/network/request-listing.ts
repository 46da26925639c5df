// Lists one page of a workspace's requests with the shape of each body, and stores the capture.
import type {
  WorkspaceRequest,
  WorkspaceTraffic,
} from '../../browser/traffic/workspace-traffic.ts';
import type { CapturedRequest, Content } from '../../core/captured-request.ts';
import { addCount } from '../../core/collections.ts';
import { compact, defined } from '../../core/defined.ts';
import { fail, Failure } from '../../core/failure.ts';
import { isObject } from '../../core/json.ts';
import { TimeSlices } from '../../core/time.ts';
import { parseContentJson } from '../../render/captured-content.ts';
import {
  type Listing,
  type NetworkEntry,
  toBareEntry,
  toEntry,
} from '../../render/network-list.ts';
import { findKnownShape, toCapturedSummary, withBodies, withShape } from './capture.ts';
import { cleanCaptured, formatWorkspace, type NetworkContext } from './network-context.ts';
import { findExclusionReason, select, type Selection } from './select.ts';
import {
  buildStoredRequest,
  MAX_STORED_BYTES,
  MAX_STORED_REQUESTS,
  type StoredRequest,
} from './stored-requests.ts';

export interface ListingRequest extends Selection {
  /** Only requests whose sent or received body has all these fields. */
  readonly fields?: readonly string[] | undefined;
  readonly limit: number;
  /** How each response body is shown. */
  readonly body: 'shape' | 'whole' | 'none';
  /** Maximum bytes of a body that is shown whole. */
  readonly maxBytes: number;
}

export const listRequests = async (
  networkContext: NetworkContext,
  request: ListingRequest,
): Promise<Listing> => {
  const { session, signal, now } = networkContext;
  const { traffic } = session;
  const requests = traffic.requests();
  const ended = captureEnded(networkContext);
  if (ended !== undefined && requests.length === 0)
    throw fail('capture_failed', `The browser exited before any request was captured: ${ended}.`);
  const { cursor: end } = traffic;
  const { kept, leftOut } = await select(requests, request, networkContext);
  const matching = request.fields
    ? await keepWithFields(traffic, kept, request.fields, signal)
    : kept;
  const { page, remaining, cursor } = toPage(matching, request.limit, end);
  const entries = await toEntries(networkContext, page, request);
  const warning = await saveCapture(networkContext, page);
  return defined({
    workspace: formatWorkspace(networkContext),
    captured_at: new Date(now).toISOString(),
    capture_started_at:
      traffic.lateSince === undefined ? undefined : new Date(traffic.lateSince).toISOString(),
    capture_ended: ended,
    count: entries.length,
    ...compact({ remaining }),
    filtered_out: Object.values(leftOut).reduce((sum, count) => sum + count, 0),
    filtered_by: leftOut,
    ...compact({ evicted: traffic.evicted }),
    cursor,
    // lines show no addresses
    ...(request.body === 'none' ? { entries } : shortenUrls(entries)),
    detail_hint:
      entries.length > 0 ? hintFor(remaining) : whyNone(leftOut, requests.length, request),
    cache_warning: warning,
  });
};

/**
 * The reason why Chrome exited by itself, or undefined. Requests captured before can still be
 * listed.
 */
const captureEnded = ({ browser }: NetworkContext): string | undefined =>
  browser.running ? undefined : browser.health().lastExit;

/**
 * Pages are cut in the order of the last change. So a cursor never skips a request and never
 * repeats one that has not changed since.
 */
const toPage = (
  requests: readonly WorkspaceRequest[],
  limit: number,
  end: number,
): {
  readonly page: readonly WorkspaceRequest[];
  readonly remaining: number;
  readonly cursor: number;
} => {
  const ordered = [...requests].sort((a, b) => a.version - b.version);
  const page = ordered.slice(0, limit);
  const remaining = ordered.length - page.length;
  return {
    page: page.sort((a, b) => a.sequence - b.sequence),
    remaining,
    cursor: remaining > 0 ? lastVersion(page) : end,
  };
};

const lastVersion = (page: readonly WorkspaceRequest[]): number =>
  page.reduce((last, { version }) => Math.max(last, version), 0);

const toEntries = async (
  networkContext: NetworkContext,
  page: readonly WorkspaceRequest[],
  { body, maxBytes }: ListingRequest,
): Promise<NetworkEntry[]> => {
  const { traffic } = networkContext.session;
  if (body === 'none')
    return page.map((seen) => toBareEntry(toCapturedSummary(seen, traffic.heldBody(seen) ?? {})));
  const worth = (seen: WorkspaceRequest): boolean => {
    if (body === 'shape' && findKnownShape(seen) !== undefined) return false;
    return body === 'whole' || findExclusionReason(seen) === undefined;
  };
  const captured = await withBodies(traffic, page, { signal: networkContext.signal, worth });
  const prepare = async (one: CapturedRequest, seen: WorkspaceRequest): Promise<CapturedRequest> =>
    body === 'shape' ? withShape(seen, one) : cleanCaptured(networkContext, one);
  const entries: NetworkEntry[] = [];
  for (const [i, one] of captured.entries())
    entries.push(toEntry(await prepare(one, page[i] as WorkspaceRequest), { body, maxBytes }));
  return entries;
};

/** Listings with more entries than this state the most common origin once and shorten the URLs. */
const LONG_LISTING = 50;

const shortenUrls = (entries: readonly NetworkEntry[]): Pick<Listing, 'origin' | 'entries'> => {
  if (entries.length <= LONG_LISTING) return { entries };
  const counts = new Map<string, number>();
  for (const { url } of entries) {
    const origin = /^https?:\/\/[^/?#]+(?=\/)/.exec(url)?.[0];
    if (origin !== undefined) addCount(counts, origin);
  }
  const [origin] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? [];
  if (origin === undefined) return { entries };
  return {
    origin,
    entries: entries.map((entry) =>
      entry.url.startsWith(`${origin}/`)
        ? { ...entry, url: entry.url.slice(origin.length) }
        : entry,
    ),
  };
};

const hintFor = (remaining: number): string =>
  remaining > 0
    ? 'For more requests pass cursor; for a body pass detail with a key.'
    : 'For a body pass detail with a key.';

const whyNone = (leftOut: object, captured: number, { cursor }: Selection): string => {
  if (Object.keys(leftOut).length > 0)
    return 'All requests were filtered out: pass all to see them.';
  if (captured === 0) return 'No requests yet: navigate first.';
  return cursor === undefined
    ? `None of ${captured} requests matches.`
    : 'No matching requests since the cursor.';
};

const keepWithFields = async (
  traffic: WorkspaceTraffic,
  requests: readonly WorkspaceRequest[],
  fields: readonly string[],
  signal: AbortSignal,
): Promise<readonly WorkspaceRequest[]> => {
  const captured = await withBodies(traffic, requests, {
    signal,
    worth: ({ record }) => record.decodedBytes > 0,
  });
  return requests.filter((_, i) => hasFields(captured[i] as CapturedRequest, fields));
};

const hasFields = (captured: CapturedRequest, fields: readonly string[]): boolean =>
  hasReceivedFields(captured, fields) || hasSentFields(captured, fields);

const hasSentFields = (
  { requestBody, requestHeaders }: CapturedRequest,
  fields: readonly string[],
): boolean => {
  if (!requestBody) return false;
  const contentType = requestHeaders['content-type'] ?? '';
  const names = listFormNames(requestBody, contentType);
  if (names) return fields.every((name) => names.has(name));
  return hasFieldsInTexts([requestBody.text ?? ''], requestBody, contentType, fields);
};

/** The field names of a form body; undefined for other content. */
const listFormNames = (
  { parts, text }: Content,
  contentType: string,
): ReadonlySet<string> | undefined => {
  if (parts) return new Set(parts.map(({ name }) => name));
  if (!/^application\/x-www-form-urlencoded/i.test(contentType)) return undefined;
  return new Set(new URLSearchParams(text ?? '').keys());
};

const hasReceivedFields = (
  { body, contentType, messages }: CapturedRequest,
  fields: readonly string[],
): boolean =>
  messages
    ? hasFieldsInTexts(
        messages.kept.map(({ data }) => data),
        body,
        'application/json',
        fields,
      )
    : hasFieldsInTexts([body.text ?? ''], body, contentType, fields);

const hasFieldsInTexts = (
  texts: readonly string[],
  content: Content,
  contentType: string,
  fields: readonly string[],
): boolean => {
  // Fast path: a body that does not contain the names as text cannot match. Names with a \u escape
  // must be parsed.
  if (!fields.every((name) => texts.some((text) => text.includes(name) || text.includes('\\u'))))
    return false;
  const missing = new Set(fields);
  for (const text of texts)
    strike(parseContentJson({ ...content, text }, contentType)?.value, missing);
  return missing.size === 0;
};

/** Removes every field name that occurs in `value` from `missing`. */
const strike = (value: unknown, missing: Set<string>): void => {
  if (missing.size === 0 || !isObject(value)) return;
  for (const [name, inner] of Object.entries(value)) {
    if (!Array.isArray(value)) missing.delete(name);
    strike(inner, missing);
  }
};

/** Stores the listed requests and then the most recent others. Returns a warning if that fails. */
const saveCapture = async (
  networkContext: NetworkContext,
  shown: readonly WorkspaceRequest[],
): Promise<string | undefined> => {
  const { session, cache, now } = networkContext;
  const chosen = new Set(shown);
  for (const seen of session.traffic.requests().toReversed()) {
    if (chosen.size >= MAX_STORED_REQUESTS) break;
    if (findExclusionReason(seen) === undefined) chosen.add(seen);
  }
  try {
    await cache.save({
      workspace: formatWorkspace(networkContext),
      captured_at: now,
      requests: await withinBudget(networkContext, chosen),
    });
    return undefined;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return error.message;
  }
};

const withinBudget = async (
  { session: { traffic }, redactor, signal }: NetworkContext,
  chosen: ReadonlySet<WorkspaceRequest>,
): Promise<string[]> => {
  const slices = new TimeSlices(signal);
  let left = MAX_STORED_BYTES;
  const stored: StoredRequest[] = [];
  for (const seen of chosen) {
    if (slices.isOver) await slices.pause();
    const one = await buildStoredRequest(seen, { traffic, redactor, signal, maxBodyBytes: left });
    left -= one.bodySize;
    stored.push(one);
  }
  return stored.sort((a, b) => a.sequence - b.sequence).map(({ json }) => json);
};
