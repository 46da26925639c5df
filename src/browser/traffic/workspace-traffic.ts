// All requests of a workspace with stable keys, including those of closed tabs.
import { createHash } from 'node:crypto';
import { Events } from '../../core/events.ts';
import type { Redactor } from '../../core/redactor.ts';
import { parseUrl, textBefore } from '../../core/text.ts';
import { type Body, explainMissingBody } from './bodies.ts';
import { Ring, type RingItem } from './bounded-collections.ts';
import { operationName } from './graphql.ts';
import { type Headers, headerValue, type RequestRecord } from './request-record.ts';
import type { Traffic } from './traffic.ts';

// Stable keys for requests, assigned once when a request is first recorded.

interface KeyedRequest {
  readonly method: string;
  readonly url: string;
  readonly requestHeaders?: Headers;
  /** The request body, if it is text. */
  readonly body?: string | undefined;
}

const UNPARSABLE_CHARS = 120;

/**
 * The key without its repeat count: the GraphQL operation, else method, host and path. Never
 * contains `#`.
 */
export const buildBaseKey = ({ method, url, requestHeaders, body }: KeyedRequest): string => {
  const verb = method.toUpperCase();
  const address = parseUrl(url);
  // A CORS preflight must not get the key of the operation.
  const contentType = headerValue(requestHeaders, 'content-type') ?? '';
  const operation =
    verb === 'OPTIONS' ? undefined : operationName({ url: address, contentType, body });
  if (operation !== undefined) return operation;
  if (!address) return `${verb} ${withoutFragment(url).slice(0, UNPARSABLE_CHARS)}`;
  return `${verb} ${address.host}${address.pathname}`;
};

const withoutFragment = (url: string): string => textBefore(url, '#');

/** Longer keys are counted by their hash. */
const MAX_COUNTED_CHARS = 200;

/** Counts repeats: the first use of a key has no suffix, the next are `#2`, `#3` … */
export class KeyBook {
  readonly #counts = new Map<string, number>();
  readonly #limit: number;

  /**
   * @param limit how many names are remembered: at least as many as requests are kept, so that no
   * two of them share a key
   */
  constructor(limit: number) {
    this.#limit = limit;
  }

  give(base: string): string {
    const name =
      base.length > MAX_COUNTED_CHARS ? createHash('sha256').update(base).digest('base64') : base;
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.delete(name); // re-insert it as the most recent key
    this.#counts.set(name, count);
    for (const oldest of this.#counts.keys()) {
      if (this.#counts.size <= this.#limit) break;
      this.#counts.delete(oldest);
    }
    return count === 1 ? base : `${base}#${count}`;
  }
}

const MIB = 1024 * 1024;

export interface WorkspaceLimits {
  /** Maximum number of requests, and their total bytes without bodies. */
  readonly requestCount: number;
  readonly requestBytes: number;
  /** Total size of the bodies of closed tabs, which Chrome no longer has. */
  readonly closedBodyBytes: number;
}

const WORKSPACE_LIMITS: WorkspaceLimits = {
  requestCount: 10_000,
  requestBytes: 32 * MIB,
  closedBodyBytes: 32 * MIB,
};

/** One request of the workspace. */
export class WorkspaceRequest implements RingItem {
  heldBytes: number;
  /** Increases when the request starts and when it ends, to list changes after a cursor. */
  version: number;
  givenKey: string | undefined = undefined;
  /** Wall clock; for connections whose start Chrome does not report. */
  readonly seenAt = Date.now();
  /** The recorder of its tab, while the tab is open. */
  traffic: Traffic | undefined;

  constructor(
    readonly sequence: number,
    readonly record: RequestRecord,
    readonly tabId: string,
    traffic: Traffic,
  ) {
    this.version = sequence;
    this.traffic = traffic;
    this.heldBytes = record.heldBytes;
  }

  /** Assigned when the request is first seen, or when it is first listed. */
  get key(): string {
    return this.givenKey ?? '';
  }
}

export class WorkspaceTraffic {
  /** `changed`: a request started or ended. */
  readonly events = new Events<{ changed: WorkspaceRequest }>();
  readonly #redactor: Redactor;
  readonly #limits: WorkspaceLimits;
  readonly #ring: Ring<WorkspaceRequest>;
  readonly #keys: KeyBook;
  readonly #seen = new WeakMap<RequestRecord, WorkspaceRequest>();
  readonly #followed = new WeakSet<Traffic>();
  /** Requests whose key depends on a request body that has not arrived yet. */
  readonly #unnamed = new Set<WorkspaceRequest>();
  readonly #closedBodies = new Map<WorkspaceRequest, Body>();
  #closedBytes = 0;
  #clock = 0;
  #lateSince: number | undefined;

