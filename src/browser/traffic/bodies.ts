// Response bodies: data is fetched in the background after loading, other bodies on request.
import { valueIf } from '../../core/defined.ts';
import { abortable, after, Deadline } from '../../core/time.ts';
import type { CdpSession } from '../cdp/connection.ts';
import { CdpError, Disconnected } from '../cdp/errors.ts';
import { hasNoBody, type RequestDraft, type RequestRecord } from './request-record.ts';
import type { RequestLog } from './request-log.ts';
import { base64Bytes, clip, decodeUtf8 } from './bounded-collections.ts';

const SCRIPT_REQUEST_TYPES = new Set<string>(['Fetch', 'XHR']);

/** Why a body is not available, or not yet. */
export type BodyAbsence =
  /** Still loading: try again later. */
  | 'pending'
  /** Chrome discards the body of a redirect. */
  | 'redirect'
  /** HEAD, 204 and similar responses have no body. */
  | 'no_body'
  /** A WebSocket or event stream: read its messages. */
  | 'messages'
  /** The request failed. */
  | 'failed'
  /** Larger than the transfer limit. */
  | 'too_large'
  /** Chrome no longer has it, or never kept it. */
  | 'unavailable'
  /** The tab is closed. */
  | 'gone';

export interface Body {
  readonly text?: string;
  readonly base64?: string;
  /** Decoded size of the whole body, if known. */
  readonly sizeBytes?: number;
  /** Only the beginning of the body is included. */
  readonly truncated?: true;
  readonly why?: BodyAbsence;
}

/**
 * Bodies are fetched after the page load's burst of requests, three at a time, to not slow the
 * load down.
 */
const START_AFTER_MS = 50;
const AT_ONCE = 3;
/** Timeout for a page that does not respond. */
const GIVE_UP_MS = 15_000;

export class Bodies {
  readonly #log: RequestLog;
  readonly #fallbacks: () => Iterable<CdpSession>;
  readonly #held = new Map<number, Body>();
  readonly #fetching = new Map<number, Promise<Body>>();
  #queue: RequestDraft[] = [];
  #running = 0;
  #start: Disposable | undefined;
  #heldBytes = 0;
  #evicted = 0;

