// The queue of URLs to visit: breadth first, each page once, in a deterministic order.
import { buildUrlKey } from './urls.ts';

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
