// The policy of the domain guard: which hosts may be reached, by name and by address.
import { defined, valueIf } from '../core/defined.ts';
import { fail, type Failure } from '../core/failure.ts';
import { canParseUrl, matchGroups, textIf } from '../core/text.ts';
import {
  isPlainLoopback,
  isThisMachine,
  classifyAddress,
  type OwnAddresses,
} from './network-address.ts';

/**
 * `example.com` matches the host and its subdomains, `*.example.com` only the subdomains, `*`
 * everything; an IP address matches only itself.
 */
export interface DomainPattern {
  /** Empty for every host. */
  readonly host: string;
  readonly self: boolean;
  readonly subdomains: boolean;
  readonly port?: number;
}

export interface DomainRefusal {
  readonly reason:
    | 'metadata'
    | 'dashboard'
    | 'this_machine'
    | 'private_address'
    | 'blocked'
    | 'not_allowed'
    | 'not_allowed_in_task';
  readonly host: string;
  /** The resolved address, if the refusal is because of the address. */
  readonly address?: string;
}

interface DomainLists {
  readonly allow?: readonly DomainPattern[];
  readonly block?: readonly DomainPattern[];
  readonly allowPrivateNetwork?: boolean;
  /** Addresses of this machine's interfaces; none by default. */
  readonly ownAddresses?: OwnAddresses;
  /** Ports of this machine at which the user answers for agents; no list allows them. */
  readonly dashboardPorts?: () => readonly number[];
}

/** Host names of metadata services. All others are recognised by their address. */
const METADATA_NAMES = new Set([
  'metadata.google.internal',
  'metadata.goog',
  'instance-data.ec2.internal',
  'metadata.tencentyun.com',
]);

const DEFAULT_PORTS: Readonly<Record<string, number>> = {
  'http:': 80,
  'https:': 443,
  'ws:': 80,
  'wss:': 443,
};

export class DomainPolicy {
  readonly #lists: DomainLists;
  /** The domains that a task's policy allows. */
  readonly #narrowing: readonly DomainPattern[] | undefined;

  constructor(lists: DomainLists = {}, narrowing?: readonly DomainPattern[]) {
    this.#lists = lists;
    this.#narrowing = narrowing;
  }

