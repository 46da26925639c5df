// What a tab's network and console did, from attach on: one bounded recorder that reading never
// drains.
import type { Protocol } from 'devtools-protocol';
import type { Events } from '../../core/events.ts';
import type { CdpSession } from '../cdp/connection.ts';
import { Bodies, type Body } from './bodies.ts';
import { SharedTexts } from './bounded-text.ts';
import type { ConsoleEntry } from './console-entry.ts';
import { ConsoleRecorder } from './console-recorder.ts';
import { HttpRecorder } from './http-recorder.ts';
import type { Decision } from './intercept-handler.ts';
import { TRAFFIC_LIMITS, type TrafficLimits } from './limits.ts';
import { type PostData, toFetchedPostData } from './post-data.ts';
import { RequestLog, type TrafficEvents } from './request-log.ts';
import {
  headerValue,
  isLongLived,
  type RequestDraft,
  type RequestRecord,
  type Source,
} from './request-record.ts';
import type { Recording } from './ring.ts';
import { SocketRecorder } from './socket-recorder.ts';

export interface TrafficOptions {
  readonly limits?: Partial<TrafficLimits>;
  /** Wall clock, milliseconds. */
  readonly now?: () => number;
  /**
   * Numbers for requests and console messages; tabs that share one can be listed together under one
   * cursor.
   */
  readonly nextSequence?: () => number;
}

/** Request bodies up to here come along with Chrome's event. */
const INLINE_POST_BYTES = 64 * 1024;

export class Traffic {
  readonly limits: TrafficLimits;
  readonly #log: RequestLog;
  readonly #http: HttpRecorder;
  readonly #sockets: SocketRecorder;
  readonly #console: ConsoleRecorder;
  readonly #bodies: Bodies;
  readonly #pages = new Set<CdpSession>();
  #startedAt: number | undefined;

