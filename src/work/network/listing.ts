// The requests of a workspace as a listing: selected, a page of them, each with the shape of its body, and stored for later.
import type { SeenRequest } from '../../browser/traffic/workspace-traffic.ts';
import { fail } from '../../core/failure.ts';
import { type NetworkEntry, toEntry } from '../../render/network-entry.ts';
import type { Listing } from '../../render/network-lines.ts';
import { cleaned, type Desk, workspaceOf } from './desk.ts';
import { keepWithFields } from './fields.ts';
import { saveCapture } from './save-capture.ts';
import { reasonToLeaveOut, select, type Selection } from './select.ts';
import { knownShape, withBodies, withShape } from './with-bodies.ts';

export interface ListingRequest extends Selection {
  /** Only requests whose sent or received body has all these fields. */
  readonly fields?: readonly string[] | undefined;
  readonly limit: number;
  /** What stands for a body. */
  readonly body: 'shape' | 'whole' | 'none';
  /** Bytes of a whole body. */
  readonly maxBytes: number;
}

export const listRequests = async (desk: Desk, request: ListingRequest): Promise<Listing> => {
  const { session, signal, now } = desk;
  const { traffic } = session;
  const requests = traffic.requests();
  const ended = captureEnded(desk);
  if (ended !== undefined && requests.length === 0)
    throw fail('capture_failed', `The browser went away before anything was captured: ${ended}.`);
  const { cursor: end } = traffic;
  const { kept, leftOut } = select(requests, request);
  const matching = request.fields ? await keepWithFields(traffic, kept, request.fields, signal) : kept;
  const { page, remaining, cursor } = toPage(matching, request.limit, end);
  const entries = await toEntries(desk, page, request);
  const warning = await saveCapture(desk, page);
  return {
    workspace: workspaceOf(desk),
    captured_at: new Date(now).toISOString(),
    ...(traffic.lateSince === undefined ? {} : { capture_started_at: new Date(traffic.lateSince).toISOString() }),
    ...(ended === undefined ? {} : { capture_ended: ended }),
    count: entries.length,
    ...(remaining > 0 ? { remaining } : {}),
    filtered_out: Object.values(leftOut).reduce((sum, count) => sum + count, 0),
    filtered_by: leftOut,
    ...(traffic.evicted > 0 ? { evicted: traffic.evicted } : {}),
    cursor,
    ...sayingOriginOnce(entries),
    detail_hint: entries.length > 0 ? hintFor(remaining) : whyNone(leftOut, requests.length, request),
    ...(warning === undefined ? {} : { cache_warning: warning }),
  };
};

/** Why the browser went away, if it did by itself: what was captured until then can still be listed. */
const captureEnded = ({ browser }: Desk): string | undefined => (browser.running ? undefined : browser.health().lastExit);

/** By what changed first, so that a cursor never misses a request and never shows one twice that has not changed since. */
const toPage = (
  requests: readonly SeenRequest[],
  limit: number,
  end: number,
): { readonly page: readonly SeenRequest[]; readonly remaining: number; readonly cursor: number } => {
  const ordered = [...requests].sort((a, b) => a.version - b.version);
  const page = ordered.slice(0, limit);
  const remaining = ordered.length - page.length;
  return { page: page.sort((a, b) => a.sequence - b.sequence), remaining, cursor: remaining > 0 ? lastVersion(page) : end };
};

const lastVersion = (page: readonly SeenRequest[]): number => page.reduce((last, { version }) => Math.max(last, version), 0);

const toEntries = async (desk: Desk, page: readonly SeenRequest[], { body, maxBytes }: ListingRequest): Promise<NetworkEntry[]> => {
  const worth = (seen: SeenRequest): boolean => {
    if (body === 'none' || (body === 'shape' && knownShape(seen) !== undefined)) return false;
    return body === 'whole' || reasonToLeaveOut(seen) === undefined;
  };
  const captured = await withBodies(desk.session.traffic, page, { signal: desk.signal, worth });
  return captured.map((one, i) => {
    const complete = body === 'shape' ? withShape(page[i] as SeenRequest, one) : body === 'whole' ? cleaned(desk, one) : one;
    return toEntry(complete, { body, maxBytes });
  });
};

/** In a listing longer than usual every address would repeat the same beginning. */
const LONG_LISTING = 50;

const sayingOriginOnce = (entries: readonly NetworkEntry[]): Pick<Listing, 'origin' | 'entries'> => {
  if (entries.length <= LONG_LISTING) return { entries };
  const counts = new Map<string, number>();
  for (const { url } of entries) {
    const origin = /^https?:\/\/[^/?#]+(?=\/)/.exec(url)?.[0];
    if (origin !== undefined) counts.set(origin, (counts.get(origin) ?? 0) + 1);
  }
  const [origin] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? [];
  if (origin === undefined) return { entries };
  return {
    origin,
    entries: entries.map((entry) => (entry.url.startsWith(`${origin}/`) ? { ...entry, url: entry.url.slice(origin.length) } : entry)),
  };
};

const hintFor = (remaining: number): string =>
  remaining > 0 ? 'More: pass cursor. A body: pass detail with a key.' : 'A body: pass detail with a key.';

const whyNone = (leftOut: object, captured: number, { cursor }: Selection): string => {
  if (Object.keys(leftOut).length > 0) return 'Only filtered requests: pass all to see them.';
  if (captured === 0) return 'Nothing was requested yet: navigate first.';
  return cursor === undefined ? `None of ${captured} requests fits what was asked for.` : 'Nothing that fits since the cursor.';
};
