// The queue of URLs to visit (breadth first, each page once), and the links that a crawl follows.
import { createHash } from 'node:crypto';
import type { DomainRefusal } from '../../policy/domains.ts';
import { isPrivateHost } from '../../policy/network-address.ts';
import type { Judgement } from './admission.ts';
import { classifyGuardRefusal, type Refusal } from './scope.ts';
import { buildUrlKey, isNotPage } from './urls.ts';

// Decides which links of a page a crawl follows, and counts the others by reason.

interface SiftedLinks {
  readonly links: string[];
  readonly refused: Partial<Record<Refusal, number>>;
  /** The links that `refused` counts. */
  readonly refusedLinks: readonly string[];
}

interface LinkFilterOptions extends Pick<Judgement, 'scope' | 'allowPrivate' | 'policy'> {
  readonly start: string;
  /** Reports a link that the domain policy refuses, once per URL. */
  readonly tellRefused: (url: string, refusal: DomainRefusal) => void;
}

export class LinkFilter {
  readonly #options: LinkFilterOptions;
  readonly #refusedOnce = new Set<string>();
  /** Hashes of the links that were refused when another worker led the crawl. */
  readonly #refusedBefore = new Set<string>();

  constructor(options: LinkFilterOptions) {
    this.#options = options;
  }

  /** `hashes`: links that were refused and counted before. */
  skip(hashes: readonly string[]): void {
    for (const hash of hashes) this.#refusedBefore.add(hash);
  }

  /**
   * Returns the links to follow and counts the refused ones by reason. Does not check robots.txt:
   * `mayLoad` does that before the request.
   */
  sift(found: readonly string[]): SiftedLinks {
    const links: string[] = [];
    const refusedLinks: string[] = [];
    const refused: Partial<Record<Refusal, number>> = {};
    for (const url of found) {
      const reason = this.#findRefusal(url);
      if (reason === undefined) links.push(url);
      else if (!this.#wasRefused(url)) {
        this.#refusedOnce.add(buildUrlKey(url));
        refusedLinks.push(url);
        refused[reason] = (refused[reason] ?? 0) + 1;
      }
    }
    return { links, refused, refusedLinks };
  }

  #findRefusal(url: string): Refusal | undefined {
    const { hostname, protocol } = new URL(url);
    const { scope, allowPrivate, policy, start } = this.#options;
    const refusal = policy.judgeUrl(url);
    if (refusal) return this.#reportRefusedLink(url, refusal);
    if (
      protocol === 'file:' ? !start.startsWith('file:') : !allowPrivate && isPrivateHost(hostname)
    )
      return 'private';
    if (!scope.holds(url)) return 'scope';
    return isNotPage(url) ? 'type' : undefined;
  }

  #reportRefusedLink(url: string, refusal: DomainRefusal): Refusal {
    if (!this.#wasRefused(url)) this.#options.tellRefused(url, refusal);
    return classifyGuardRefusal(refusal);
  }

  #wasRefused(url: string): boolean {
    if (this.#refusedOnce.has(buildUrlKey(url))) return true;
    return this.#refusedBefore.size > 0 && this.#refusedBefore.has(hashUrl(url));
  }
}

export const hashUrl = (url: string): string =>
  createHash('sha256').update(buildUrlKey(url)).digest('hex').slice(0, 24);

export interface Visit {
  /** Position in the visiting order. */
  readonly n: number;
  readonly url: string;
  readonly depth: number;
}

interface FrontierOptions {
  readonly maxDepth: number;
  /** Number of the first visit; a resumed crawl continues the numbers of the earlier one. */
  readonly from?: number;
}

/** Number of URLs remembered per crawl; further ones are dropped. */
const MAX_KNOWN = 500_000;

export class Frontier {
  readonly #maxDepth: number;
  readonly #known = new Set<string>();
  #waiting: Visit[] = [];
  #taken = 0;
  #next: number;
  /**
   * Number of the visit whose links are queued next. `#ended` has the links of later visits that
   * ended earlier.
   */
  #turn: number;
  readonly #ended = new Map<number, readonly string[]>();
  readonly #depths = new Map<number, number>();
  /** Number of links that exceed `maxDepth`. */
  tooDeep = 0;

  constructor({ maxDepth, from = 0 }: FrontierOptions) {
    this.#maxDepth = maxDepth;
    this.#next = from;
    this.#turn = from;
  }

  get waiting(): number {
    return this.#waiting.length - this.#taken;
  }

  /** Whether the URL was queued or visited. */
  knows(url: string): boolean {
    return this.#known.has(buildUrlKey(url));
  }

  /** Returns true if the URL is new. */
  remember(url: string): boolean {
    const key = buildUrlKey(url);
    if (this.#known.has(key) || this.#known.size >= MAX_KNOWN) return false;
    this.#known.add(key);
    return true;
  }

  offer(url: string, depth: number): void {
    if (depth > this.#maxDepth) {
      if (!this.knows(url)) this.tooDeep++;
    } else if (this.remember(url)) this.#waiting.push({ n: this.#next++, url, depth });
  }

  take(): Visit | undefined {
    const visit = this.#waiting[this.#taken];
    if (!visit) return undefined;
    this.#depths.set(visit.n, visit.depth);
    if (++this.#taken > 1000) {
      this.#waiting = this.#waiting.slice(this.#taken);
      this.#taken = 0;
    }
    return visit;
  }

  /**
   * Ends the waiting visits whose links are known, in their order; the others stay in the queue with
   * the numbers that they got.
   */
  replay(findLinks: (visit: Visit) => readonly string[] | undefined): void {
    const open: Visit[] = [];
    for (let visit = this.take(); visit; visit = this.take()) {
      const links = findLinks(visit);
      if (links) this.end(visit, links);
      else open.push(visit);
    }
    this.#waiting = open;
    this.#taken = 0;
  }

  /**
   * Ends a visit. Its links are queued after those of all earlier visits, so that the order is
   * deterministic.
   */
  end({ n }: Visit, links: readonly string[]): void {
    this.#ended.set(n, links);
    for (let found = this.#ended.get(this.#turn); found; found = this.#ended.get(this.#turn)) {
      const depth = this.#depths.get(this.#turn) ?? 0;
      this.#ended.delete(this.#turn);
      this.#depths.delete(this.#turn);
      this.#turn++;
      for (const url of found) this.offer(url, depth + 1);
    }
  }
}
