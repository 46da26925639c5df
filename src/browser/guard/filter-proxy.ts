// A SOCKS proxy on loopback for our Chrome: resolves host names, checks the addresses, connects.
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import {
  type AddressInfo,
  connect,
  createServer,
  isIP,
  type LookupFunction,
  type Server,
  type Socket,
} from 'node:net';
import { fail } from '../../core/failure.ts';
import { abortable, Deadline, monotonicMs } from '../../core/time.ts';
import type { DomainPolicy, DomainRefusal } from '../../policy/domains.ts';
import { BoundedMap } from '../traffic/bounded-collections.ts';
import { SocketBytes, waitForConnection } from './socket-bytes.ts';
import type { TlsBridge } from './tls-bridge.ts';
import type { ProxyScheme, UpstreamRoutes } from './upstream-proxy.ts';

// Resolves host names with the system's resolver, cached for 30 s, at most three at a time.

/**
 * Node has four threads for DNS lookups and file access. One thread stays free for files if a DNS
 * server hangs.
 */
const AT_ONCE = 3;
const KEPT_MS = 30_000;
const KEPT_NAMES = 1000;

interface Answer {
  readonly at: number;
  readonly addresses: Promise<readonly LookupAddress[]>;
}

class NameLookup {
  readonly #answers = new BoundedMap<string, Answer>(KEPT_NAMES);
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  of(name: string): Promise<readonly LookupAddress[]> {
    const known = this.#answers.get(name);
    if (known && monotonicMs() - known.at < KEPT_MS) return known.addresses;
    const addresses = this.#ask(name);
    this.#answers.set(name, { at: monotonicMs(), addresses });
    addresses.catch(() => this.#answers.delete(name)); // a failed lookup is not cached
    return addresses;
  }

  async #ask(name: string): Promise<readonly LookupAddress[]> {
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

/** A connection that Chrome requested and that failed or was refused. */
export interface Unreached extends ProxyTarget {
  readonly refusal?: DomainRefusal;
  /** Node's error code: ECONNREFUSED, ENOTFOUND. */
  readonly code?: string;
}

interface FilterProxyOptions {
  readonly policy: DomainPolicy;
  /** Checked after the policy; returns a refusal to reject the connection. */
  readonly admit?: (host: string, port: number) => Promise<DomainRefusal | undefined>;
  readonly onUnreached: (unreached: Unreached) => void;
  /** Resolves a host name; the system's resolver by default. */
  readonly lookUp?: (name: string) => Promise<readonly LookupAddress[]>;
  /**
   * Replaces an address after the policy allowed it, so that tests can serve public addresses from
   * this machine.
   */
  readonly route?: (address: string) => string;
  /** The proxies of the user, through which this proxy connects. */
  readonly upstream?: UpstreamRoutes;
  /** The scheme of the URLs whose connections Chrome sends to this proxy. */
  readonly scheme?: ProxyScheme;
  /** Checks the certificates of the servers that the user accepts. */
  readonly bridge?: TlsBridge;
}

const HANDSHAKE_MS = 10_000;
const CONNECT_MS = 60_000;

class Refused extends Error {
  constructor(readonly refusal: DomainRefusal) {
    super(refusal.reason);
  }
}

export class FilterProxy {
  readonly #options: FilterProxyOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #lookUp: (name: string) => Promise<readonly LookupAddress[]>;
  readonly #closed = new AbortController();

  private constructor(options: FilterProxyOptions) {
    this.#options = options;
    const names = new NameLookup();
    this.#lookUp = options.lookUp ?? ((name) => names.of(name));
    this.#server = createServer(
      { allowHalfOpen: true, noDelay: true },
      (socket) => void this.#serve(socket),
    );
    this.#server.unref(); // The server must not keep the process alive.
  }

  static async start(options: FilterProxyOptions): Promise<FilterProxy> {
    const proxy = new FilterProxy(options);
    await new Promise<void>((resolve, reject) => {
      proxy.#server.once('error', reject);
      proxy.#server.listen(0, '127.0.0.1', resolve);
    });
    // An error after the start (too many open files) must not end the process. Only Chrome's
    // connection fails; nothing is let through.
    proxy.#server.on('error', () => {});
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /**
   * Whether the proxy accepts connections; if not, Chrome reaches only the hosts that bypass it.
   */
  get isListening(): boolean {
    return this.#server.listening;
  }

  close(): void {
    this.#closed.abort(fail('cancelled', 'The proxy was closed.'));
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  }

  async #serve(client: Socket): Promise<void> {
    this.#keep(client);
    const target = await this.#handshake(client).catch(() => undefined);
    // The client does not speak SOCKS 5, for example a page that connects to this port.
    if (!target) return void client.destroy();
    try {
      const server = await this.#open(target);
      client.write(CONNECTED);
      const { bridge } = this.#options;
      if (!bridge) return join(client, server);
      const open = (): Promise<Socket> => this.#open(target);
      await bridge.join(client, server, { ...target, open }).catch(() => client.destroy());
    } catch (error) {
      this.#options.onUnreached({ ...target, ...explainError(error) });
      client.end(NOT_REACHED);
    }
  }

  async #handshake(client: Socket): Promise<ProxyTarget> {
    using deadline = new Deadline(HANDSHAKE_MS, undefined, this.#closed.signal);
    const bytes = new SocketBytes(client);
    await abortable(acceptMethods(bytes, client), deadline.signal);
    const target = await abortable(readTarget(bytes), deadline.signal);
    bytes.release();
    return target;
  }

  async #open({ host, port }: ProxyTarget): Promise<Socket> {
    const { policy, admit } = this.#options;
    const refusal = policy.judgeHost(host, port) ?? (await admit?.(host, port));
    if (refusal) throw new Refused(refusal);
    const found = await this.#resolve(host);
    const judged = found.map((one) => ({
      one,
      refusal: policy.judgeAddress(one.address, host, port),
    }));
    const open = judged.filter((entry) => entry.refusal === undefined).map(({ one }) => one);
    const [first] = judged;
    if (open.length === 0 && first?.refusal) throw new Refused(first.refusal);
    const { route, upstream, scheme = 'https' } = this.#options;
    const addresses = route ? open.map((one) => ({ ...one, address: route(one.address) })) : open;
    const dial = (): Promise<Socket> => this.#dial(host, port, addresses);
    if (!upstream) return dial();
    const socket = await upstream.connect({ scheme, host, port, addresses, dial });
    this.#keep(socket);
    return socket;
  }

