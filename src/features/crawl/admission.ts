// Decides whether a crawl may request a URL: scope, policy, private networks, robots.txt, files.
import { fileURLToPath } from 'node:url';
import type { CertificateTrust } from '../../browser/guard/certificate-trust.ts';
import type { HostAddresses } from '../../browser/guard/host-addresses.ts';
import type { UpstreamRoutes } from '../../browser/guard/upstream-proxy.ts';
import { Failure } from '../../core/failure.ts';
import type { DomainPolicy } from '../../policy/domains.ts';
import { isPrivateHost } from '../../policy/network-address.ts';
import { isInside } from '../../store/files/allowed-path.ts';
import type { Politeness } from './politeness.ts';
import type { RobotsBook } from './robots.ts';
import { createGuardRefusal, RefusedUrl, type Scope } from './scope.ts';
import type { SessionCookies } from './session-cookies.ts';
import { isSignOut } from './urls.ts';

const WEB_PROTOCOLS = new Set<string>(['http:', 'https:']);

/** The scope and the limits of one crawl. */
export interface Judgement {
  readonly scope: Scope;
  readonly allowPrivate: boolean;
  readonly policy: DomainPolicy;
  /** Resolves names and selects the addresses that the policy allows. */
  readonly names: HostAddresses;
  /** The proxies of the user, through which fetches connect. */
  readonly upstream?: UpstreamRoutes | undefined;
  /** The certificates that the user accepts. */
  readonly trust?: CertificateTrust | undefined;
}

interface AdmissionOptions extends Judgement {
  readonly start: string;
  readonly isSeed: (url: string) => boolean;
  /** Undefined if the crawl ignores robots.txt. */
  readonly robots: RobotsBook | undefined;
  readonly cookies: SessionCookies;
  /** Returns the real path of a file that the call may read; throws for any other file. */
  readonly allowFile: (path: string) => Promise<string>;
  /** Whether the owner's policy allows to read this URL without a question. */
  readonly mayRead: (url: string) => Promise<boolean>;
  readonly politeness: Politeness;
  readonly signal: AbortSignal;
}

export class CrawlAdmission {
  readonly #options: AdmissionOptions;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /**
   * Throws `RefusedUrl` if the crawl must not request this URL. Also called for redirect targets;
   * those of the start page may be out of scope.
   */
  async mayLoad(url: string, { isStart }: { readonly isStart: boolean }): Promise<void> {
    const { hostname, host, protocol } = new URL(url);
    const { scope, allowPrivate, policy, robots, cookies, politeness, signal } = this.#options;
    const mayBeAnywhere = isStart || this.#options.isSeed(url);
    if (protocol === 'file:') return this.#mayLoadFile(url, isStart);
    if (!WEB_PROTOCOLS.has(protocol)) throw new RefusedUrl('scope', url);
    const refusal = policy.judgeUrl(url);
    if (refusal) throw createGuardRefusal(refusal, url);
    if (!(await this.#options.mayRead(url))) throw new RefusedUrl('domain', url);
    if (!allowPrivate && isPrivateHost(hostname)) throw new RefusedUrl('private', url);
    if (!mayBeAnywhere && !scope.holdsPlace(url)) throw new RefusedUrl('scope', url);
    if (!mayBeAnywhere && isSignOut(url) && (await cookies.headerFor(url)) !== undefined)
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