  constructor(redactor: Redactor, limits: Partial<WorkspaceLimits> = {}) {
    this.#redactor = redactor;
    this.#limits = { ...WORKSPACE_LIMITS, ...limits };
    const { requestCount, requestBytes } = this.#limits;
    this.#ring = new Ring({ count: requestCount, bytes: requestBytes }, (seen) =>
      this.#forget(seen),
    );
    this.#keys = new KeyBook(2 * requestCount);
  }

  /** Adds the recorded and all future requests of a tab. */
  follow(traffic: Traffic, tabId: string, { late }: { readonly late: boolean }): void {
    if (this.#followed.has(traffic)) return;
    this.#followed.add(traffic);
    if (late && traffic.startedAt !== undefined)
      this.#lateSince = Math.min(this.#lateSince ?? Infinity, traffic.startedAt);
    for (const record of traffic.requests) this.#see(record, tabId, traffic);
    traffic.events.on('request', (record) => this.#see(record, tabId, traffic));
    traffic.events.on('response', (record) => this.#nameIfKnown(record));
    traffic.events.on('finished', (record) => this.#ended(record));
    traffic.events.on('failed', (record) => this.#ended(record));
  }

  /** Called when the tab is closed: keeps its bodies in memory, up to the limit. */
  leave(traffic: Traffic): void {
    for (const seen of this.#ring) {
      if (seen.traffic !== traffic) continue;
      seen.traffic = undefined;
      const body = traffic.heldBody(seen.record);
      if (body) this.#keepBody(seen, body);
    }
  }

  /** Every recorded request, in order of first sight. */
  requests(): WorkspaceRequest[] {
    for (const seen of this.#unnamed) this.#name(seen);
    return [...this.#ring];
  }

  /** The current version; changes after it have a larger one. */
  get cursor(): number {
    return this.#clock;
  }

  /** Number of requests evicted since the start. */
  get evicted(): number {
    return this.#ring.evicted;
  }

  /** When recording started for a tab that was already open; undefined if no request was missed. */
  get lateSince(): number | undefined {
    return this.#lateSince;
  }

  find(key: string): WorkspaceRequest | undefined {
    return this.requests().find((seen) => seen.key === key);
  }

  /**
   * The key of a request in a followed tab; undefined if it was evicted or its body has not
   * arrived yet.
   */
  keyOf(record: RequestRecord): string | undefined {
    return this.#nameIfKnown(record)?.givenKey;
  }

  /** The body if it is in memory. */
  heldBody(seen: WorkspaceRequest): Body | undefined {
    return seen.traffic ? seen.traffic.heldBody(seen.record) : this.#closedBodies.get(seen);
  }

  async body(seen: WorkspaceRequest, signal?: AbortSignal): Promise<Body> {
    if (seen.traffic) return seen.traffic.body(seen.record, signal);
    return this.#closedBodies.get(seen) ?? { why: explainMissingBody(seen.record) ?? 'gone' };
  }

  #see(record: RequestRecord, tabId: string, traffic: Traffic): void {
    const seen = new WorkspaceRequest(++this.#clock, record, tabId, traffic);
    this.#seen.set(record, seen);
    this.#ring.push(seen);
    this.#unnamed.add(seen);
    this.#nameIfKnown(record);
    if (record.ended) this.#ended(record);
    else this.events.emit('changed', seen);
  }

  /** Assigns the key unless it depends on a request body that has not arrived yet. */
  #nameIfKnown(record: RequestRecord): WorkspaceRequest | undefined {
    const seen = this.#seen.get(record);
    if (seen && record.postData?.why !== 'pending') this.#name(seen);
    return seen;
  }

  #name(seen: WorkspaceRequest): string {
    this.#unnamed.delete(seen);
    if (seen.givenKey !== undefined) return seen.givenKey;
    const { method, url, requestHeaders, postData } = seen.record;
    const base = buildBaseKey({ method, url, requestHeaders, body: postData?.text });
    return (seen.givenKey = this.#keys.give(this.#redactor.text(base)));
  }

  #ended(record: RequestRecord): void {
    const seen = this.#nameIfKnown(record);
    if (!seen) return;
    seen.version = ++this.#clock;
    this.#ring.grow(seen, record.heldBytes - seen.heldBytes);
    this.events.emit('changed', seen);
  }

  #keepBody(seen: WorkspaceRequest, body: Body): void {
    this.#closedBodies.set(seen, body);
    this.#closedBytes += measureBody(body);
    for (const oldest of this.#closedBodies.keys()) {
      if (this.#closedBytes <= this.#limits.closedBodyBytes) break;
      this.#dropBody(oldest);
    }
  }

  #dropBody(seen: WorkspaceRequest): void {
    const body = this.#closedBodies.get(seen);
    if (!body) return;
    this.#closedBodies.delete(seen);
    this.#closedBytes -= measureBody(body);
  }

  #forget(seen: WorkspaceRequest): void {
    this.#unnamed.delete(seen);
    this.#dropBody(seen);
  }
}

const measureBody = ({ text, base64 }: Body): number => (text ?? base64 ?? '').length;
