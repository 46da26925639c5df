// Which addresses a crawl may go to: asked of every link that is found, and again before anything
// is asked of its host.
import { fileURLToPath } from 'node:url';
import { Failure } from '../../core/failure.ts';
import type { DomainPolicy, DomainRefusal } from '../../policy/domains.ts';
import { isInside } from '../../store/files/allowed-path.ts';
import type { Politeness } from './politeness.ts';
import { isPrivateHost } from '../../policy/network-address.ts';
import { type Refusal, classifyGuardRefusal, Refused, createGuardRefusal } from './refusal.ts';
import type { RobotsBook } from './robots-book.ts';
import type { Scope } from './scope.ts';
import type { SessionCookies } from './session-cookies.ts';
import { isNotPage, isSignOut, buildUrlKey } from './urls.ts';

/** What the call that asked for the crawl may reach, and what it wants to. */
export interface Judgement {
  readonly scope: Scope;
  readonly allowPrivate: boolean;
  readonly policy: DomainPolicy;
}

interface AdmissionOptions extends Judgement {
  readonly start: string;
  readonly seeds: ReadonlySet<string>;
  /** Undefined where robots.txt is not to be respected. */
  readonly robots: RobotsBook | undefined;
  readonly cookies: SessionCookies;
  /** The real path of a file that the call may read; a failure for any other. */
  readonly allowFile: (path: string) => Promise<string>;
  readonly politeness: Politeness;
  readonly signal: AbortSignal;
  /** Tells of a link that the guard refuses; once for each. */
  readonly tellRefused: (url: string, refusal: DomainRefusal) => void;
}

export class Admission {
  readonly #asked: AdmissionOptions;
  readonly #refusedOnce = new Set<string>();

  constructor(asked: AdmissionOptions) {
    this.#asked = asked;
  }

  /**
   * The links that may be followed, and how many may not; what robots.txt says is asked when their
   * turn comes.
   */
  sift(found: readonly string[]): { links: string[]; refused: Partial<Record<Refusal, number>> } {
    const links: string[] = [];
    const refused: Partial<Record<Refusal, number>> = {};
    for (const url of found) {
      const reason = this.#refusalOf(url);
      if (reason === undefined) links.push(url);
      else if (!this.#refusedOnce.has(buildUrlKey(url))) {
        this.#refusedOnce.add(buildUrlKey(url));
        refused[reason] = (refused[reason] ?? 0) + 1;
      }
    }
    return { links, refused };
  }

  #refusalOf(url: string): Refusal | undefined {
    const { hostname, protocol } = new URL(url);
    const { scope, allowPrivate, policy, start } = this.#asked;
    const refusal = policy.judgeUrl(url);
    if (refusal) return this.#tellRefusedLink(url, refusal);
    if (
      protocol === 'file:' ? !start.startsWith('file:') : !allowPrivate && isPrivateHost(hostname)
    )
      return 'private';
    if (!scope.holds(url)) return 'scope';
    return isNotPage(url) ? 'type' : undefined;
  }

  #tellRefusedLink(url: string, refusal: DomainRefusal): Refusal {
    if (!this.#refusedOnce.has(buildUrlKey(url))) this.#asked.tellRefused(url, refusal);
    return classifyGuardRefusal(refusal);
  }

  /**
   * Judges an address before anything is asked of its host, the targets of redirects too. Where the
   * start leads to is part of what was asked for.
   */
  async mayLoad(url: string, { isStart }: { readonly isStart: boolean }): Promise<void> {
    const { hostname, host, protocol } = new URL(url);
    const { scope, allowPrivate, policy, seeds, robots, cookies, politeness, signal } = this.#asked;
    if (protocol === 'file:') return this.#mayLoadFile(url, isStart);
    if (protocol !== 'http:' && protocol !== 'https:') throw new Refused('scope', url);
    const refusal = policy.judgeUrl(url);
    if (refusal) throw createGuardRefusal(refusal, url);
    if (!allowPrivate && isPrivateHost(hostname)) throw new Refused('private', url);
    if (!isStart && !scope.holdsPlace(url) && !seeds.has(url)) throw new Refused('scope', url);
    if (
      !isStart &&
      !seeds.has(url) &&
      isSignOut(url) &&
      (await cookies.headerFor(url)) !== undefined
    )
      throw new Refused('sign_out', url);
    if (!robots) return;
    const rules = await robots.of(url, signal);
    if (rules.delayMs !== undefined) politeness.wish(host, rules.delayMs);
    if (!rules.allows(url)) throw new Refused('robots', url);
  }

  /**
   * Files lead to files of their own folder, and below: by their real paths, because a link may
   * lead anywhere.
   */
  async #mayLoadFile(url: string, isStart: boolean): Promise<void> {
    const { start, allowFile } = this.#asked;
    if (!start.startsWith('file:')) throw new Refused('private', url);
    const folder = new URL('.', start);
    if (!url.startsWith(folder.href)) throw new Refused('scope', url);
    const [real, realFolder] = await Promise.all([
      allowFile(fileURLToPath(url)),
      allowFile(fileURLToPath(folder)),
    ]).catch((error: unknown) => {
      throw error instanceof Failure ? new Refused('scope', url) : error;
    });
    if (!isStart && !isInside(real, realFolder)) throw new Refused('scope', url);
  }
}
