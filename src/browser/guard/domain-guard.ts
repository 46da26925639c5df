// The domain guard of one engine: the policy, the proxy that holds Chrome to it, and everybody's
// place to report a refusal.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { LookupAddress } from 'node:dns';
import { Events } from '../../core/events.ts';
import { fail } from '../../core/failure.ts';
import { after } from '../../core/time.ts';
import { DomainPolicy, type DomainRefusal } from '../../policy/domains.ts';
import { BoundedMap } from '../traffic/bounded-map.ts';
import { Admission } from './admission.ts';
import type { FilterProxy, Unreached } from './filter-proxy.ts';
import { formatHostPort } from './host-port.ts';
import { buildProxyFlags } from './proxy-flags.ts';

/** A request that was not let out. */
export interface GuardRefusal {
  /** What asked: navigation, frame, fetch, websocket, crawl, … */
  readonly what: string;
  readonly url: string;
  readonly refusal: DomainRefusal;
  readonly tabId?: string;
  /** The address of the tab's own page, rather than of something in it. */
  readonly ofPage?: true;
}

/** A refusal for the record, and the how manieth of its kind it is. */
export type CountedRefusal = GuardRefusal & { readonly times: number };

interface DomainGuardOptions {
  readonly policy?: DomainPolicy;
  /** Another way to look names up than the system's. */
  readonly lookUp?: (name: string) => Promise<readonly LookupAddress[]>;
  /** Replaces an address after it was judged; for tests. */
  readonly route?: (address: string) => string;
}

interface OpenProxy {
  readonly flags: readonly string[];
  isListening(): boolean;
  close(): void;
}

/** How long a connection that came to nothing may be matched with the request that wanted it. */
const KEPT_HOSTS = 500;
/**
 * By then the page's own word of a failed request is in; what nobody spoke of Chrome asked for by
 * itself.
 */
const UNCLAIMED_MS = 2_000;

/** So many of a kind are recorded one by one. */
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
   * The domains of the call that is under way, for whatever it opens; read where a call leads,
   * never where an event does.
   */
  readonly #call = new AsyncLocalStorage<readonly string[]>();
  readonly #outcomes = new BoundedMap<string, ConnectOutcome>(KEPT_HOSTS);
  readonly #proxies = new Set<FilterProxy>();
  /** Who asks for which host. */
  readonly admission = new Admission();
  /** What tasks allow in tabs, by tab: a popup finds its opener's here before either has run. */
  readonly narrowings = new Map<string, readonly string[]>();

  constructor(options: DomainGuardOptions = {}) {
    this.#options = options;
    this.policy = options.policy ?? new DomainPolicy();
  }

  /** Does work for a call whose task allows these domains alone. */
  within<T>(domains: readonly string[], work: () => Promise<T>): Promise<T> {
    return this.#call.run(domains, work);
  }

  /** The domains that the call under way is held to. */
  get callDomains(): readonly string[] | undefined {
    return this.#call.getStore();
  }

  /** The policy for the call under way. */
  get current(): DomainPolicy {
    return this.policyFor(this.callDomains);
  }

  policyFor(domains: readonly string[] | undefined): DomainPolicy {
    return domains ? this.policy.narrowed(domains) : this.policy;
  }

  /** Whether a proxy listens now that judges every connection of our Chrome. */
  get isProxied(): boolean {
    return [...this.#proxies].some(({ isListening }) => isListening);
  }

  /** Starts the proxy of one Chrome, with the flags that make Chrome use it. */
  async openProxy(start: typeof FilterProxy.start): Promise<OpenProxy> {
    const { lookUp, route } = this.#options;
    const starting = start({
      policy: this.policy,
      admit: (host, port) => this.admission.judge(host, port),
      onUnreached: (unreached) => this.#unreached(unreached),
      ...(lookUp && { lookUp }),
      ...(route && { route }),
    });
    const proxy = await starting.catch((error: unknown) => {
      throw fail(
        'control_failed',
        `The guard's proxy could not be started: ${String(error)}.`,
        {},
        error,
      );
    });
    this.#proxies.add(proxy);
    const close = (): void => {
      this.#proxies.delete(proxy);
      proxy.close();
    };
    return {
      flags: buildProxyFlags(proxy.port, this.policy),
      isListening: () => proxy.isListening,
      close,
    };
  }

  /** How the last connection to a host came to nothing; the request that asks has been told of. */
  outcomeFor(url: string): Unreached | undefined {
    const outcome = this.#outcomes.get(formatHostPort(url));
    if (outcome) outcome.claimed = true;
    return outcome;
  }

  /** Each is told; of a page that tries the same without end, ever fewer. */
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
