// Requests with their bodies: those in memory at once, the others asked of Chrome, and nobody waits
// long for a page that hangs.
import type { RequestRecord } from '../../browser/traffic/request-record.ts';
import type { SeenRequest, WorkspaceTraffic } from '../../browser/traffic/workspace-traffic.ts';
import type { CapturedRequest } from '../../core/captured-request.ts';
import { Deadline } from '../../core/time.ts';
import { NOT_FETCHED, describeCapturedShape } from '../../render/captured-content.ts';
import type { Shape } from '../../render/shape.ts';
import { type KnownBody, toCaptured, describeUnfetchedBody } from './capture.ts';

const PATIENCE_MS = 3000;
/** Bodies on their way from Chrome at the same time. */
const AT_ONCE = 8;

interface BodyOptions {
  readonly signal: AbortSignal;
  /** Which bodies are worth asking Chrome for; the others are told from what is known. */
  readonly worth: (seen: SeenRequest) => boolean;
  readonly patienceMs?: number;
}

/** In the given order; a body that did not come in time says that it is pending. */
export const withBodies = async (
  traffic: WorkspaceTraffic,
  requests: readonly SeenRequest[],
  { signal, worth, patienceMs = PATIENCE_MS }: BodyOptions,
): Promise<CapturedRequest[]> => {
  using patience = new Deadline(patienceMs, undefined, signal);
  const bodies: KnownBody[] = requests.map(
    (seen) => traffic.heldBody(seen) ?? describeUnfetchedBody(seen),
  );
  const waiting = [...requests.entries()].filter(
    ([i, seen]) => bodies[i]?.why === NOT_FETCHED && worth(seen),
  );
  const fetchNext = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [i, seen] = next;
      bodies[i] = await traffic.body(seen, patience.signal).catch(() => ({ why: 'pending' }));
      signal.throwIfAborted();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, fetchNext));
  return requests.map((seen, i) => toCaptured(seen, bodies[i] ?? { why: 'gone' }));
};

const shapes = new WeakMap<RequestRecord, Shape>();

/** The shape that was found out once, also when the body is gone since. */
export const findKnownShape = ({ record }: SeenRequest): Shape | undefined => shapes.get(record);

/** With its shape, which is made once for a request that has ended. */
export const withShape = ({ record }: SeenRequest, captured: CapturedRequest): CapturedRequest => {
  const known = shapes.get(record);
  if (known) return { ...captured, shape: known };
  const shape = describeCapturedShape(captured);
  const final =
    record.ended && (captured.body.text !== undefined || captured.body.base64 !== undefined);
  if (final) shapes.set(record, shape);
  return { ...captured, shape };
};
