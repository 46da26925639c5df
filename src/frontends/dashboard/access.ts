// Access of viewers: one-time tickets in URLs, exchanged for a signed cookie and a key of the page.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { createSecretToken } from '../../core/ids.ts';

/** How long a ticket can be used, except the one of the server's start. */
const TICKET_MS = 10 * 60_000;
const COOKIE_SECONDS = 7 * 24 * 60 * 60;
const MAX_TICKETS = 100;

/** Programs on other ports of this host receive the cookie, but not the key. */
interface ViewerAccess {
  /** The value of the Set-Cookie header. */
  readonly cookie: string;
  /** The page keeps it in the storage of its origin, and sends it with each request. */
  readonly key: string;
}

/** What a request contains besides its cookies. */
interface AccessProof {
  readonly key?: string | undefined;
  /** The port of the server that received the request. */
  readonly port: number;
  /** The path of a link, with its query but without its signature. */
  readonly link?: string | undefined;
  readonly signature?: string | undefined;
}

export class Access {
  readonly #key: string;
  readonly #now: () => number;
  readonly #cookieName: string;
  /** Tickets that were not used yet, with the time of their end. */
  readonly #tickets = new Map<string, number>();

  constructor(key: string, now: () => number = Date.now) {
    this.#key = key;
    this.#now = now;
    // Cookies have no port: servers of other homes on this machine need other names.
    this.#cookieName = `openchrome_${this.#sign('name').slice(0, 8)}`;
  }

  createTicket(validMs = TICKET_MS): string {
    const ticket = createSecretToken();
    this.addTicket(ticket, validMs);
    return ticket;
  }

  /** Accepts a ticket that was created before the key was loaded. */
  addTicket(ticket: string, validMs: number): void {
    this.#removeOldTickets();
    this.#tickets.set(ticket, this.#now() + validMs);
  }

  /** `port` is that of the request. Undefined if the ticket is used or unknown. */
  redeem(ticket: string, port: number): ViewerAccess | undefined {
    const endsAt = this.#tickets.get(ticket);
    this.#tickets.delete(ticket);
    if (endsAt === undefined || endsAt < this.#now()) return undefined;
    const expires = String(this.#now() + COOKIE_SECONDS * 1000);
    const value = `${expires}.${this.#sign(expires)}`;
    const attributes = `Path=/; Max-Age=${COOKIE_SECONDS}; HttpOnly; SameSite=Strict`;
    return { cookie: `${this.#cookieName}=${value}; ${attributes}`, key: this.#signPort(port) };
  }

  /** Adds a signature to a path, so that a viewer can open it as a page without the key. */
  signLink(path: string): string {
    return `${path}&signature=${this.#signPath(path)}`;
  }

  /** Whether the request has a valid cookie, and its key or the signature of its path. */
  admits(
    { cookie = '' }: IncomingHttpHeaders,
    { key, port, link, signature }: AccessProof,
  ): boolean {
    const prefix = `${this.#cookieName}=`;
    const hasCookie = cookie
      .split(';')
      .map((pair) => pair.trim())
      .filter((pair) => pair.startsWith(prefix))
      .some((pair) => this.#isValid(pair.slice(prefix.length)));
    const isSigned = link !== undefined && isEqual(signature, this.#signPath(link));
    return hasCookie && (isSigned || isEqual(key, this.#signPort(port)));
  }

  #isValid(value: string): boolean {
    const [expires = '', signature = ''] = value.split('.');
    return isEqual(signature, this.#sign(expires)) && Number(expires) > this.#now();
  }

  /**
   * The key of the page, which is the same for all viewers. A program that listens on the port after
   * the server has ended receives it: it is not valid for the servers at other ports.
   */
  #signPort(port: number): string {
    return this.#sign(`page key ${port}`);
  }

  #signPath(path: string): string {
    return this.#sign(`link ${path}`);
  }

  #sign(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('hex');
  }

  #removeOldTickets(): void {
    for (const [ticket, endsAt] of this.#tickets)
      if (endsAt < this.#now() || this.#tickets.size >= MAX_TICKETS) this.#tickets.delete(ticket);
  }
}

/** Takes the same time for all texts of one length. */
const isEqual = (given: string | undefined, expected: string): boolean => {
  const [one, other] = [Buffer.from(given ?? ''), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
};
