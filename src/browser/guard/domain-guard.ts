// The domain guard of one engine: its policy, its proxies, and the event that reports refusals.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { LookupAddress } from 'node:dns';
import type { Socket } from 'node:net';
import { defined } from '../../core/defined.ts';
import { Events } from '../../core/events.ts';
import { fail } from '../../core/failure.ts';
import { after } from '../../core/time.ts';
import { DomainPolicy, type DomainRefusal } from '../../policy/domains.ts';
import { BoundedMap } from '../traffic/bounded-collections.ts';
import { Admission, formatHostPort } from './admission.ts';
import type { CertificateTrust } from './certificate-trust.ts';
import type { ConnectionTarget, HostAddresses } from './host-addresses.ts';
import type { FilterProxy, Unreached } from './filter-proxy.ts';
import { buildProxyFlags } from './proxy-flags.ts';
import type { TlsBridge } from './tls-bridge.ts';
import type { ProxyScheme, UpstreamRoutes } from './upstream-proxy.ts';

/** A request that the guard blocked. */
export interface GuardRefusal {
  /** The kind of request: navigation, frame, fetch, websocket, crawl, … */
  readonly what: string;
  readonly url: string;
  readonly refusal: DomainRefusal;
  readonly tabId?: string;
  /** Set if the URL is that of the tab's main document, not of a subresource. */
  readonly ofPage?: true;
}

/** A refusal with the number of refusals of this kind so far. */
export type CountedRefusal = GuardRefusal & { readonly times: number };

interface DomainGuardOptions {
  readonly policy?: DomainPolicy;
  /** Resolves a host name; the system's resolver by default. */
  readonly lookUp?: (name: string) => Promise<readonly LookupAddress[]>;
  /** Replaces an address after the policy allowed it; for tests. */
  readonly route?: (address: string) => string;
  /** Loads the proxies of the user; undefined if there are none. */
  readonly loadUpstream?: () => Promise<UpstreamRoutes>;
  /** Loads the certificates that the user accepts; undefined if there are none. */
  readonly loadTrust?: () => Promise<CertificateTrust>;
}

interface OpenProxy {
  readonly flags: readonly string[];
  isListening(): boolean;
  close(): void;
}

/** Maximum number of hosts in each bounded map. */
const KEPT_HOSTS = 500;
/**
 * Time within which a tab reports a failed request. A refused connection that no tab claims by
 * then was opened by Chrome itself.
 */
const UNCLAIMED_MS = 2_000;

const HTTPS_PORT = 443;
/** How long the connection of a probe may take. */
const PROBE_MS = 5_000;

/** Refusals of one kind that are reported individually. */
const TOLD_EACH = 20;

interface ConnectOutcome extends Unreached {
  claimed: boolean;
}

export class DomainGuard {
  readonly #options: DomainGuardOptions;
  readonly policy: DomainPolicy;
  readonly events = new Events<{ refused: CountedRefusal }>();
  readonly #counts = new BoundedMap<string, number>(KEPT_HOSTS);
  /**
   * The domains that the task of the current call allows. Async context only: event listeners do
   * not run in it.
   */
  readonly #call = new AsyncLocalStorage<readonly string[]>();
  readonly #outcomes = new BoundedMap<string, ConnectOutcome>(KEPT_HOSTS);
  readonly #proxies = new Set<FilterProxy>();
  #names: Promise<HostAddresses> | undefined;
  #upstream: Promise<UpstreamRoutes | undefined> | undefined;
  #trust: Promise<CertificateTrust | undefined> | undefined;
  /** Matches connections with the tabs that request them. */
  readonly admission = new Admission();
  /** Allowed domains by tab id. A popup inherits those of its opener when it is created. */
  readonly narrowings = new Map<string, readonly string[]>();

  constructor(options: DomainGuardOptions = {}) {
    this.#options = options;
    this.policy = options.policy ?? new DomainPolicy();
  }

  /** Runs `work` for a call whose task allows only these domains. */
  within<T>(domains: readonly string[], work: () => Promise<T>): Promise<T> {
    return this.#call.run(domains, work);
  }

  /** The domains that the task of the current call allows. */
  get callDomains(): readonly string[] | undefined {
    return this.#call.getStore();
  }

  /** The policy of the current call. */
  get current(): DomainPolicy {
    return this.policyFor(this.callDomains);
  }

  policyFor(domains: readonly string[] | undefined): DomainPolicy {
    return domains ? this.policy.narrowed(domains) : this.policy;
  }

