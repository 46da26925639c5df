// Records the network requests and the console of one tab since it was attached.
import type { Protocol } from 'devtools-protocol';
import { valueIf } from '../../core/defined.ts';
import type { Events } from '../../core/events.ts';
import type { CdpSession } from '../cdp/connection.ts';
import { Bodies, type Body } from './bodies.ts';
import { type Recording, SharedTexts } from './bounded-collections.ts';
import type { ConsoleEntry } from './console-entry.ts';
import { ConsoleRecorder } from './console-recorder.ts';
import { HttpRecorder } from './http-recorder.ts';
import type { Decision } from './intercept-handler.ts';
import { type PostData, toFetchedPostData } from './request-body.ts';
import { RequestLog, type TrafficEvents } from './request-log.ts';
import {
  headerValue,
  isLongLived,
  type RequestDraft,
  type RequestRecord,
  type Source,
} from './request-record.ts';
import { SocketRecorder } from './socket-recorder.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

/** Memory limits of a tab's recorder; every collection in this folder has its limit here. */
export interface TrafficLimits {
  /** Maximum number of requests, and their total bytes without bodies. */
  readonly requestCount: number;
  readonly requestBytes: number;
  /** Maximum number of console messages, and their total bytes. */
  readonly consoleCount: number;
  readonly consoleBytes: number;
  /** The text of one console message is truncated to this size. */
  readonly consoleTextBytes: number;
  /** Larger response bodies are truncated. */
  readonly bodyBytes: number;
  /**
   * Total size of the bodies in memory; the oldest are evicted and can be fetched from Chrome
   * again.
   */
  readonly bodiesBytes: number;
  /** Larger bodies are never fetched: one CDP message of that size would delay all others. */
  readonly bodyTransferBytes: number;
  /** Larger request bodies are not kept. */
  readonly postBytes: number;
  /**
   * Limits of one WebSocket or event stream: number of messages, total bytes, bytes per message.
   */
  readonly messageCount: number;
  readonly messagesBytes: number;
  readonly messageBytes: number;
  /** Size of Chrome's own buffer for bodies, per tab. */
  readonly chromeBufferBytes: number;
  /** A response that is still arriving after this time is a stream; waits ignore it. */
  readonly streamAfterMs: number;
  /** A request without a response after this time is a long poll; waits ignore it. */
  readonly longPollAfterMs: number;
}

const TRAFFIC_LIMITS: TrafficLimits = {
  requestCount: 5_000,
  requestBytes: 16 * MIB,
  consoleCount: 1_000,
  consoleBytes: 2 * MIB,
  consoleTextBytes: 8 * KIB,
  bodyBytes: 8 * MIB,
  bodiesBytes: 32 * MIB,
  bodyTransferBytes: 64 * MIB,
  postBytes: 1 * MIB,
  messageCount: 200,
  messagesBytes: 256 * KIB,
  messageBytes: 16 * KIB,
  chromeBufferBytes: 64 * MIB,
  streamAfterMs: 1_500,
  longPollAfterMs: 10_000,
};

export interface TrafficOptions {
  readonly limits?: Partial<TrafficLimits>;
  /** Wall clock, milliseconds. */
  readonly now?: () => number;
  /**
   * Sequence numbers for requests and console messages; tabs that share it have a common cursor.
   */
  readonly nextSequence?: () => number;
}

/** Chrome's request event includes request bodies up to this size. */
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

  /** Every request in order of first sight, including redirect hops; a live view. */
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
   * Records a session from now on. Sends its commands immediately, so that the caller can resume
   * the target; resolves when Chrome has answered. Never rejects if the target is gone or lacks a
   * domain. The caller sends Page.enable, and Runtime.enable for pages and frames.
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
   * The request of a document, linked to its redirects; undefined for pages without one
   * (about:blank).
   */
  document(loaderId: string): RequestRecord | undefined {
    const record = this.#log.find(loaderId);
    return valueIf(record?.loaderId === loaderId, record);
  }

  /** The latest record with Chrome's request id. */
  find(requestId: string): RequestRecord | undefined {
    return this.#log.find(requestId);
  }

  /**
   * Number of requests in flight, without sockets, event streams, streaming responses and long
   * polls.
   */
  inFlight(): number {
    return this.#log.inFlight();
  }

  /** All requests in flight, and whether each may never end. */
  pending(): { readonly record: RequestRecord; readonly longLived: boolean }[] {
    const now = this.#log.now();
    return this.#log
      .pending()
      .map((record) => ({ record, longLived: isLongLived(record, now, this.limits) }));
  }

  /** The response body, or the reason why there is none. Raw: redact before output. */
  body(record: RequestRecord, signal?: AbortSignal): Promise<Body> {
    return this.#bodies.get(record, signal);
  }

  /** The body if it is in memory; does not fetch it. */
  heldBody(record: RequestRecord): Body | undefined {
    return this.#bodies.held(record);
  }

  /**
   * Marks a request that a handler answered, changed or blocked, to distinguish it from the
   * server's response.
   */
  markIntercepted({ requestId, url, by, action, stage, body }: Decision): void {
    if (requestId === undefined) return;
    this.#http.mark(requestId, {
      url,
      intercepted: action === 'continue' ? undefined : { by, action, stage },
      body,
    });
  }

  /** Marks a request as blocked by `by`. */
  markRefused(record: RequestRecord, by: string): void {
    (record as RequestDraft).intercepted = { by, action: 'fail', stage: 'request' };
  }

  /** Replaces Chrome's error with a more precise one. */
  renameFailure(record: RequestRecord, error: string): void {
    const draft = record as RequestDraft;
    if (draft.failure) draft.failure = { ...draft.failure, error };
  }

  close(): void {
    this.#bodies.close();
    this.#log.abandon(() => true);
  }

  /**
   * Durable messages keep bodies after a navigation. Chrome's separate command for them loses the
   * bodies that no server sent (service workers, mocks). Do not wait for this command before the
   * target runs.
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

/** Ignores errors of a target that is gone or lacks a domain. */
const tolerate = async (command: Promise<unknown>): Promise<void> => {
  await command.catch(() => {});
};

/** Fetches `record.postData` if it is small enough; otherwise records the reason. */
const fetchPostData = async (record: RequestDraft, log: RequestLog): Promise<void> => {
  // The size is in the raw headers; this runs again when they arrive.
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
