// The requests of one tab, kept and in flight: the states a record goes through, whoever reports
// them.
import { Events } from '../../core/events.ts';
import type { CdpSession } from '../cdp/connection.ts';
import type { ConsoleEntry } from './console-entry.ts';
import type { TrafficLimits } from './limits.ts';
import { postDataBytes } from './post-data.ts';
import type { Headers, RequestDraft, RequestFailure, RequestRecord } from './request-record.ts';
import { isLongLived } from './request-record.ts';
import { Ring } from './ring.ts';
import { ticksToMs } from './timing.ts';

export interface TrafficEvents {
  /** First sight; every hop of a redirect is one. */
  request: RequestRecord;
  /** Status and headers are known. */
  response: RequestRecord;
  finished: RequestRecord;
  failed: RequestRecord;
  /** Its body was fetched and is held. */
  body: RequestRecord;
  console: ConsoleEntry;
}

/** Fields of a record besides its texts, as V8 lays them out. */
const RECORD_BYTES = 600;

const CONNECTIONS = new Set(['WebSocket', 'EventSource', 'WebTransport']);

interface Live {
  readonly latest: RequestDraft;
  /** The session that spoke of it last: frames and workers take over what the page began. */
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

  /** The latest hop with that id, ended or not, while it is kept. */
  find(requestId: string): RequestDraft | undefined {
    return this.#live.get(requestId)?.latest;
  }

  /**
   * The hop that an event is about, unless Chrome already said how it ended; notes who speaks of
   * it.
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

  /** Accounts for what a record took on since it was last weighed. */
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
   * Ends what can no longer be told: its page, frame or worker is gone, and Chrome sends no event
   * for that.
   */
  abandon(which: (record: RequestDraft, session: CdpSession | undefined) => boolean): void {
    for (const record of this.#pending) {
      if (!which(record, this.sessionOf(record))) continue;
      // A connection that was open until its page went has not failed.
      if (record.state === 'receiving' && CONNECTIONS.has(record.resourceType))
        this.finish(record, undefined);
      else
        this.fail(record, { error: 'net::ERR_ABORTED', canceled: true, presumed: true }, undefined);
    }
  }

  /** Everything without an end, in order of first sight. */
  pending(): RequestDraft[] {
    return [...this.#pending];
  }

  /** How many requests a page that has settled would have ended. */
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
