// Decides which links of a page a crawl follows, and counts the others by reason.
import type { DomainRefusal } from '../../policy/domains.ts';
import { isPrivateHost } from '../../policy/network-address.ts';
import type { Judgement } from './admission.ts';
import { classifyGuardRefusal, type Refusal } from './scope.ts';
import { buildUrlKey, isNotPage } from './urls.ts';

interface LinkFilterOptions extends Pick<Judgement, 'scope' | 'allowPrivate' | 'policy'> {
  readonly start: string;
  /** Reports a link that the domain policy refuses, once per URL. */
  readonly tellRefused: (url: string, refusal: DomainRefusal) => void;
}

export class LinkFilter {
  readonly #options: LinkFilterOptions;
  readonly #refusedOnce = new Set<string>();

  constructor(options: LinkFilterOptions) {
    this.#options = options;
  }

  /**
   * Returns the links to follow and counts the refused ones by reason. Does not check robots.txt:
   * `mayLoad` does that before the request.
   */
  sift(found: readonly string[]): { links: string[]; refused: Partial<Record<Refusal, number>> } {
    const links: string[] = [];
    const refused: Partial<Record<Refusal, number>> = {};
    for (const url of found) {
      const reason = this.#findRefusal(url);
      if (reason === undefined) links.push(url);
      else if (!this.#refusedOnce.has(buildUrlKey(url))) {
        this.#refusedOnce.add(buildUrlKey(url));
        refused[reason] = (refused[reason] ?? 0) + 1;
      }
    }
    return { links, refused };
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
    if (!this.#refusedOnce.has(buildUrlKey(url))) this.#options.tellRefused(url, refusal);
    return classifyGuardRefusal(refusal);
  }
}
