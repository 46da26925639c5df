// Assigns raw headers to the redirect hop they belong to; their events arrive in any order.
import { getOrCreate } from '../../core/collections.ts';
import { BoundedMap } from './bounded-collections.ts';
import {
  isReplaced,
  type BlockedCookie,
  type Headers,
  type RequestDraft,
} from './request-record.ts';

export interface RequestInfo {
  readonly headers: Headers;
  readonly blockedCookies: readonly BlockedCookie[];
}

export interface ResponseInfo extends RequestInfo {
  readonly status: number;
}

interface PendingInfo {
  readonly requests: RequestInfo[];
  readonly responses: ResponseInfo[];
}

/**
 * Limits the headers of requests that Chrome never announces, such as prefetches of other pages.
 */
const MAX_WAITING = 500;

export class ExtraInfo {
  readonly #waiting = new BoundedMap<string, PendingInfo>(MAX_WAITING);

  /** Assigns raw request headers to the earliest hop without them. */
  request(
    requestId: string,
    latest: RequestDraft | undefined,
    info: RequestInfo,
  ): RequestDraft | undefined {
    const hop = latest && earliest(latest, (candidate) => !candidate.rawRequestHeaders);
    if (hop) applyRequest(hop, info);
    else this.#wait(requestId).requests.push(info);
    return hop;
  }

  response(
    requestId: string,
    latest: RequestDraft | undefined,
    info: ResponseInfo,
  ): RequestDraft | undefined {
    const hop = latest && earliest(latest, (candidate) => !candidate.rawResponseHeaders);
    if (hop) applyResponse(hop, info);
    else this.#wait(requestId).responses.push(info);
    return hop;
  }

  /** Assigns headers that arrived before the hop was announced. */
  announced(hop: RequestDraft): void {
    const waiting = this.#waiting.get(hop.requestId);
    if (!waiting) return;
    const request = waiting.requests.shift();
    if (request) applyRequest(hop, request);
    const response = waiting.responses.shift();
    if (response) applyResponse(hop, response);
    if (!waiting.requests.length && !waiting.responses.length) this.#waiting.delete(hop.requestId);
  }

  /**
   * The hop's response states whether raw headers exist for it. If not, the assigned ones belong
   * to the next hop.
   */
  settled(hop: RequestDraft, hasExtraInfo: boolean): void {
    hop.extraInfo = hasExtraInfo ? 'expected' : 'none';
    const { provisionalHeaders } = hop;
    hop.provisionalHeaders = undefined;
    if (hasExtraInfo) return;
    if (hop.rawRequestHeaders) {
      this.#wait(hop.requestId).requests.unshift({
        headers: hop.requestHeaders,
        blockedCookies: [],
      });
      hop.rawRequestHeaders = false;
      hop.requestHeaders = provisionalHeaders ?? {};
    }
    if (hop.rawResponseHeaders) {
      this.#wait(hop.requestId).responses.unshift({
        headers: hop.responseHeaders ?? {},
        blockedCookies: [],
        status: hop.status ?? 0,
      });
      hop.rawResponseHeaders = false;
      hop.status = undefined;
      hop.responseHeaders = undefined;
    }
  }

  forget(requestId: string): void {
    this.#waiting.delete(requestId);
  }

  #wait(requestId: string): PendingInfo {
    return getOrCreate(this.#waiting, requestId, () => ({ requests: [], responses: [] }));
  }
}

const earliest = (
  latest: RequestDraft,
  lacks: (hop: RequestDraft) => boolean,
): RequestDraft | undefined => {
  let found: RequestDraft | undefined;
  for (let hop: RequestDraft | undefined = latest; hop; hop = hop.redirectedFrom) {
    if (hop.extraInfo !== 'none' && lacks(hop)) found = hop;
  }
  return found;
};

const applyRequest = (hop: RequestDraft, { headers, blockedCookies }: RequestInfo): void => {
  if (hop.extraInfo === 'unknown') hop.provisionalHeaders = hop.requestHeaders;
  hop.requestHeaders = headers;
  hop.rawRequestHeaders = true;
  addBlocked(hop, blockedCookies);
};

const applyResponse = (
  hop: RequestDraft,
  { headers, status, blockedCookies }: ResponseInfo,
): void => {
  addBlocked(hop, blockedCookies);
  // If a handler replaced the response, the page did not get the server's headers.
  if (isReplaced(hop)) return;
  hop.responseHeaders = headers;
  hop.rawResponseHeaders = true;
  applyWireStatus(hop, status);
};

/**
 * A 304 replaces the 200 that the page got from the cache. A response that CORS blocked only has
 * the raw status.
 */
export const applyWireStatus = (hop: RequestDraft, status: number): void => {
  if (hop.status === undefined) hop.status = status;
  else if (status === 304 && hop.status !== 304) {
    hop.deliveredStatus = hop.status;
    hop.status = 304;
  }
};

const addBlocked = (hop: RequestDraft, cookies: readonly BlockedCookie[]): void => {
  if (cookies.length) hop.blockedCookies = [...(hop.blockedCookies ?? []), ...cookies];
};
