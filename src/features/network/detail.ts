// Returns one request in full or one path of its body. A stored capture needs no browser.
import type { CapturedRequest } from '../../core/captured-request.ts';
import { toDetail, toPicked } from '../../render/network-detail.ts';
import { cleanCaptured, type NetworkContext } from './network-context.ts';
import { findRequest } from './find-request.ts';
import { withBodies, withShape } from './with-bodies.ts';

export interface DetailOrder {
  readonly key: string;
  readonly path?: string | undefined;
  readonly raw: boolean;
  /** Maximum bytes of the body; Infinity returns all of it. */
  readonly maxBytes: number;
  readonly ttlMs: number;
}

export const loadDetail = async (
  desk: NetworkContext,
  { key, path, raw, maxBytes, ttlMs }: DetailOrder,
): Promise<Record<string, unknown>> => {
  const { seen, stored, ...found } = await findRequest(desk, key, ttlMs);
  const captured = stored ?? (await liveRequest(desk, seen));
  const clean = await cleanCaptured(desk, captured);
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
