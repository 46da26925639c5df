// Adds bodies to requests, from memory or from Chrome, with a time limit for pages that hang.
import type { RequestRecord } from '../../browser/traffic/request-record.ts';
import type {
  WorkspaceRequest,
  WorkspaceTraffic,
} from '../../browser/traffic/workspace-traffic.ts';
import type { CapturedRequest } from '../../core/captured-request.ts';
import { Deadline } from '../../core/time.ts';
import { NOT_FETCHED, describeCapturedShape } from '../../render/captured-content.ts';
import type { Shape } from '../../render/shape.ts';
import { type KnownBody, toCaptured, describeUnfetchedBody } from './capture.ts';

const PATIENCE_MS = 3000;
/** Number of bodies fetched from Chrome in parallel. */
const AT_ONCE = 8;

interface BodyOptions {
  readonly signal: AbortSignal;
  /** Selects the bodies to fetch from Chrome. The others get the reason why they are missing. */
  readonly worth: (seen: WorkspaceRequest) => boolean;
  readonly patienceMs?: number;
}

/** Keeps the order of `requests`. A body that does not arrive in time has the reason `pending`. */
export const withBodies = async (
  traffic: WorkspaceTraffic,
  requests: readonly WorkspaceRequest[],
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

/** The cached shape of the body; it is kept after Chrome discards the body. */
export const findKnownShape = ({ record }: WorkspaceRequest): Shape | undefined =>
  shapes.get(record);

/** Adds the shape of the body. The shape is cached once the request has ended. */
export const withShape = (
  { record }: WorkspaceRequest,
  captured: CapturedRequest,
): CapturedRequest => {
  const known = shapes.get(record);
  if (known) return { ...captured, shape: known };
  const shape = describeCapturedShape(captured);
  const final =
    record.ended && (captured.body.text !== undefined || captured.body.base64 !== undefined);
  if (final) shapes.set(record, shape);
  return { ...captured, shape };
};