  /**
   * Returns this policy restricted to `domains`, for a task; it never allows more than this policy.
   */
  narrowed(domains: readonly string[]): DomainPolicy {
    return new DomainPolicy(this.#lists, parseDomains(domains, 'allowedDomains'));
  }

  /**
   * Whether the policy restricts host names, not only addresses. A list with `*` allows every name.
   */
  get judgesNames(): boolean {
    const { allow, block = [] } = this.#lists;
    const restricts = allow !== undefined && !allow.some(isEverything);
    return restricts || block.length > 0 || this.#narrowing !== undefined;
  }

  get allowsPrivateNetwork(): boolean {
    return this.#lists.allowPrivateNetwork ?? false;
  }

  /** The blocked patterns, and the allowed ones (all hosts if absent). Blocking has precedence. */
  get patterns(): {
    readonly block: readonly DomainPattern[];
    readonly allow?: readonly DomainPattern[];
  } {
    const { block = [], allow: given } = this.#lists;
    const allow = valueIf(!given?.some(isEverything), given);
    const both =
      allow && this.#narrowing
        ? allow.flatMap((one) => this.#narrowing?.flatMap((other) => meet(one, other) ?? []) ?? [])
        : undefined;
    const left = both ?? this.#narrowing ?? allow;
    return defined({ block, allow: left });
  }

  /** Judges the host in a URL, before it is resolved. Schemes that use no network are allowed. */
  judgeUrl(address: string): DomainRefusal | undefined {
    if (!/^(?:https?|wss?):/i.test(address)) return undefined;
    if (!canParseUrl(address)) return { reason: 'not_allowed', host: address.slice(0, 100) };
    const { hostname, protocol, port } = new URL(address);
    return this.judgeHost(hostname, Number(port) || (DEFAULT_PORTS[protocol] ?? 80));
  }

  judgeHost(given: string, port: number): DomainRefusal | undefined {
    const host = canonicalHost(given);
    if (host === undefined) return { reason: 'not_allowed', host: given.slice(0, 100) };
    const kind = classifyAddress(host);
    if (kind === 'metadata' || METADATA_NAMES.has(host)) return { reason: 'metadata', host };
    if (this.#isDashboard(host, port)) return { reason: 'dashboard', host };
    const reason = this.#judgeName(host, port);
    if (reason) return { reason, host };
    if (kind === 'loopback' && !isPlainLoopback(host) && !this.#isNamed(host, port))
      return { reason: 'this_machine', host };
    return valueIf(kind === 'private' && !this.#allowsPrivate(host, port), {
      reason: 'private_address',
      host,
    });
  }

  /** Judges the resolved address of a host, directly before the connection is made. */
  judgeAddress(address: string, name: string, port: number): DomainRefusal | undefined {
    const host = canonicalHost(name) ?? name;
    const kind = classifyAddress(address);
    if (kind === undefined || kind === 'metadata') return { reason: 'metadata', host, address };
    const literal = canonicalHost(address) ?? address;
    if (this.#isDashboard(literal, port)) return { reason: 'dashboard', host, address };
    if (
      this.#lists.block?.some(
        (pattern) => isLiteralOrLocalhost(pattern) && this.#blocks(pattern, literal, port),
      )
    )
      return { reason: 'blocked', host, address };
    if (kind === 'private')
      return valueIf(!this.#allowsPrivate(literal, port), {
        reason: 'private_address',
        host,
        address,
      });
    return valueIf(this.#leadsHome(literal, host, port), { reason: 'this_machine', host, address });
  }

  #isDashboard(host: string, port: number): boolean {
    const { dashboardPorts, ownAddresses } = this.#lists;
    return isThisMachine(host, ownAddresses) && (dashboardPorts?.().includes(port) ?? false);
  }

  /**
   * Whether a host name resolves to this machine although no rule names it. Any site can point one
   * of its names at 127.0.0.1 and read local servers as its own origin (DNS rebinding).
   */
  #leadsHome(literal: string, host: string, port: number): boolean {
    const { ownAddresses } = this.#lists;
    if (isPlainLoopback(host) || this.#isNamed(host, port) || !isThisMachine(literal, ownAddresses))
      return false;
    return classifyAddress(literal) === 'loopback' || !this.allowsPrivateNetwork;
  }

  /**
   * Whether an allow rule names exactly this host; `*` and rules for a parent domain do not count.
   */
  #isNamed(host: string, port: number): boolean {
    const { allow = [] } = this.#lists;
    return allow.some(
      (pattern) => pattern.self && pattern.host === host && (pattern.port ?? port) === port,
    );
  }

  /** A block rule for this machine (`localhost`, `127.0.0.1`, …) blocks every spelling of it. */
  #blocks(pattern: DomainPattern, host: string, port: number): boolean {
    if (matches(pattern, host, port)) return true;
    if (!meansThisMachine(pattern) || (pattern.port ?? port) !== port) return false;
    return isThisMachine(host, this.#lists.ownAddresses);
  }

  #judgeName(host: string, port: number): DomainRefusal['reason'] | undefined {
    const within = (patterns: readonly DomainPattern[]): boolean =>
      patterns.some((pattern) => matches(pattern, host, port));
    const { allow, block } = this.#lists;
    if (block?.some((pattern) => this.#blocks(pattern, host, port))) return 'blocked';
    if (allow && !within(allow)) return 'not_allowed';
    return valueIf(this.#narrowing && !within(this.#narrowing), 'not_allowed_in_task');
  }

  /** Whether the settings allow private networks, or the allow list names this address. */
  #allowsPrivate(literal: string, port: number): boolean {
    const named = this.#lists.allow?.some(
      (pattern) => isLiteral(pattern) && matches(pattern, literal, port),
    );
    return this.allowsPrivateNetwork || (named ?? false);
  }
}

const isLiteral = ({ host }: DomainPattern): boolean => classifyAddress(host) !== undefined;

const isLiteralOrLocalhost = (pattern: DomainPattern): boolean =>
  isLiteral(pattern) || meansThisMachine(pattern);

/** `*` without a port. */
const isEverything = ({ host, port }: DomainPattern): boolean => host === '' && port === undefined;

const USUAL_LOOPBACK: ReadonlySet<string> = new Set([
  'localhost',
  '127.0.0.1',
  '[::1]',
  '0.0.0.0',
  '[::]',
  '[::ffff:7f00:1]',
  '[::ffff:0:0]',
]);

/**
 * Whether a rule means this machine as a whole. Other loopback addresses (127.0.0.2) match only
 * themselves.
 */
export const meansThisMachine = ({ host, self }: DomainPattern): boolean =>
  self && USUAL_LOOPBACK.has(host);

const isBelow = (host: string, parent: string): boolean =>
  parent === '' || host.endsWith(`.${parent}`);

const matches = (pattern: DomainPattern, host: string, port: number): boolean => {
  if (pattern.port !== undefined && pattern.port !== port) return false;
  return (
    (pattern.self && host === pattern.host) || (pattern.subdomains && isBelow(host, pattern.host))
  );
};

/** The intersection of both patterns, as one pattern. */
const meet = (one: DomainPattern, other: DomainPattern): DomainPattern | undefined => {
  const { port = other.port } = one;
  if (one.port !== undefined && other.port !== undefined && one.port !== other.port)
    return undefined;
  const withPort = defined({ port });
  if (one.host === other.host) {
    const [self, subdomains] = [one.self && other.self, one.subdomains && other.subdomains];
    return self || subdomains ? { host: one.host, self, subdomains, ...withPort } : undefined;
  }
  if (other.subdomains && isBelow(one.host, other.host)) return { ...one, ...withPort };
  return one.subdomains && isBelow(other.host, one.host) ? { ...other, ...withPort } : undefined;
};

/**
 * The host in the spelling that Chrome uses: lower case, punycode, numeric hosts as IP addresses,
 * without a final dot.
 */
export const canonicalHost = (given: string): string | undefined => {
  if (given === '' || /[/?#@\\\s]/.test(given)) return undefined;
  const text =
    given.includes(':') && !given.startsWith('[') ? `[${given.split('%', 1)[0]}]` : given;
  if (!canParseUrl(`http://${text}/`)) return undefined;
  const { hostname, port } = new URL(`http://${text}/`);
  return port === '' ? withoutFinalDots(hostname) || undefined : undefined;
};

const withoutFinalDots = (host: string): string => {
  let end = host.length;
  while (host[end - 1] === '.') end--;
  return host.slice(0, end);
};

/** Parses patterns; one text may contain several, separated by commas. */
export const parseDomains = (texts: readonly string[], argument: string): DomainPattern[] =>
  texts
    .flatMap((text) => text.split(','))
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .map((text) => parseDomain(text, argument));

const parseDomain = (text: string, argument: string): DomainPattern => {
  if (text === '*') return { host: '', self: false, subdomains: true };
  const bare = text.replace(/^\*\./, '');
  const [, name = bare, digits] = matchGroups(
    /^(.*[^:]|\[.*\]):(\d{1,5})$/,
    textIf(!isBareV6(bare), bare),
  );
  const host = canonicalHost(name);
  const wrong =
    host === undefined ||
    host.includes('*') ||
    (digits !== undefined && !(Number(digits) >= 1 && Number(digits) <= 65_535));
  const literal = host !== undefined && classifyAddress(host) !== undefined;
  if (wrong || (literal && bare !== text))
    throw fail(
      'invalid_argument',
      `"${text.slice(0, 100)}" is not a domain (expected example.com, *.example.com, ` +
        `localhost:3000 or 10.0.0.5).`,
      {
        argument,
      },
    );
  const port = digits === undefined ? {} : { port: Number(digits) };
  return { host, self: bare === text, subdomains: !literal, ...port };
};

/** The colons of `fd00::1` do not begin a port. */
const isBareV6 = (text: string): boolean => !text.startsWith('[') && text.split(':').length > 2;

const WORDS: Readonly<Record<DomainRefusal['reason'], string>> = {
  metadata: 'a cloud metadata address',
  dashboard: 'the dashboard of the user',
  this_machine: 'this machine',
  private_address: 'a private address',
  blocked: 'blocked by --block-domains',
  not_allowed: 'not in --allow-domains',
  not_allowed_in_task: "not in the task's allowedDomains",
};

/** The reason as a short phrase that follows an address. */
export const explainRefusal = ({ reason, address }: DomainRefusal): string =>
  address === undefined ? WORDS[reason] : `its address ${address} is ${WORDS[reason]}`;

const HINTS: Readonly<Record<DomainRefusal['reason'], string>> = {
  metadata: 'Cloud metadata addresses are always blocked; no flag allows them.',
  dashboard: 'Only the user may open the dashboard, because approvals are given there.',
  this_machine:
    'Use localhost or 127.0.0.1 for a server on this machine; ' +
    'a name that resolves to it needs a server started with --allow-domains NAME,*.',
  private_address:
    'Only a server started with --allow-private-network can reach private and link-local ' +
    'addresses.',
  blocked: 'Use another host; only a server without this host in --block-domains can reach it.',
  not_allowed:
    'Use only the allowed domains; only a server with this host in --allow-domains can reach it.',
  not_allowed_in_task: 'Use only the domains that the task allows, or omit taskId.',
};

/** Converts a refusal to the failure that the call returns. */
export const domainNotAllowedFailure = (refusal: DomainRefusal, url?: string): Failure =>
  fail(
    'domain_not_allowed',
    `${refusal.host} is blocked: ${explainRefusal(refusal)}.`,
    defined({
      hint: HINTS[refusal.reason],
      reason: refusal.reason,
      host: refusal.host,
      address: refusal.address,
      url: url?.slice(0, 300),
    }),
  );
