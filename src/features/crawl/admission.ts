// Decides which URLs a crawl may visit, and how fast it visits the pages of a host.
import { fileURLToPath } from 'node:url';
import type { CertificateTrust } from '../../browser/guard/certificate-trust.ts';
import type { UpstreamRoutes } from '../../browser/guard/upstream-proxy.ts';
import { Failure } from '../../core/failure.ts';
import { monotonicMs, sleep } from '../../core/time.ts';
import type { DomainPolicy, DomainRefusal } from '../../policy/domains.ts';
import { isPrivateHost } from '../../policy/network-address.ts';
import { isInside } from '../../store/files/allowed-path.ts';
import type { RobotsBook } from './robots.ts';
import {
  classifyGuardRefusal,
  createGuardRefusal,
  type Refusal,
  RefusedUrl,
  type Scope,
} from './scope.ts';
import type { SessionCookies } from './session-cookies.ts';
import { buildUrlKey, isNotPage, isSignOut } from './urls.ts';

// Limits the request rate per host by the caller's delay and the host's crawl-delay.

/** Upper limit for the crawl-delay of a robots.txt. */
const MAX_DELAY_MS = 30_000;

export class Politeness {
  readonly #delayOf: (host: string) => number;
  readonly #wishes = new Map<string, number>();
  /** Time of the next allowed request, by host. */
  readonly #freeAt = new Map<string, number>();

  constructor(delayOf: (host: string) => number) {
    this.#delayOf = delayOf;
  }

  /** Sets the crawl-delay of a host. */
  wish(host: string, delayMs: number): void {
    this.#wishes.set(host, Math.min(delayMs, MAX_DELAY_MS));
  }

  /** Pauses requests to a host, for example after a Retry-After header. */
  rest(host: string, ms: number): void {
    this.#freeAt.set(host, Math.max(this.#freeAt.get(host) ?? 0, monotonicMs() + ms));
  }

  /** Waits until the next request to the host is allowed. */
  async turn(host: string, signal: AbortSignal): Promise<void> {
    for (;;) {
      const waitMs = (this.#freeAt.get(host) ?? 0) - monotonicMs();
      if (waitMs <= 0) break;
      await sleep(waitMs, signal);
    }
    signal.throwIfAborted();
    this.#freeAt.set(
      host,
      monotonicMs() + Math.max(this.#delayOf(host), this.#wishes.get(host) ?? 0),
    );
  }
}

const WEB_PROTOCOLS = new Set<string>(['http:', 'https:']);

/** The scope and the limits of one crawl. */
export interface Judgement {
  readonly scope: Scope;
  readonly allowPrivate: boolean;
  readonly policy: DomainPolicy;
  /** The proxies of the user, through which fetches connect. */
  readonly upstream?: UpstreamRoutes | undefined;
  /** The certificates that the user accepts. */
  readonly trust?: CertificateTrust | undefined;
}

interface AdmissionOptions extends Judgement {
  readonly start: string;
  readonly seeds: ReadonlySet<string>;
  /** Undefined if the crawl ignores robots.txt. */
  readonly robots: RobotsBook | undefined;
  readonly cookies: SessionCookies;
  /** Returns the real path of a file that the call may read; throws for any other file. */
  readonly allowFile: (path: string) => Promise<string>;
  /** Whether the owner's policy allows to read this URL without a question. */
  readonly mayRead: (url: string) => Promise<boolean>;
  readonly politeness: Politeness;
  readonly signal: AbortSignal;
  /** Reports a link that the domain policy refuses, once per URL. */
  readonly tellRefused: (url: string, refusal: DomainRefusal) => void;
}

export class CrawlAdmission {
  readonly #options: AdmissionOptions;
  readonly #refusedOnce = new Set<string>();

  constructor(options: AdmissionOptions) {
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

  /**
   * Throws `RefusedUrl` if the crawl must not request this URL. Also called for redirect targets;
   * those of the start page may be out of scope.
   */
  async mayLoad(url: string, { isStart }: { readonly isStart: boolean }): Promise<void> {
    const { hostname, host, protocol } = new URL(url);
    const { scope, allowPrivate, policy, seeds, robots, cookies, politeness, signal } =
      this.#options;
    if (protocol === 'file:') return this.#mayLoadFile(url, isStart);
    if (!WEB_PROTOCOLS.has(protocol)) throw new RefusedUrl('scope', url);
    const refusal = policy.judgeUrl(url);
    if (refusal) throw createGuardRefusal(refusal, url);
    if (!(await this.#options.mayRead(url))) throw new RefusedUrl('domain', url);
    if (!allowPrivate && isPrivateHost(hostname)) throw new RefusedUrl('private', url);
    if (!isStart && !scope.holdsPlace(url) && !seeds.has(url)) throw new RefusedUrl('scope', url);
    if (
      !isStart &&
      !seeds.has(url) &&
      isSignOut(url) &&
      (await cookies.headerFor(url)) !== undefined
    )
      throw new RefusedUrl('sign_out', url);
    if (!robots) return;
    const rules = await robots.of(url, signal);
    if (rules.delayMs !== undefined) politeness.wish(host, rules.delayMs);
    if (!rules.allows(url)) throw new RefusedUrl('robots', url);
  }

  /**
   * A file may only link to files in the start's folder and below. Compares real paths because a
   * symbolic link can point outside.
   */
  async #mayLoadFile(url: string, isStart: boolean): Promise<void> {
    const { start, allowFile } = this.#options;
    if (!start.startsWith('file:')) throw new RefusedUrl('private', url);
    const folder = new URL('.', start);
    if (!url.startsWith(folder.href)) throw new RefusedUrl('scope', url);
    const [real, realFolder] = await Promise.all([
      allowFile(fileURLToPath(url)),
      allowFile(fileURLToPath(folder)),
    ]).catch((error: unknown) => {
      throw error instanceof Failure ? new RefusedUrl('scope', url) : error;
    });
    if (!isStart && !isInside(real, realFolder)) throw new RefusedUrl('scope', url);
  }
}
