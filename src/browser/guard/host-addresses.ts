// Resolves host names and selects the addresses that the policy allows, for Chrome and for fetches.
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import { monotonicMs } from '../../core/time.ts';
import type { DomainPolicy, DomainRefusal } from '../../policy/domains.ts';
import { isPrivateAddress } from '../../policy/network-address.ts';
import { BoundedMap } from '../traffic/bounded-collections.ts';
import { waitForConnection } from './socket-bytes.ts';

export interface ConnectionTarget {
  readonly host: string;
  readonly port: number;
}

export type LookUpName = (name: string) => Promise<readonly LookupAddress[]>;

/** The policy does not allow any address of the host. */
export class RefusedAddress extends Error {
  constructor(readonly refusal: DomainRefusal) {
    super(refusal.reason);
  }
}

interface HostAddressesOptions {
  /** Resolves a host name; the system's resolver by default. */
  readonly lookUp?: LookUpName | undefined;
  /**
   * Replaces an address after the policy allowed it, so that tests can serve public addresses from
   * this machine.
   */
  readonly route?: ((address: string) => string) | undefined;
}

interface ResolveOptions {
  readonly policy: DomainPolicy;
  /** A host that cannot be resolved here has no addresses: the user's proxy may know it. */
  readonly mayBeUnknown?: boolean | undefined;
  /** Also refuses private addresses that the policy allows. */
  readonly isPublicOnly?: boolean;
}

export class HostAddresses {
  readonly #lookUp: LookUpName;
  readonly #route: (address: string) => string;

  constructor({ lookUp, route = (address) => address }: HostAddressesOptions = {}) {
    const names = new CachedNames();
    this.#lookUp = lookUp ?? ((name) => names.find(name));
    this.#route = route;
  }

  /** All addresses of a host, without a decision about them. */
  async find(host: string): Promise<readonly LookupAddress[]> {
    return isIP(host) ? [{ address: host, family: isIP(host) }] : this.#lookUp(host);
  }

  /** The addresses to connect to. Throws `RefusedAddress` if the policy allows none of them. */
  async findAllowed(
    { host, port }: ConnectionTarget,
    { policy, mayBeUnknown = false, isPublicOnly = false }: ResolveOptions,
  ): Promise<readonly LookupAddress[]> {
    const finding = this.find(host);
    const found = await (mayBeUnknown ? finding.catch(() => []) : finding);
    const judge = (address: string): DomainRefusal | undefined =>
      policy.judgeAddress(address, host, port) ??
      (isPublicOnly && isPrivateAddress(address)
        ? { reason: 'private_address', host, address }
        : undefined);
    const judged = found.map((one) => ({ one, refusal: judge(one.address) }));
    const allowed = judged.filter(({ refusal }) => refusal === undefined);
    const [first] = judged;
    if (allowed.length === 0 && first?.refusal) throw new RefusedAddress(first.refusal);
    return allowed.map(({ one }) => ({ ...one, address: this.#route(one.address) }));
  }
}

/** Connects to one of the given addresses, IPv4 and IPv6 in parallel; never resolves the name. */
export const dialAddresses = (
  { host, port }: ConnectionTarget,
  addresses: readonly LookupAddress[],
  { timeoutMs, onSocket }: { timeoutMs: number; onSocket?: (socket: Socket) => void },
): Promise<Socket> => {
  const find: LookupFunction = (_name, options, done) => {
    const [first] = addresses;
    if (!first) return done(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), '');
    if (options.all) done(null, [...addresses]);
    else done(null, first.address, first.family);
  };
  // Node does not call `lookup` for a numeric host.
  const socket = connect({
    host: isIP(host) ? (addresses[0]?.address ?? host) : host,
    port,
    lookup: find,
    autoSelectFamily: true,
    allowHalfOpen: true,
    noDelay: true,
  });
  onSocket?.(socket);
  return waitForConnection(socket, timeoutMs);
};

// Resolves host names with the system's resolver, cached for 30 s, at most three at a time.

/**
 * Node has four threads for DNS lookups and file access. One thread stays free for files if a DNS
 * server hangs.
 */
const AT_ONCE = 3;
const KEPT_MS = 30_000;
const KEPT_NAMES = 1000;

interface CachedAnswer {
  readonly at: number;
  readonly addresses: Promise<readonly LookupAddress[]>;
}

class CachedNames {
  readonly #answers = new BoundedMap<string, CachedAnswer>(KEPT_NAMES);
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  find(name: string): Promise<readonly LookupAddress[]> {
    const known = this.#answers.get(name);
    if (known && monotonicMs() - known.at < KEPT_MS) return known.addresses;
    const addresses = this.#request(name);
    this.#answers.set(name, { at: monotonicMs(), addresses });
    addresses.catch(() => this.#answers.delete(name)); // a failed lookup is not cached
    return addresses;
  }

  async #request(name: string): Promise<readonly LookupAddress[]> {
    if (this.#running >= AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running++;
    try {
      return await lookup(name, { all: true });
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }
}
