// Renders a listing of requests: one line per request, and a last line about omitted ones.
import { listDefined, listIf } from '../core/collections.ts';
import { ifDefined } from '../core/defined.ts';
import { type NetworkEntry, toLine } from './network-entry.ts';

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
