// Decides which URLs are in scope, and names the reasons why a crawl does not visit a URL.
import { fail } from '../../core/failure.ts';
import { ANY, type Glob, matchesGlob, parsePathGlob, PART } from '../../core/glob.ts';
import type { DomainRefusal } from '../../policy/domains.ts';
import type { ScopeKind } from './crawl-options.ts';

interface ScopeOptions {
  readonly kind: ScopeKind;
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  /** `www.a.co.uk` -> `a.co.uk`; null for IP addresses. */
  readonly registrableDomain: (host: string) => string | null;
}

export class Scope {
  readonly #options: ScopeOptions;
  readonly #bases = new Set<string>();
  readonly #include: readonly Glob[];
  readonly #exclude: readonly Glob[];

  constructor(options: ScopeOptions) {
    this.#options = options;
    this.#include = options.include.map(toGlob);
    this.#exclude = options.exclude.map(toGlob);
  }

  get kind(): ScopeKind {
    return this.#options.kind;
  }

  /**
   * Whether both URLs have the same registrable domain. Hosts without one must have the same
   * origin.
   */
  isOneSite(one: string, other: string): boolean {
    const [a, b] = [new URL(one), new URL(other)];
    if (a.origin === b.origin) return true;
    const domain = this.#options.registrableDomain(a.hostname);
    return domain !== null && domain === this.#options.registrableDomain(b.hostname);
  }

  /**
   * Adds the origin, host or domain of a URL to the scope: the start URL and its redirect target.
   */
  addBase(address: string): void {
    this.#bases.add(this.#findBase(new URL(address)));
  }

  /** The origins, hosts or domains that are in scope. */
  get places(): readonly string[] {
    return [...this.#bases];
  }

  addPlaces(places: readonly string[]): void {
    for (const place of places) this.#bases.add(place);
  }

  /** Whether the scope and the globs allow a link. */
  holds(address: string): boolean {
    return (
      this.holdsPlace(address) &&
      !matchesAny(this.#exclude, address) &&
      (this.#include.length === 0 || matchesAny(this.#include, address))
    );
  }

  /** Whether the URL is in scope, without regard to the globs. */
  holdsPlace(address: string): boolean {
    return this.#options.kind === 'any' || this.#bases.has(this.#findBase(new URL(address)));
  }

  #findBase(url: URL): string {
    if (url.protocol === 'file:') return url.protocol;
    const { kind, registrableDomain } = this.#options;
    const bases: Partial<Record<typeof kind, string>> = { origin: url.origin, host: url.hostname };
    return bases[kind] ?? registrableDomain(url.hostname) ?? url.hostname;
  }
}

const matchesAny = (globs: readonly Glob[], address: string): boolean => {
  const { pathname, search } = new URL(address);
  const texts = [address, pathname + search, pathname].map((text) => text.toLowerCase());
  return globs.some((glob) => texts.some((text) => matchesGlob(glob, text)));
};

const MAX_WILDCARDS = 10;

/** `*` matches within a path segment, `**` matches across segments; case-insensitive. */
const toGlob = (pattern: string): Glob => {
  const glob = parsePathGlob(pattern.toLowerCase());
  if (glob.filter((token) => token === ANY || token === PART).length > MAX_WILDCARDS)
    throw fail('invalid_argument', `"${pattern.slice(0, 100)}" has too many wildcards.`, {
      argument: 'include',
    });
  return glob;
};

// The reasons why a crawl does not visit a URL that was linked or redirected to.

export const REFUSALS = ['robots', 'scope', 'private', 'domain', 'type', 'sign_out'] as const;
/**
 * `domain`: refused by a domain list of the server or task. `type`: images, videos, archives and
 * page resources, by file extension. `sign_out`: a link that would end the session whose cookies
 * the crawl sends.
 */
export type Refusal = (typeof REFUSALS)[number];

export class RefusedUrl extends Error {
  override readonly name = 'Refused';
  constructor(
    readonly reason: Refusal,
    readonly url: string,
    /** The refusal of the domain policy, if it refused the URL. */
    readonly byGuard?: DomainRefusal,
  ) {
    super(`${url} is not allowed: ${reason}`);
  }
}

export const createGuardRefusal = (refusal: DomainRefusal, url: string): RefusedUrl =>
  new RefusedUrl(classifyGuardRefusal(refusal), url, refusal);

const PRIVATE_REASONS: ReadonlySet<DomainRefusal['reason']> = new Set([
  'private_address',
  'this_machine',
  'metadata',
]);

export const classifyGuardRefusal = ({ reason }: DomainRefusal): Refusal =>
  PRIVATE_REASONS.has(reason) ? 'private' : 'domain';