  /** @param fallbacks sessions of the tab that can answer for frames and workers that are gone */
  constructor(log: RequestLog, fallbacks: () => Iterable<CdpSession>) {
    this.#log = log;
    this.#fallbacks = fallbacks;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Number of bodies evicted by later ones; Chrome may still have them. */
  get evicted(): number {
    return this.#evicted;
  }

  /** Queues a finished request; its body is fetched in the background if `isWorthKeeping`. */
  offer(record: RequestDraft): void {
    if (!isWorthKeeping(record) || record.decodedBytes > this.#log.limits.bodyBytes) return;
    this.#queue.push(record);
    // limits the queue if the page hangs
    if (this.#queue.length > this.#log.limits.requestCount) this.#queue.shift();
    if (this.#running === 0) this.#start ??= after(START_AFTER_MS, () => this.#pump());
  }

  /** The body if it is in memory. */
  held(record: RequestRecord): Body | undefined {
    return this.#held.get(record.sequence);
  }

  async get(record: RequestRecord, signal?: AbortSignal): Promise<Body> {
    const held = this.#held.get(record.sequence);
    if (held) return held;
    const why = explainMissingBody(record);
    if (why) return { why };
    if (record.decodedBytes > this.#log.limits.bodyTransferBytes)
      return { why: 'too_large', sizeBytes: record.decodedBytes };
    return abortable(this.#fetch(record), signal);
  }

  /**
   * Stores the body of a handler's response, because Chrome would return the server's body or
   * none.
   */
  preset(record: RequestRecord, body: string | Uint8Array | undefined): void {
    this.drop(record);
    if (body === undefined) return;
    const bytes = Buffer.from(body as string);
    const text = decodeUtf8(bytes);
    this.#hold(
      record,
      text === undefined
        ? { base64: bytes.toString('base64'), sizeBytes: bytes.length }
        : { text, sizeBytes: bytes.length },
    );
  }

  drop(record: RequestRecord): void {
    const body = this.#held.get(record.sequence);
    if (!body) return;
    this.#held.delete(record.sequence);
    this.#heldBytes -= measureBody(body);
  }

  close(): void {
    this.#start?.[Symbol.dispose]();
    this.#queue = [];
  }

  #pump(): void {
    this.#start = undefined;
    while (this.#running < AT_ONCE) {
      const record = this.#queue.shift();
      if (!record) return;
      if (this.#held.has(record.sequence) || !this.#log.ring.find(record.sequence)) continue;
      this.#running++;
      void this.#fetch(record).finally(() => {
        this.#running--;
        this.#pump();
      });
    }
  }

  /** Fetches a body once, shared by concurrent callers; never rejects. */
  #fetch(record: RequestRecord): Promise<Body> {
    const going = this.#fetching.get(record.sequence);
    if (going) return going;
    const fetching = this.#ask(record)
      .then((body) => this.#hold(record, body))
      .finally(() => this.#fetching.delete(record.sequence));
    this.#fetching.set(record.sequence, fetching);
    return fetching;
  }

  async #ask(record: RequestRecord): Promise<Body> {
    using deadline = new Deadline(GIVE_UP_MS);
    let why: BodyAbsence = 'gone';
    for (const session of new Set([this.#log.sessionOf(record), ...this.#fallbacks()])) {
      if (!session || session.closed) continue;
      try {
        const { body, base64Encoded } = await session.send(
          'Network.getResponseBody',
          { requestId: record.requestId },
          deadline.signal,
        );
        return base64Encoded
          ? { base64: body, sizeBytes: base64Bytes(body) }
          : { text: body, sizeBytes: Buffer.byteLength(body) };
      } catch (error) {
        // Chrome no longer has the body, the target is closed, or the page hangs. All are expected.
        if (error instanceof Disconnected) continue;
        why = 'unavailable';
        if (!(error instanceof CdpError)) break;
      }
    }
    return { why };
  }

  #hold(record: RequestRecord, whole: Body): Body {
    const { bodyBytes, bodiesBytes } = this.#log.limits;
    const body = cut(whole, bodyBytes);
    if (body.why || body.truncated || !this.#log.ring.find(record.sequence)) return body;
    this.#held.set(record.sequence, body);
    this.#heldBytes += measureBody(body);
    for (const [sequence, oldest] of this.#held) {
      if (this.#heldBytes <= bodiesBytes) break;
      this.#held.delete(sequence);
      this.#heldBytes -= measureBody(oldest);
      this.#evicted++;
    }
    this.#log.events.emit('body', record);
    return body;
  }
}

const measureBody = (body: Body): number => (body.text ?? body.base64 ?? '').length;

const cut = (body: Body, limit: number): Body => {
  if ((body.sizeBytes ?? 0) <= limit) return body;
  // Cut at whole groups of four characters, so that the base64 still decodes.
  if (body.base64 !== undefined)
    return { ...body, base64: clip(body.base64, Math.floor(limit / 3) * 4), truncated: true };
  return { ...body, text: clip(body.text ?? '', limit), truncated: true };
};

/** Why the response cannot have a body; undefined if it may have one. */
export const explainMissingBody = (record: RequestRecord): BodyAbsence | undefined => {
  if (record.messages) return 'messages';
  if (!record.ended) return 'pending';
  if (record.redirectedTo !== undefined) return 'redirect';
  if (record.state === 'failed') return 'failed';
  if (isReplacedBody(record)) return 'unavailable';
  return valueIf(hasNoBody(record), 'no_body');
};

/** Whether a handler replaced the response body. Chrome would still return the server's body. */
const isReplacedBody = ({ intercepted }: RequestRecord): boolean =>
  intercepted?.action === 'fulfill' && intercepted.stage === 'response';

const PICTURES = /^(?:image\/(?!svg)|video\/|audio\/|font\/)/;
const DATA = /\b(?:json|xml|ndjson|graphql|csv|yaml|protobuf|grpc)\b|^text\/plain/;

/**
 * Keeps data only. Pages, images, fonts, styles and scripts can be fetched from Chrome while the
 * tab is open.
 */
const isWorthKeeping = (record: RequestDraft): boolean => {
  if (record.decodedBytes === 0 || explainMissingBody(record)) return false;
  const { mimeType = '' } = record;
  if (SCRIPT_REQUEST_TYPES.has(record.resourceType)) return !PICTURES.test(mimeType);
  return DATA.test(mimeType) && !mimeType.startsWith('image/');
};
