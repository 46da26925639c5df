// Decides which links of a page a crawl follows, and counts the others by reason.
import { createHash } from 'node:crypto';
import type { DomainRefusal } from '../../policy/domains.ts';
import { isPrivateHost } from '../../policy/network-address.ts';
import type { Judgement } from './admission.ts';
import { classifyGuardRefusal, type Refusal } from './scope.ts';
import { buildUrlKey, isNotPage } from './urls.ts';

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