  constructor({ limits, now = Date.now, nextSequence = counter() }: TrafficOptions = {}) {
    this.limits = { ...TRAFFIC_LIMITS, ...limits };
    const texts = new SharedTexts();
    this.#log = new RequestLog(this.limits, now, (record) => this.#evicted(record));
    const parts = { log: this.#log, texts, nextSequence };
    this.#http = new HttpRecorder({
      ...parts,
      onPostData: (record) => void fetchPostData(record, this.#log),
      onMadeUp: (record, body) => this.#bodies.preset(record, body),
    });
    this.#sockets = new SocketRecorder(parts);
    this.#bodies = new Bodies(this.#log, () => this.#pages);
    const onEntry = (entry: ConsoleEntry): void => this.events.emit('console', entry);
    this.#console = new ConsoleRecorder({ limits: this.limits, nextSequence, onEntry });
    this.events.on('finished', (record) => this.#bodies.offer(record as RequestDraft));
  }

  /** Every request in order of first sight, redirect hops included; a live view. */
  get requests(): Recording<RequestRecord> {
    return this.#log.ring;
  }

  get console(): Recording<ConsoleEntry> {
    return this.#console.ring;
  }

  get events(): Events<TrafficEvents> {
    return this.#log.events;
  }

  /** Wall clock of the first `watch`; undefined before it. */
  get startedAt(): number | undefined {
    return this.#startedAt;
  }

  get bodiesHeld(): { readonly bytes: number; readonly evicted: number } {
    return { bytes: this.#bodies.heldBytes, evicted: this.#bodies.evicted };
  }

  /**
   * Records a session from now on. The commands are sent without waiting, so that the caller can
   * let the target run right after; the promise settles when Chrome has answered them, and never
   * rejects because the target went away or lacks a domain. Page.enable, and Runtime.enable of
   * pages and frames, are the caller's.
   */
  async watch(session: CdpSession, source: Source): Promise<void> {
    this.#startedAt ??= this.#log.now();
    if (source.kind === 'page') this.#pages.add(session);
    session.onClose(() => this.#pages.delete(session));
    this.#http.watch(session, source);
    this.#sockets.watch(session, source);
    this.#console.watch(session, source);
    await Promise.all([
      tolerate(session.send('Network.enable', this.#networkOptions())),
      tolerate(session.send('Log.enable')),
      source.kind === 'worker' ? tolerate(session.send('Runtime.enable')) : undefined,
    ]);
  }

  /**
   * The request of a document, with its redirects behind `redirectedFrom`; undefined for pages
   * without one (about:blank).
   */
  document(loaderId: string): RequestRecord | undefined {
    const record = this.#log.find(loaderId);
    return record?.loaderId === loaderId ? record : undefined;
  }

  /** The latest record with Chrome's id. */
  find(requestId: string): RequestRecord | undefined {
    return this.#log.find(requestId);
  }

  /**
   * Requests under way that will end; sockets, event streams, streaming answers and long polls do
   * not count.
   */
  inFlight(): number {
    return this.#log.inFlight();
  }

  /** Everything under way, and whether it is of a kind that may never end. */
  pending(): { readonly record: RequestRecord; readonly longLived: boolean }[] {
    const now = this.#log.now();
    return this.#log
      .pending()
      .map((record) => ({ record, longLived: isLongLived(record, now, this.limits) }));
  }

  /**
   * The response's body, or why there is none; raw, like everything here: redact before showing.
   */
  body(record: RequestRecord, signal?: AbortSignal): Promise<Body> {
    return this.#bodies.get(record, signal);
  }

  /** The body if it is in memory already: nobody is asked for it. */
  heldBody(record: RequestRecord): Body | undefined {
    return this.#bodies.held(record);
  }

  /**
   * Marks a request that a handler answered, changed or refused, so that no made-up answer passes
   * for the server's.
   */
  markIntercepted({ requestId, url, by, action, stage, body }: Decision): void {
    if (requestId === undefined) return;
    this.#http.mark(requestId, {
      url,
      intercepted: action === 'continue' ? undefined : { by, action, stage },
      body,
    });
  }

  /** Marks a request that was kept from leaving, by whom. */
  markRefused(record: RequestRecord, by: string): void {
    (record as RequestDraft).intercepted = { by, action: 'fail', stage: 'request' };
  }

  /** Gives a failure the name that Chrome could not know. */
  renameFailure(record: RequestRecord, error: string): void {
    const draft = record as RequestDraft;
    if (draft.failure) draft.failure = { ...draft.failure, error };
  }

  close(): void {
    this.#bodies.close();
    this.#log.abandon(() => true);
  }

  /**
   * Durable messages keep bodies after a navigation. Chrome prefers a command of its own for them,
   * but with that one it forgets the bodies that no server sent (service workers, mocks); here it
   * must only not be waited for before the target runs.
   */
  #networkOptions(): Protocol.Network.EnableRequest {
    return {
      enableDurableMessages: true,
      maxTotalBufferSize: this.limits.chromeBufferBytes,
      maxResourceBufferSize: this.limits.bodyTransferBytes,
      maxPostDataSize: INLINE_POST_BYTES,
    };
  }

  #evicted(record: RequestDraft): void {
    this.#http.forget(record);
    this.#bodies.drop(record);
  }
}

const counter = (): (() => number) => {
  let last = 0;
  return () => ++last;
};

/** A target that went away, or that lacks a domain, has nothing to record there. */
const tolerate = async (command: Promise<unknown>): Promise<void> => {
  await command.catch(() => {});
};

/**
 * Fills in `record.postData` as soon as its size is known to be small enough; leaves the reason
 * otherwise.
 */
const fetchPostData = async (record: RequestDraft, log: RequestLog): Promise<void> => {
  // the size stands in the raw headers: we are called again with them
  if (!record.rawRequestHeaders) return;
  const size = Number(headerValue(record.requestHeaders, 'content-length') ?? NaN);
  if (Number.isNaN(size)) return settle(record, log, { why: 'stream' });
  if (size > log.limits.postBytes)
    return settle(record, log, { why: 'too_large', sizeBytes: size });
  try {
    const answer = await log
      .sessionOf(record)
      ?.send('Network.getRequestPostData', { requestId: record.requestId });
    settle(
      record,
      log,
      answer
        ? toFetchedPostData(answer.postData, answer.base64Encoded, size)
        : { why: 'unavailable', sizeBytes: size },
    );
  } catch {
    settle(record, log, { why: 'unavailable', sizeBytes: size }); // the page that sent it is gone
  }
};

const settle = (record: RequestDraft, log: RequestLog, data: PostData): void => {
  record.postData = data;
  log.reweigh(record);
};
