// Access of viewers: one-time tickets in URLs, exchanged for signed cookies.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { createSecretToken } from '../../core/ids.ts';

/** How long a ticket can be used, except the one of the server's start. */
const TICKET_MS = 10 * 60_000;
const COOKIE_SECONDS = 7 * 24 * 60 * 60;
const MAX_TICKETS = 100;

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

  /** Returns the value of the Set-Cookie header; undefined if the ticket is used or unknown. */
  redeem(ticket: string): string | undefined {
    const endsAt = this.#tickets.get(ticket);
    this.#tickets.delete(ticket);
    if (endsAt === undefined || endsAt < this.#now()) return undefined;
    const expires = String(this.#now() + COOKIE_SECONDS * 1000);
    const value = `${expires}.${this.#sign(expires)}`;
    const attributes = `Path=/; Max-Age=${COOKIE_SECONDS}; HttpOnly; SameSite=Strict`;
    return `${this.#cookieName}=${value}; ${attributes}`;
  }

  /** Whether the request has a valid cookie. */
  admits({ cookie = '' }: IncomingHttpHeaders): boolean {
    const prefix = `${this.#cookieName}=`;
    return cookie
      .split(';')
      .map((pair) => pair.trim())
      .filter((pair) => pair.startsWith(prefix))
      .some((pair) => this.#isValid(pair.slice(prefix.length)));
  }

  #isValid(value: string): boolean {
    const [expires = '', signature = ''] = value.split('.');
    const expected = Buffer.from(this.#sign(expires));
    const given = Buffer.from(signature);
    const isSigned = given.length === expected.length && timingSafeEqual(given, expected);
    return isSigned && Number(expires) > this.#now();
  }

  #sign(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('hex');
  }

  #removeOldTickets(): void {
    for (const [ticket, endsAt] of this.#tickets)
      if (endsAt < this.#now() || this.#tickets.size >= MAX_TICKETS) this.#tickets.delete(ticket);
  }
}