  /** The addresses of a host; none if only the proxy of the user can resolve it. */
  async #resolve(host: string): Promise<readonly LookupAddress[]> {
    if (isIP(host)) return [{ address: host, family: isIP(host) }];
    if (!this.#options.upstream?.resolvesNames) return this.#lookUp(host);
    return this.#lookUp(host).catch(() => []);
  }

  /** Tries only the given addresses, IPv4 and IPv6 in parallel. */
  #dial(host: string, port: number, addresses: readonly LookupAddress[]): Promise<Socket> {
    const lookup: LookupFunction = (_name, options, done) => {
      const [first] = addresses;
      if (!first) return done(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), '');
      if (options.all) done(null, [...addresses]);
      else done(null, first.address, first.family);
    };
    // Node does not call `lookup` for a numeric host.
    const socket = connect({
      host: isIP(host) ? (addresses[0]?.address ?? host) : host,
      port,
      lookup,
      autoSelectFamily: true,
      allowHalfOpen: true,
      noDelay: true,
    });
    this.#keep(socket);
    return waitForConnection(socket, CONNECT_MS);
  }
}

/**
 * Pipes both directions. If one socket closes, the other is destroyed; a half-close is forwarded.
 */
const join = (client: Socket, server: Socket): void => {
  client.on('close', () => server.destroy());
  server.on('close', () => client.destroy());
  client.pipe(server);
  server.pipe(client);
};

const explainError = (error: unknown): Pick<Unreached, 'refusal' | 'code'> => {
  if (error instanceof Refused) return { refusal: error.refusal };
  const { code } = error as { code?: unknown };
  return { code: typeof code === 'string' ? code : 'ECONNRESET' };
};

interface ProxyTarget {
  readonly host: string;
  readonly port: number;
}

const VERSION = 5;
const NO_AUTHENTICATION = 0;
const CONNECT = 1;
const V4 = 1;
const NAME = 3;
const V6 = 4;
const HOST_UNREACHABLE = 4;

const reply = (code: number): Buffer => Buffer.from([VERSION, code, 0, V4, 0, 0, 0, 0, 0, 0]);
const CONNECTED = reply(0);
/** With any other reply code, Chrome would treat the proxy itself as broken. */
const NOT_REACHED = reply(HOST_UNREACHABLE);

const acceptMethods = async (bytes: SocketBytes, client: Socket): Promise<void> => {
  const [version = 0, count = 0] = await bytes.take(2);
  if (version !== VERSION || count === 0) throw new Error('not SOCKS 5');
  const methods = await bytes.take(count);
  if (!methods.includes(NO_AUTHENTICATION)) throw new Error('no method in common');
  client.write(Buffer.from([VERSION, NO_AUTHENTICATION]));
};

const readTarget = async (bytes: SocketBytes): Promise<ProxyTarget> => {
  const [version, command, , kind = 0] = await bytes.take(4);
  if (version !== VERSION || command !== CONNECT) throw new Error('not a command to connect');
  const host = await readHost(bytes, kind);
  return { host, port: (await bytes.take(2)).readUInt16BE() };
};

const readHost = async (bytes: SocketBytes, kind: number): Promise<string> => {
  if (kind === V4) return [...(await bytes.take(4))].join('.');
  if (kind === V6) return formatV6(await bytes.take(16));
  if (kind !== NAME) throw new Error('no such kind of address');
  const [length = 0] = await bytes.take(1);
  if (length === 0) throw new Error('no name');
  return (await bytes.take(length)).toString('latin1');
};

const formatV6 = (bytes: Buffer): string =>
  Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(2 * i).toString(16)).join(':');
