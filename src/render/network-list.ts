// Renders a listing of requests: one JSON entry or line per request, and a line about omitted ones.
import type { CapturedRequest, CapturedSummary } from '../core/captured-request.ts';
import { listDefined, listIf } from '../core/collections.ts';
import { defined, ifDefined } from '../core/defined.ts';
import { textIf } from '../core/text.ts';
import { describeCapturedShape, showContent } from './captured-content.ts';
import type { Shape } from './shape.ts';

// Renders one request of a listing, as a JSON entry or as one line.

export interface NetworkEntry {
  readonly key: string;
  readonly method: string;
  readonly status: number | null;
  readonly url: string;
  readonly ct: string;
  readonly size: number;
  readonly shape?: Shape;
  readonly body?: unknown;
  /** Only if the request is not finished. */
  readonly state?: 'pending' | 'receiving';
  readonly error?: string;
  /** The status that the page received, if it differs from the server's. */
  readonly page_status?: number;
  readonly from?: string;
  readonly redirected_to?: string;
  readonly intercepted?: string;
  readonly body_why?: string;
}

interface EntryOptions {
  /** How the body is rendered: its shape, or the body itself. */
  readonly body: 'shape' | 'whole';
  readonly maxBytes: number;
}

/** An entry without its body. */
export const toBareEntry = (captured: CapturedSummary): NetworkEntry =>
  defined({
    key: captured.key,
    method: captured.method,
    status: captured.status ?? null,
    url: captured.url,
    ct: captured.contentType,
    size: captured.size,
    state:
      captured.state === 'pending' || captured.state === 'receiving' ? captured.state : undefined,
    error: captured.error,
    page_status: captured.deliveredStatus,
    from: captured.from,
    redirected_to: captured.redirectedTo,
    intercepted: captured.intercepted,
  });

export const toEntry = (
  captured: CapturedRequest,
  { body, maxBytes }: EntryOptions,
): NetworkEntry => {
  const { contentType } = captured;
  const shown =
    body === 'shape'
      ? { shape: describeCapturedShape(captured), ...whyMissing(captured) }
      : showContent(captured.body, { contentType, maxBytes, binary: true });
  return { ...toBareEntry(captured), ...shown };
};

/** Reasons for a missing body that are reported, because the body exists. */
const UNEXPLAINED = new Set(['gone', 'unavailable', 'too_large']);

const whyMissing = ({ body: { why } }: CapturedRequest): { body_why?: string } =>
  why !== undefined && UNEXPLAINED.has(why) ? { body_why: why } : {};

/**
 * `status size type key`, without spaces in the first three; the key ends in `?` if the request had
 * a query.
 */
export const toLine = (entry: NetworkEntry): string => {
  const mark = textIf(entry.url.includes('?') && / /.test(entry.key), '?');
  const [key = '', repeat] = entry.key.split(/(?=#\d+$)/);
  return `${statusWord(entry)} ${entry.size} ${typeWord(entry)} ${key}${mark}${repeat ?? ''}`;
};

const statusWord = ({ status, state, error }: NetworkEntry): string => {
  if (error !== undefined) return error.replace(/^net::/, '').replace(/\s+/g, '') || 'failed';
  if (status !== null) return String(status);
  return state ?? '-';
};

/** `application/vnd.api+json` is json. A socket has no content type. */
const typeWord = ({ ct, url }: NetworkEntry): string => {
  const word = ct.split('/').at(-1)?.split('+').at(-1)?.replace(/^x-/, '').replace(/\s+/g, '');
  if (word) return word;
  return /^wss?:/i.test(url) ? 'websocket' : '-';
};

export interface Listing {
  readonly workspace: string;
  readonly captured_at: string;
  /** Only if the capture began after the tab was opened. */
  readonly capture_started_at?: string;
  /** Why the capture stopped. */
  readonly capture_ended?: string;
  readonly count: number;
  /** The number of further requests after the cursor. */
  readonly remaining?: number;
  readonly filtered_out: number;
  readonly filtered_by: Readonly<Record<string, number>>;
  /** Requests that were dropped in favour of later ones. */
  readonly evicted?: number;
  readonly cursor: number;
  /** The origin of all addresses that begin with a slash, in long listings. */
  readonly origin?: string;
  readonly entries: readonly NetworkEntry[];
  readonly detail_hint: string;
  readonly cache_warning?: string;
}

export const renderLines = (listing: Listing): string =>
  [...listing.entries.map(toLine), formatSummary(listing)].join('\n');

const formatSummary = (listing: Listing): string => {
  const {
    remaining,
    filtered_by,
    evicted,
    cursor,
    cache_warning,
    capture_started_at,
    capture_ended,
    entries,
    detail_hint,
  } = listing;
  const filtered = Object.entries(filtered_by).map(([reason, count]) => `${count} ${reason}`);
  return listDefined(
    `cursor ${cursor}`,
    ifDefined(remaining, (remaining) => `${remaining} more after it`),
    ...listIf(filtered.length > 0, `filtered ${filtered.join(', ')}`),
    ifDefined(evicted, (evicted) => `${evicted} older ones were dropped`),
    ifDefined(capture_started_at, (capture_started_at) => `captured since ${capture_started_at}`),
    ifDefined(capture_ended, (capture_ended) => `capture ended: ${capture_ended}`),
    ifDefined(cache_warning, (cache_warning) => `not stored: ${cache_warning}`),
    ...listIf(entries.length === 0, detail_hint),
  ).join('; ');
};
