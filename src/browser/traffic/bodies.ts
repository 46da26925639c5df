// Response bodies: the ones worth keeping are fetched in the background after loading, the others
// when somebody asks.
import { abortable, after, Deadline } from '../../core/time.ts';
import type { CdpSession } from '../cdp/connection.ts';
import { CdpError, Disconnected } from '../cdp/errors.ts';
import { hasNoBody, type RequestDraft, type RequestRecord } from './request-record.ts';
import type { RequestLog } from './request-log.ts';
import { base64Bytes, clip, decodeUtf8 } from './bounded-text.ts';

/** Why there is no body to show, or not yet. */
export type BodyAbsence =
  /** Still on its way: ask again later. */
  | 'pending'
  /** A redirect's body is thrown away by Chrome. */
  | 'redirect'
  /** HEAD, 204 and the like have none. */
  | 'no_body'
  /** A WebSocket or event stream: look at its messages. */
  | 'messages'
  /** The request failed. */
  | 'failed'
  /** Larger than can be taken over. */
  | 'too_large'
  /** Chrome no longer has it, or never kept it. */
  | 'unavailable'
  /** The tab is gone. */
  | 'gone';

export interface Body {
  readonly text?: string;
  readonly base64?: string;
  /** Of the whole body, decoded, where it is known. */
  readonly sizeBytes?: number;
  /** Only the beginning is here. */
  readonly truncated?: true;
  readonly why?: BodyAbsence;
}

/**
 * Bodies wait until the burst of a page load is over, and go a few at a time: loading the page
 * comes first.
 */
const START_AFTER_MS = 50;
const AT_ONCE = 3;
/** A page that does not answer must not hold a place for ever. */
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

  /** Bodies that gave way to later ones; Chrome may still have them. */
  get evicted(): number {
    return this.#evicted;
  }

  /**
   * A request finished: its body is fetched in the background if it is of a kind that is asked for.
   */
  offer(record: RequestDraft): void {
    if (!isWorthKeeping(record) || record.decodedBytes > this.#log.limits.bodyBytes) return;
    this.#queue.push(record);
    // a page that hangs lets them pile up
    if (this.#queue.length > this.#log.limits.requestCount) this.#queue.shift();
    if (this.#running === 0) this.#start ??= after(START_AFTER_MS, () => this.#pump());
  }

  /** The body if it is in memory already. */
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
   * Holds a body that a handler made up: Chrome would answer with the server's, or with nothing.
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
    this.#heldBytes -= lengthOf(body);
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

  /** One fetch at a time for each record, whoever asks; never rejects. */
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
        // Chrome no longer has it, the target went away, or the page hangs: each is an answer, none
        // is a defect.
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
    this.#heldBytes += lengthOf(body);
    for (const [sequence, oldest] of this.#held) {
      if (this.#heldBytes <= bodiesBytes) break;
      this.#held.delete(sequence);
      this.#heldBytes -= lengthOf(oldest);
      this.#evicted++;
    }
    this.#log.events.emit('body', record);
    return body;
  }
}

const lengthOf = (body: Body): number => (body.text ?? body.base64 ?? '').length;

const cut = (body: Body, limit: number): Body => {
  if ((body.sizeBytes ?? 0) <= limit) return body;
  // Whole groups of four, so that what is left of the base64 still decodes.
  if (body.base64 !== undefined)
    return { ...body, base64: clip(body.base64, Math.floor(limit / 3) * 4), truncated: true };
  return { ...body, text: clip(body.text ?? '', limit), truncated: true };
};

/** Why there cannot be a body, whoever is asked for it. */
export const explainMissingBody = (record: RequestRecord): BodyAbsence | undefined => {
  if (record.messages) return 'messages';
  if (!record.ended) return 'pending';
  if (record.redirectedTo !== undefined) return 'redirect';
  if (record.state === 'failed') return 'failed';
  if (isReplacedBody(record)) return 'unavailable';
  return hasNoBody(record) ? 'no_body' : undefined;
};

/** A handler put another body in the place of the server's, which Chrome would give us for it. */
const isReplacedBody = ({ intercepted }: RequestRecord): boolean =>
  intercepted?.action === 'fulfill' && intercepted.stage === 'response';

const PICTURES = /^(?:image\/(?!svg)|video\/|audio\/|font\/)/;
const DATA = /\b(?:json|xml|ndjson|graphql|csv|yaml|protobuf|grpc)\b|^text\/plain/;

/**
 * Data is kept; pages, pictures, fonts, styles and scripts can be asked for while the tab lives,
 * because Chrome keeps them.
 */
const isWorthKeeping = (record: RequestDraft): boolean => {
  if (record.decodedBytes === 0 || explainMissingBody(record)) return false;
  const mimeType = record.mimeType ?? '';
  if (record.resourceType === 'Fetch' || record.resourceType === 'XHR')
    return !PICTURES.test(mimeType);
  return DATA.test(mimeType) && !mimeType.startsWith('image/');
};
