// Checks the certificates of pinned servers and of --ca-cert for our Chrome, which cannot.
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { DomainPolicy } from '../../policy/domains.ts';
import { isPlainLoopback } from '../../policy/network-address.ts';
import { BoundedMap } from '../traffic/bounded-map.ts';
import { createBridgeCertificate } from './bridge-certificate.ts';
import type { CertificateTrust, PinnedServer } from './certificate-trust.ts';

interface BridgeTarget {
  readonly host: string;
  readonly port: number;
  /** Opens one more connection to the server. */
  readonly open: () => Promise<Socket>;
}

/** The first byte of a TLS connection: a handshake record. */
const TLS_HANDSHAKE = 0x16;
/** How long a server that --ca-cert does not cover is passed on without another check. */
const PASS_ON_MS = 60_000;
const KEPT_SERVERS = 500;

/**
 * Ends Chrome's TLS with its own key and opens TLS to a server that the user accepts. Other servers
 * are passed on unchanged, so that Chrome checks their certificates itself.
 */
export class TlsBridge {
  readonly #trust: CertificateTrust;
  readonly #certificate = createBridgeCertificate();
  readonly #passedOn = new BoundedMap<string, number>(KEPT_SERVERS);
  readonly #servers: Server[] = [];
  readonly #sockets = new Set<Socket>();

  constructor(trust: CertificateTrust) {
    this.#trust = trust;
  }

  /** Starts a port for each pinned server on this machine, which Chrome reaches without a proxy. */
  async start(policy: DomainPolicy): Promise<readonly string[]> {
    const local = this.#trust.pins.filter(
      ({ host, port }) => isPlainLoopback(formatName(host)) && !policy.judgeHost(host, port),
    );
    const rules = await Promise.all(local.map((pin) => this.#listenFor(pin)));
    const keys = `--ignore-certificate-errors-spki-list=${this.#certificate.keyHash}`;
    return rules.length > 0 ? [keys, `--host-resolver-rules=${rules.join(',')}`] : [keys];
  }

  close(): void {
    for (const server of this.#servers) server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Connects Chrome with a server. */
  async join(client: Socket, server: Socket, target: BridgeTarget): Promise<void> {
    this.#keep(client);
    this.#keep(server);
    client.on('close', () => server.destroy());
    if (!this.#mayCheck(target) || !(await startsWithTls(client))) return pipeBoth(client, server);
    const secured = await this.#trust.secureNamed(server, target).catch(() => undefined);
    if (secured) {
      const inner = new TLSSocket(client, {
        isServer: true,
        ...{ key: this.#certificate.key, cert: this.#certificate.cert },
        ALPNProtocols: ['http/1.1'],
      });
      this.#keep(inner);
      this.#keep(secured);
      return pipeBoth(inner, secured);
    }
    server.destroy();
    this.#passedOn.set(formatServer(target), Date.now());
    const plain = await target.open();
    this.#keep(plain);
    pipeBoth(client, plain);
  }

  #mayCheck(target: BridgeTarget): boolean {
    if (this.#trust.findPin(target)) return true;
    const passedOnAt = this.#passedOn.get(formatServer(target)) ?? 0;
    return this.#trust.issuers.length > 0 && Date.now() - passedOnAt > PASS_ON_MS;
  }

  async #listenFor({ host, port }: PinnedServer): Promise<string> {
    const open = (): Promise<Socket> => dialLocal(host, port);
    const serve = async (client: Socket): Promise<void> => {
      this.#keep(client);
      await this.join(client, await open(), { host, port, open });
    };
    const server = createServer({ noDelay: true }, (client) => {
      serve(client).catch(() => client.destroy()); // Chrome reports that the connection failed
    });
    server.unref();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', resolve);
    });
    server.on('error', () => {}); // too many open files: only this connection of Chrome fails
    this.#servers.push(server);
    return `MAP ${formatName(host)}:${port} 127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  #keep(socket: Socket): void {
    if (this.#sockets.has(socket)) return;
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  }
}

const formatName = (host: string): string => (host.includes(':') ? `[${host}]` : host);

const formatServer = ({ host, port }: BridgeTarget): string => `${host}:${port}`;

const dialLocal = (host: string, port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true, autoSelectFamily: true });
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });

/** Waits for the first byte and leaves it in the socket. */
const startsWithTls = (client: Socket): Promise<boolean> =>
  new Promise((resolve) => {
    const finish = (isTls: boolean): void => {
      client.off('readable', onReadable);
      client.off('close', onClose);
      resolve(isTls);
    };
    const onClose = (): void => finish(false);
    const onReadable = (): void => {
      const bytes = client.read() as Buffer | null;
      if (!bytes) return client.readableEnded ? finish(false) : undefined;
      client.unshift(bytes);
      finish(bytes[0] === TLS_HANDSHAKE);
    };
    client.on('close', onClose);
    client.on('readable', onReadable);
  });

const pipeBoth = (client: Socket, server: Socket): void => {
  client.on('close', () => server.destroy());
  server.on('close', () => client.destroy());
  if (client.destroyed) return void server.destroy();
  client.pipe(server);
  server.pipe(client);
};
