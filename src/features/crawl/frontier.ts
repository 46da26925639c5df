// The frontier of a crawl: what is still to be visited, breadth first, each page once, in an order
// that does not depend on who answers first.
import { buildUrlKey } from './urls.ts';

export interface Visit {
  /** Its place in the order of the crawl. */
  readonly n: number;
  readonly url: string;
  readonly depth: number;
}

interface FrontierOptions {
  readonly maxDepth: number;
  /** Where the count of visits begins: after those of a crawl that is continued. */
  readonly from?: number;
}

/** However many links a site has, no more pages than this are remembered. */
const MAX_KNOWN = 500_000;

export class Frontier {
  readonly #maxDepth: number;
  readonly #known = new Set<string>();
  #waiting: Visit[] = [];
  #taken = 0;
  #next: number;
  /** The visit whose links come next, and those of later ones that ended before it. */
  #turn: number;
  readonly #ended = new Map<number, readonly string[]>();
  readonly #depths = new Map<number, number>();
  /** Links that lie deeper than the crawl goes. */
  tooDeep = 0;

  constructor({ maxDepth, from = 0 }: FrontierOptions) {
    this.#maxDepth = maxDepth;
    this.#next = from;
    this.#turn = from;
  }

  get waiting(): number {
    return this.#waiting.length - this.#taken;
  }

  /** Whether somebody has been there, or is on the way. */
  knows(url: string): boolean {
    return this.#known.has(buildUrlKey(url));
  }

  /** True when it was not known before. */
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

  /** A visit came to its end: its links stand in line once all earlier visits have ended too. */
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