  /** Whether a proxy that checks every connection of our Chrome is listening. */
  get isProxied(): boolean {
    return [...this.#proxies].some(({ isListening }) => isListening);
  }

  /** Starts the proxy for one Chrome and returns the flags that make Chrome use it. */
  async openProxy(start: typeof FilterProxy.start): Promise<OpenProxy> {
    const names = await this.names();
    const upstream = await this.upstream();
    const { bridge, flags } = await this.#openBridge();
    const options = {
      policy: this.policy,
      admit: (host: string, port: number) => this.admission.judge(host, port),
      onUnreached: (unreached: Unreached) => this.#unreached(unreached),
      ...{ names, upstream, bridge },
    };
    // Chrome's requests to a SOCKS proxy do not contain the scheme, so each scheme has a port.
    const schemes: readonly ProxyScheme[] = upstream ? ['https', 'http'] : ['https'];
    const starting = Promise.all(schemes.map((scheme) => start(defined({ ...options, scheme }))));
    const proxies = await starting.catch((error: unknown) => {
      throw fail(
        'control_failed',
        `The guard's proxy could not be started: ${String(error)}.`,
        {},
        error,
      );
    });
    for (const proxy of proxies) this.#proxies.add(proxy);
    const close = (): void => {
      for (const proxy of proxies) {
        this.#proxies.delete(proxy);
        proxy.close();
      }
      bridge?.close();
    };
    const [port = 0, httpPort] = proxies.map((proxy) => proxy.port);
    return {
      flags: [...buildProxyFlags(port, this.policy, httpPort), ...flags],
      isListening: () => proxies.every((proxy) => proxy.isListening),
      close,
    };
  }

  /** Resolves names and judges addresses for every connection; loaded on first use. */
  names(): Promise<HostAddresses> {
    this.#names ??= import('./host-addresses.ts').then(
      (module) => new module.HostAddresses(this.#options),
    );
    return this.#names;
  }

  /** The proxies of the user, loaded on first use; undefined if there are none. */
  upstream(): Promise<UpstreamRoutes | undefined> {
    this.#upstream ??= this.#options.loadUpstream?.() ?? Promise.resolve(undefined);
    return this.#upstream;
  }

  /** The certificates that the user accepts, loaded on first use; undefined if there are none. */
  trust(): Promise<CertificateTrust | undefined> {
    this.#trust ??= this.#options.loadTrust?.() ?? Promise.resolve(undefined);
    return this.#trust;
  }

  /**
   * Whether the server of an https URL requests a client certificate. Opens one connection to it, by
   * the rules of Chrome's connections; false if that fails.
   */
  async requestsClientCertificate(url: string): Promise<boolean> {
    const { protocol, hostname, port } = new URL(url);
    if (protocol !== 'https:' || this.current.judgeUrl(url)) return false;
    const target = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || HTTPS_PORT };
    try {
      const { probeClientCertificate } = await import('./certificate-probe.ts');
      return await probeClientCertificate(await this.#connect(target), target);
    } catch {
      return false; // the connection fails: Chrome's own error is reported
    }
  }

  async #connect(target: ConnectionTarget): Promise<Socket> {
    const [names, upstream] = await Promise.all([this.names(), this.upstream()]);
    const { dialAddresses } = await import('./host-addresses.ts');
    const mayBeUnknown = upstream?.resolvesNames;
    const addresses = await names.findAllowed(target, { policy: this.current, mayBeUnknown });
    const dial = (): Promise<Socket> => dialAddresses(target, addresses, { timeoutMs: PROBE_MS });
    return upstream ? upstream.connect({ ...target, scheme: 'https', addresses, dial }) : dial();
  }

  async #openBridge(): Promise<{ bridge?: TlsBridge; flags: readonly string[] }> {
    const trust = await this.trust();
    if (!trust || (trust.insecure && trust.clients.length === 0)) return { flags: [] };
    const { TlsBridge: Bridge } = await import('./tls-bridge.ts');
    const bridge = new Bridge(trust, ({ host, port }, code) => {
      if (code === undefined) this.#outcomes.delete(`${host}:${port}`);
      else this.#unreached({ host, port, code });
    });
    return { bridge, flags: await bridge.start(this.policy) };
  }

  /**
   * Why the last connection to the URL's host failed. Marks that failure as claimed by a request.
   */
  outcomeFor(url: string): Unreached | undefined {
    const outcome = this.#outcomes.get(formatHostPort(url));
    if (outcome) outcome.claimed = true;
    return outcome;
  }

  /**
   * Emits the first `TOLD_EACH` refusals of each kind; after that only the counts that are powers
   * of two.
   */
  refuse(refused: GuardRefusal): void {
    const { what, tabId = '', refusal } = refused;
    const key = `${tabId} ${what} ${refusal.host} ${refusal.reason}`;
    const times = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, times);
    if (times <= TOLD_EACH || Number.isInteger(Math.log2(times)))
      this.events.emit('refused', { ...refused, times });
  }

  #unreached(unreached: Unreached): void {
    const outcome: ConnectOutcome = { ...unreached, claimed: false };
    const { host, port, refusal } = unreached;
    this.#outcomes.set(`${host}:${port}`, outcome);
    if (!refusal) return;
    after(UNCLAIMED_MS, () => {
      if (!outcome.claimed) this.refuse({ what: 'connection', url: `${host}:${port}`, refusal });
    });
  }
}
