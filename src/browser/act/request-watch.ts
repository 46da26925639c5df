// The requests that an action led to: which of them are worth waiting for, and when an answer may
// have changed the page.
import { monotonicMs } from '../../core/time.ts';
import type { Tab } from '../tabs/tab.ts';
import {
  hasNoBody,
  headerValue,
  isStream,
  redirectChain,
  type RequestRecord,
} from '../traffic/request-record.ts';
import type { Effects, FailedRequest } from './receipt.ts';

/** Kinds of requests whose answer the page usually waits for to show something. */
const AWAITED = new Set(['Fetch', 'XHR', 'Document', 'Script']);
/** Those whose answer goes to a script of the page. */
const SCRIPTED = new Set(['Fetch', 'XHR']);
/**
 * A question without an answer for longer is taken for a long poll; a change that was asked for
 * deserves more patience.
 */
const POLL_AFTER_MS = 500;
/** An answer whose body is still coming in after this is a stream. */
const STREAM_AFTER_MS = 300;
/**
 * Chrome reads a body that the page does not read after 50 ms by itself: of one that it reads
 * something is in before.
 */
const READ_WITHIN_MS = 40;
const UNREAD_AFTER_MS = 60;
/** An answer that came sooner came whole, or is of a server that can be as quick with its rest. */
const QUICK_MS = 40;

interface Watched {
  readonly record: RequestRecord;
  readonly startedAt: number;
  respondedAt?: number;
  /** When the first of its body was taken in. */
  dataAt?: number;
  /** The page changed after the answer was handed to it. */
  shown?: true;
}

export class SeenRequests implements Disposable {
  readonly #tab: Tab;
  readonly #wake: () => void;
  readonly #off: readonly (() => void)[];
  readonly #requests = new Map<string, Watched>();
  /** Requests that had no answer before: when it comes, pages that poll ask anew. */
  readonly #before: ReadonlySet<string>;
  /** Those of them that have been answered. */
  readonly #polled = new Set<string>();
  #answered: RequestRecord[] = [];
  /**
   * A script of the page was given the beginning of an answer, or all of it, after the page was
   * last looked at.
   */
  #owed: 'beginning' | 'all' | undefined;
  /** When the page changed since. */
  #shown: number | undefined;
  /**
   * It may be drawn in a frame to come. What has no content, or no end, is not waited for like
   * that.
   */
  #drawn = false;

