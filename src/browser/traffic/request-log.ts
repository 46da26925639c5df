// The requests of one tab, recorded and in flight, and the transitions between their states.
import { Events } from '../../core/events.ts';
import type { CdpSession } from '../cdp/connection.ts';
import type { ConsoleEntry } from './console-entry.ts';
import type { TrafficLimits } from './traffic.ts';
import { postDataBytes } from './request-body.ts';
import {
  type Headers,
  isLongLived,
  type RequestDraft,
  type RequestFailure,
  type RequestRecord,
  ticksToMs,
} from './request-record.ts';
import { Ring } from './bounded-collections.ts';

export interface TrafficEvents {
  /** A request was first seen; also emitted for every redirect hop. */
  request: RequestRecord;
  /** Status and headers have arrived. */
  response: RequestRecord;
  finished: RequestRecord;
  failed: RequestRecord;
  /** The body was fetched and is in memory. */
  body: RequestRecord;
  console: ConsoleEntry;
}

/** Approximate size of a record's fields without its texts. */
const RECORD_BYTES = 600;

const CONNECTIONS = new Set(['WebSocket', 'EventSource', 'WebTransport']);

interface Live {
  readonly latest: RequestDraft;
  /** The session that last reported it: frames and workers can take over requests of the page. */
  session: CdpSession;
}

export class RequestLog {
  readonly ring: Ring<RequestDraft>;
  readonly events = new Events<TrafficEvents>();
  readonly #pending = new Set<RequestDraft>();
  readonly #live = new Map<string, Live>();

  constructor(
    readonly limits: TrafficLimits,
    readonly now: () => number,
    private readonly onEvict: (record: RequestDraft) => void,
  ) {
    this.ring = new Ring({ count: limits.requestCount, bytes: limits.requestBytes }, (record) =>
      this.#forget(record),
    );
  }

  begin(record: RequestDraft, session: CdpSession): void {
    record.seenAt = this.now();
    record.heldBytes = weigh(record);
    this.#live.set(record.requestId, { latest: record, session });
    this.#pending.add(record);
    this.ring.push(record);
    this.events.emit('request', record);
  }

  /** The latest hop with this request id, ended or not, while it is kept. */
  find(requestId: string): RequestDraft | undefined {
    return this.#live.get(requestId)?.latest;
  }

  /**
   * The hop that an event refers to, unless Chrome has already reported its end. Updates its
   * session.
   */
  open(requestId: string, session: CdpSession): RequestDraft | undefined {
    const live = this.#live.get(requestId);
    if (!live || (live.latest.ended && !live.latest.failure?.presumed)) return undefined;
    live.session = session;
    return live.latest;
  }

  sessionOf(record: RequestRecord): CdpSession | undefined {
    return this.#live.get(record.requestId)?.session;
  }

  respond(record: RequestDraft): void {
    record.state = 'receiving';
    record.respondedAt = this.now();
    this.reweigh(record);
    this.events.emit('response', record);
  }

  /** Updates the size of a record after its fields changed. */
  reweigh(record: RequestDraft): void {
    this.ring.grow(record, weigh(record) - record.heldBytes);
  }

  finish(record: RequestDraft, tick: number | undefined): void {
    record.failure = undefined;
    this.#end(record, 'finished', tick);
    this.events.emit('finished', record);
  }

  fail(record: RequestDraft, failure: RequestFailure, tick: number | undefined): void {
    record.failure = failure;
    this.#end(record, 'failed', tick);
    this.events.emit('failed', record);
  }

  /**
   * Ends the requests of a page, frame or worker that is gone, because Chrome sends no event for
   * them.
   */
  abandon(which: (record: RequestDraft, session: CdpSession | undefined) => boolean): void {
    for (const record of this.#pending) {
      if (!which(record, this.sessionOf(record))) continue;
      // A connection that was open until its page closed has not failed.
      if (record.state === 'receiving' && CONNECTIONS.has(record.resourceType))
        this.finish(record, undefined);
      else
        this.fail(record, { error: 'net::ERR_ABORTED', canceled: true, presumed: true }, undefined);
    }
  }

  /** Every request that has not ended, in order of first sight. */
  pending(): RequestDraft[] {
    return [...this.#pending];
  }

  /** Number of requests to wait for until the page is settled. */
  inFlight(): number {
    const now = this.now();
    let count = 0;
    for (const record of this.#pending) if (!isLongLived(record, now, this.limits)) count++;
    return count;
  }

  #end(record: RequestDraft, state: 'finished' | 'failed', tick: number | undefined): void {
    record.state = state;
    record.provisionalHeaders = undefined;
    if (tick !== undefined) record.durationMs = ticksToMs(record.startTick, tick);
    this.#pending.delete(record);
    this.reweigh(record);
  }

  #forget(record: RequestDraft): void {
    this.#pending.delete(record);
    if (this.#live.get(record.requestId)?.latest === record) this.#live.delete(record.requestId);
    this.onEvict(record);
  }
}

const weigh = (record: RequestDraft): number =>
  RECORD_BYTES +
  record.url.length +
  headerBytes(record.requestHeaders) +
  headerBytes(record.responseHeaders) +
  postDataBytes(record.postData) +
  (record.messages?.heldBytes ?? 0);

const headerBytes = (headers: Headers | undefined): number => {
  let bytes = 0;
  for (const name in headers) bytes += name.length + (headers[name] as string).length;
  return bytes;
};
