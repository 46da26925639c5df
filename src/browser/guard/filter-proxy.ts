// A SOCKS proxy on loopback for our Chrome: resolves host names, checks the addresses, connects.
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { fail } from '../../core/failure.ts';
import { abortable, Deadline } from '../../core/time.ts';
import type { DomainPolicy, DomainRefusal } from '../../policy/domains.ts';
import {
  type ConnectionTarget,
  dialAddresses,
  type HostAddresses,
  RefusedAddress,
} from './host-addresses.ts';
import { SocketBytes } from './socket-bytes.ts';
import type { TlsBridge } from './tls-bridge.ts';
import type { ProxyScheme, UpstreamRoutes } from './upstream-proxy.ts';

/** A connection that Chrome requested and that failed or was refused. */
export interface Unreached extends ConnectionTarget {
  readonly refusal?: DomainRefusal;
  /** Node's error code: ECONNREFUSED, ENOTFOUND. */
  readonly code?: string;
}

interface FilterProxyOptions {
  readonly policy: DomainPolicy;
  /** Checked after the policy; returns a refusal to reject the connection. */
  readonly admit?: (host: string, port: number) => Promise<DomainRefusal | undefined>;
  readonly onUnreached: (unreached: Unreached) => void;
  readonly names: HostAddresses;
  /** The proxies of the user, through which this proxy connects. */
  readonly upstream?: UpstreamRoutes;
  /** The scheme of the URLs whose connections Chrome sends to this proxy. */
  readonly scheme?: ProxyScheme;
  /** Checks the certificates of the servers that the user accepts. */
  readonly bridge?: TlsBridge;
}

const HANDSHAKE_MS = 10_000;
const CONNECT_MS = 60_000;

export class FilterProxy {
  readonly #options: FilterProxyOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #closed = new AbortController();

  private constructor(options: FilterProxyOptions) {
    this.#options = options;
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

  async #handshake(client: Socket): Promise<ConnectionTarget> {
    using deadline = new Deadline(HANDSHAKE_MS, undefined, this.#closed.signal);
    const bytes = new SocketBytes(client);
    await abortable(acceptMethods(bytes, client), deadline.signal);
    const target = await abortable(readTarget(bytes), deadline.signal);
    bytes.release();
    return target;
  }

  async #open(target: ConnectionTarget): Promise<Socket> {
    const { host, port } = target;
    const { policy, admit, names, upstream, scheme = 'https' } = this.#options;
    const refusal = policy.judgeHost(host, port) ?? (await admit?.(host, port));
    if (refusal) throw new RefusedAddress(refusal);
    const mayBeUnknown = upstream?.resolvesNames;
    const addresses = await names.findAllowed(target, { policy, mayBeUnknown });
    const dial = (): Promise<Socket> =>
      dialAddresses(target, addresses, {
        timeoutMs: CONNECT_MS,
        onSocket: (socket) => this.#keep(socket),
      });
    if (!upstream) return dial();
    const socket = await upstream.connect({ scheme, host, port, addresses, dial });
    this.#keep(socket);
    return socket;
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
  if (error instanceof RefusedAddress) return { refusal: error.refusal };
  const { code } = error as { code?: unknown };
  return { code: typeof code === 'string' ? code : 'ECONNRESET' };
};

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

const readTarget = async (bytes: SocketBytes): Promise<ConnectionTarget> => {
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
