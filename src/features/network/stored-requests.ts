// The stored form of requests: redacted JSON, built once per request while the traffic pauses.
import type { Body } from '../../browser/traffic/bodies.ts';
import type { RequestRecord } from '../../browser/traffic/request-record.ts';
import type {
  WorkspaceRequest,
  WorkspaceTraffic,
} from '../../browser/traffic/workspace-traffic.ts';
import type { Content } from '../../core/captured-request.ts';
import { defined } from '../../core/defined.ts';
import type { Redactor } from '../../core/redactor.ts';
import { cutToBytes } from '../../core/text.ts';
import { TimeSlices } from '../../core/time.ts';
import { describeUnfetchedBody, findKnownShape, toCaptured, withShape } from './capture.ts';
import { redactCaptured } from './redact-captured.ts';
import { findExclusionReason } from './select.ts';

/** Limits of one stored capture. */
export const MAX_STORED_REQUESTS = 500;
export const MAX_STORED_BYTES = 8 * 1024 * 1024;
const MAX_BODY_BYTES = 1024 * 1024;
/** Longer forms are built for each listing, so that bodies are not in memory twice. */
const MAX_KEPT_CHARS = 16 * 1024;

export interface StoredRequest {
  readonly sequence: number;
  readonly json: string;
  /** The length of the stored body. */
  readonly bodySize: number;
}

interface KeptForm extends StoredRequest {
  /** Everything that the form depends on. */
  readonly facts: readonly unknown[];
}

interface StoringOptions {
  readonly traffic: WorkspaceTraffic;
  readonly redactor: Redactor;
  readonly signal: AbortSignal;
  readonly maxBodyBytes: number;
}

const kept = new WeakMap<RequestRecord, KeptForm>();

export const buildStoredRequest = async (
  seen: WorkspaceRequest,
  { traffic, redactor, signal, maxBodyBytes }: StoringOptions,
): Promise<StoredRequest> => {
  const { record, sequence } = seen;
  const held = traffic.heldBody(seen);
  const facts = listFacts(seen, held, redactor);
  const known = kept.get(record);
  if (known && known.bodySize <= maxBodyBytes && areSame(known.facts, facts)) return known;
  const body = held ?? describeUnfetchedBody(seen);
  const whole = toCaptured(seen, body);
  const captured = await redactCaptured(whole, redactor, signal);
  const small = cutContent(captured.body, Math.min(MAX_BODY_BYTES, maxBodyBytes));
  const isWhole = small === captured.body;
  // A body that is stored whole needs no separate shape.
  const { shape } = isWhole && body.why === undefined ? {} : withShape(seen, whole);
  const json = JSON.stringify(defined({ ...captured, body: small, shape }));
  const form = { facts, sequence, json, bodySize: measureContent(small) };
  if (isWhole && isFinal(record) && json.length <= MAX_KEPT_CHARS) kept.set(record, form);
  return form;
};

/** Messages of a socket are added to the same object, so that a comparison does not see them. */
const isFinal = ({ ended, messages }: RequestRecord): boolean => ended && messages === undefined;

/** All fields of the record, because events that arrive late replace some of them. */
const listFacts = (
  seen: WorkspaceRequest,
  held: Body | undefined,
  { revision }: Redactor,
): unknown[] => [revision, seen.key, held, findKnownShape(seen), ...Object.values(seen.record)];

const areSame = (before: readonly unknown[], now: readonly unknown[]): boolean =>
  before.length === now.length && before.every((value, i) => Object.is(value, now[i]));

const measureContent = ({ text, base64 }: Content): number => (text ?? base64 ?? '').length;

const cutContent = (content: Content, maxBytes: number): Content => {
  const size = measureContent(content);
  if (size <= maxBytes) return content;
  const cut = 'only the first part was stored';
  if (content.text !== undefined)
    return {
      ...content,
      text: cutToBytes(content.text, Math.max(0, maxBytes)),
      size: content.size ?? size,
      cut,
    };
  return defined({ size: content.size, why: 'too large to be stored' });
};

/** Builds the forms that the next listing stores. */
export const prepareStoredRequests = async (
  traffic: WorkspaceTraffic,
  redactor: Redactor,
  signal: AbortSignal,
): Promise<void> => {
  const slices = new TimeSlices(signal);
  const options = { traffic, redactor, signal, maxBodyBytes: MAX_KEPT_CHARS };
  for (const seen of traffic.requests().slice(-MAX_STORED_REQUESTS)) {
    if (slices.isOver) await slices.pause();
    const isSmall = seen.record.decodedBytes <= MAX_KEPT_CHARS;
    if (isSmall && isFinal(seen.record) && findExclusionReason(seen) === undefined)
      await buildStoredRequest(seen, options);
  }
};
