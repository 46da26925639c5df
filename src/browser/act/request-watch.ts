// Watches the requests that an action causes, and decides how long to wait for their responses.
import { callAll } from '../../core/collections.ts';
import { compact } from '../../core/defined.ts';
import { parseUrl, textBefore } from '../../core/text.ts';
import { monotonicMs } from '../../core/time.ts';
import { isTelemetryHost } from '../../policy/telemetry-hosts.ts';
import type { Tab } from '../tabs/tab.ts';
import {
  hasNoBody,
  headerValue,
  isStream,
  redirectChain,
  type RequestRecord,
} from '../traffic/request-record.ts';
import type { Effects, FailedRequest } from '../../core/receipt.ts';

const FINAL_STATES = new Set<string>(['finished', 'failed']);

/** Resource types whose response the page usually needs before it shows a result. */
const AWAITED = new Set(['Fetch', 'XHR', 'Document', 'Script']);
/** Resource types whose response goes to a script of the page. */
const SCRIPTED = new Set(['Fetch', 'XHR']);
/**
 * A GET without a response after this time is treated as a long poll. Other methods have no limit.
 */
const POLL_AFTER_MS = 500;
/** A response whose body is still incomplete after this time is treated as a stream. */
const STREAM_AFTER_MS = 300;
/**
 * Chrome reads an unread body by itself after 50 ms. If the page reads the body, data arrives
 * earlier.
 */
const READ_WITHIN_MS = 40;
const UNREAD_AFTER_MS = 60;
/** A server that responds within this time is expected to send the rest of the body as quickly. */
const QUICK_MS = 40;

interface Watched {
  readonly record: RequestRecord;
  readonly startedAt: number;
  respondedAt?: number;
  /** When the first part of the response body arrived. */
  dataAt?: number;
  /** The page changed after it received the response. */
  shown?: true;
}

export class RequestWatch implements Disposable {
  readonly #tab: Tab;
  readonly #wake: () => void;
  readonly #off: readonly (() => void)[];
  readonly #requests = new Map<string, Watched>();
  /**
   * Requests that were pending before the action. A polling page repeats them after the response.
   */
  readonly #before: ReadonlySet<string>;
  /** Method and URL of the requests in `#before` that have been answered. */
  readonly #polled = new Set<string>();
  #answered: RequestRecord[] = [];
  /**
   * A script of the page received the beginning or all of a response since the last look at the
   * page.
   */
  #owed: 'beginning' | 'all' | undefined;
  /** When the page changed after that response. */
  #shown: number | undefined;
  /**
   * The response may be drawn in a later frame. Never set for a response without body or for a
   * stream.
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
    callAll(this.#off);
  }

  #requested(record: RequestRecord): void {
    if (this.#polled.has(requestKey(record)) || IGNORED_URL.test(record.url)) return;
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
    // The resource timing of the page has no entry for a response without body.
    if (SCRIPTED.has(record.resourceType) && record.frameId !== undefined && !hasNoBody(record))
      this.#answered.push(record);
    this.#handOver(record, 'all');
  }

  #failed(record: RequestRecord): void {
    this.#wasPolled(record);
    if (this.#requests.has(record.requestId)) this.#handOver(record, 'all');
  }

  #wasPolled(record: RequestRecord): void {
    if (this.#before.has(record.requestId)) this.#polled.add(requestKey(record));
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

  /** Whether a response may have changed the page since the last look. */
  get owed(): boolean {
    return this.#owed !== undefined;
  }

  /**
   * Records that the page was looked at, at time `at` of the page's clock. A complete response
   * stays owed, because the page may change more than once after it.
   */
  looked(at: number): void {
    if (this.#owed === 'beginning' && this.#shown !== undefined && this.#shown <= at)
      this.#owed = undefined;
  }

  /** Returns how to look at the page now, and resets the state. */
  takeOwed(): 'shown' | 'answer' {
    const how = this.#drawn && this.#shown === undefined ? 'answer' : 'shown';
    this.#owed = undefined;
    this.#drawn = false;
    return how;
  }

  /** Returns the URLs of responses to the scripts of a frame since the last call. */
  takeAnswered(frameId: string): string[] {
    const taken = this.#answered.filter((record) => record.frameId === frameId);
    this.#answered = this.#answered.filter((record) => record.frameId !== frameId);
    return taken.map((record) => textBefore((redirectChain(record)[0] ?? record).url, '#'));
  }

  get any(): boolean {
    return this.#requests.size > 0;
  }

  /** How long to wait for the requests of this action; 0 if all have ended or are endless. */
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
        FINAL_STATES.has(record.state) ||
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
        ...compact({ changing: records.filter(mayChangeData).length }),
      },
    };
  }
}

/** The time at which the wait for a pending request ends. */
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
  // complete, even if the page does not read it
  if (length !== undefined && record.decodedBytes >= length) return respondedAt;
  if (shown && length === undefined) {
    const { ttfbMs: took = 0 } = record;
    return respondedAt + (took < QUICK_MS ? 0 : Math.min(took, STREAM_AFTER_MS));
  }
  return respondedAt + (dataAt - respondedAt < READ_WITHIN_MS ? STREAM_AFTER_MS : UNREAD_AFTER_MS);
};

/** Body size in bytes; undefined if the headers do not determine it. */
const bodyLength = (record: RequestRecord): number | undefined => {
  if (hasNoBody(record)) return 0;
  const { responseHeaders } = record;
  const length = headerValue(responseHeaders, 'content-length');
  return length === undefined || headerValue(responseHeaders, 'content-encoding') !== undefined
    ? undefined
    : Number(length);
};

/** Requests that are not counted as effects of an action. */
const IGNORED_URL = /^(?:data|blob):|\/favicon\.ico$/;

const requestKey = ({ method, url }: RequestRecord): string => `${method} ${url.split('?')[0]}`;

const READING_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);
/** Other types are beacons and reports. */
const CHANGING_TYPES = new Set([...SCRIPTED, 'Document']);

const mayChangeData = ({ method, url, resourceType }: RequestRecord): boolean =>
  !READING_METHODS.has(method) &&
  CHANGING_TYPES.has(resourceType) &&
  !isTelemetryHost(parseUrl(url)?.hostname ?? '');

const hasFailed = ({ status, state, failure }: RequestRecord): boolean =>
  (status !== undefined && status >= 400) || (state === 'failed' && failure?.canceled !== true);