  constructor(tab: Tab, wake: () => void) {
    this.#tab = tab;
    this.#wake = wake;
    const { traffic, events, cdp } = tab;
    this.#before = new Set(
      traffic
        .pending()
        .flatMap(({ record }) => (record.state === 'pending' ? record.requestId : [])),
    );
    this.#off = [
      traffic.events.on('request', (record) => this.#requested(record)),
      traffic.events.on('response', (record) => this.#responded(record)),
      traffic.events.on('finished', (record) => this.#answeredBy(record)),
      traffic.events.on('failed', (record) => this.#failed(record)),
      events.on('changed', (at) => this.#changed(at)),
      cdp.on('Network.dataReceived', ({ requestId }) => this.#taken(requestId)),
    ];
  }

  [Symbol.dispose](): void {
    for (const off of this.#off) off();
  }

  #requested(record: RequestRecord): void {
    if (this.#polled.has(keyOf(record)) || UNTOLD.test(record.url)) return;
    this.#requests.set(record.requestId, { record, startedAt: monotonicMs() });
    this.#wake();
  }

  #responded(record: RequestRecord): void {
    this.#wasPolled(record);
    const watched = this.#requests.get(record.requestId);
    if (!watched) return;
    watched.respondedAt = monotonicMs();
    this.#handOver(record, 'beginning');
  }

  #taken(requestId: string): void {
    const watched = this.#requests.get(requestId);
    if (watched) watched.dataAt ??= monotonicMs();
  }

  #answeredBy(record: RequestRecord): void {
    this.#wasPolled(record);
    if (!this.#requests.has(record.requestId)) return;
    // What has no body is not in the page's records of what it was given.
    if (SCRIPTED.has(record.resourceType) && record.frameId !== undefined && !hasNoBody(record))
      this.#answered.push(record);
    this.#handOver(record, 'all');
  }

  #failed(record: RequestRecord): void {
    this.#wasPolled(record);
    if (this.#requests.has(record.requestId)) this.#handOver(record, 'all');
  }

  #wasPolled(record: RequestRecord): void {
    if (this.#before.has(record.requestId)) this.#polled.add(keyOf(record));
  }

  #handOver(record: RequestRecord, part: 'beginning' | 'all'): void {
    if (SCRIPTED.has(record.resourceType)) {
      this.#owed = part;
      this.#shown = undefined;
      this.#drawn ||= !hasNoBody(record) && !isStream(record);
    }
    this.#wake();
  }

  #changed(at: number): void {
    this.#shown = at;
    for (const watched of this.#requests.values())
      if (watched.respondedAt !== undefined) watched.shown = true;
    this.#wake();
  }

  /** Whether an answer may have changed the page since it was last looked at. */
  get owed(): boolean {
    return this.#owed !== undefined;
  }

  /**
   * The page was looked at, at a moment of its own clock. More may come of an answer that was given
   * in full.
   */
  looked(at: number): void {
    if (this.#owed === 'beginning' && this.#shown !== undefined && this.#shown <= at)
      this.#owed = undefined;
  }

  /** How to look at the page now. */
  takeOwed(): 'shown' | 'answer' {
    const how = this.#drawn && this.#shown === undefined ? 'answer' : 'shown';
    this.#owed = undefined;
    this.#drawn = false;
    return how;
  }

  /** Addresses of answers to a frame's scripts that came since this was last asked. */
  takeAnswered(frameId: string): string[] {
    const taken = this.#answered.filter((record) => record.frameId === frameId);
    this.#answered = this.#answered.filter((record) => record.frameId !== frameId);
    return taken.map((record) => (redirectChain(record)[0] ?? record).url.split('#')[0] ?? '');
  }

  get any(): boolean {
    return this.#requests.size > 0;
  }

  /**
   * How long requests of this action are still worth waiting for; 0 when all have ended or turned
   * out to be endless.
   */
  awaitMs(): number {
    const now = monotonicMs();
    const endless = new Set(
      this.#tab.traffic
        .pending()
        .filter(({ longLived }) => longLived)
        .map(({ record }) => record.requestId),
    );
    let longest = 0;
    for (const watched of this.#requests.values()) {
      const { record } = watched;
      if (
        record.state === 'finished' ||
        record.state === 'failed' ||
        endless.has(record.requestId) ||
        !AWAITED.has(record.resourceType)
      )
        continue;
      longest = Math.max(longest, awaitedUntil(watched) - now);
    }
    return longest;
  }

  effects(): Pick<Effects, 'requests'> {
    const records = [...this.#requests.values()].map(({ record }) => record);
    if (records.length === 0) return {};
    const failed = records
      .filter(hasFailed)
      .map(({ method, url, status, failure }): FailedRequest => ({
        method,
        url,
        status: status !== undefined && status >= 400 ? status : (failure?.error ?? 'failed'),
      }));
    return {
      requests: {
        count: records.length,
        pending: records.filter(({ state }) => state === 'pending').length,
        failed,
      },
    };
  }
}

/** When a request that is under way is no longer worth waiting for. */
const awaitedUntil = ({
  record,
  startedAt,
  respondedAt,
  dataAt = Infinity,
  shown,
}: Watched): number => {
  if (respondedAt === undefined)
    return record.method === 'GET' ? startedAt + POLL_AFTER_MS : Infinity;
  if (!SCRIPTED.has(record.resourceType)) return respondedAt + STREAM_AFTER_MS;
  const length = bodyLength(record);
  // in, whether or not the page reads it
  if (length !== undefined && record.decodedBytes >= length) return respondedAt;
  if (shown && length === undefined) {
    const took = record.ttfbMs ?? 0;
    return respondedAt + (took < QUICK_MS ? 0 : Math.min(took, STREAM_AFTER_MS));
  }
  return respondedAt + (dataAt - respondedAt < READ_WITHIN_MS ? STREAM_AFTER_MS : UNREAD_AFTER_MS);
};

/** How many bytes the page will be given, where that is known beforehand. */
const bodyLength = (record: RequestRecord): number | undefined => {
  if (hasNoBody(record)) return 0;
  const { responseHeaders } = record;
  const length = headerValue(responseHeaders, 'content-length');
  return length === undefined || headerValue(responseHeaders, 'content-encoding') !== undefined
    ? undefined
    : Number(length);
};

/** What no action asks for. */
const UNTOLD = /^(?:data|blob):|\/favicon\.ico$/;

const keyOf = ({ method, url }: RequestRecord): string => `${method} ${url.split('?')[0]}`;

const hasFailed = ({ status, state, failure }: RequestRecord): boolean =>
  (status !== undefined && status >= 400) || (state === 'failed' && failure?.canceled !== true);
