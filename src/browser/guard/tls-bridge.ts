// TLS for our Chrome to servers with a pinned certificate, or an issuer or certificate of the user.
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { DomainPolicy } from '../../policy/domains.ts';
import { isPlainLoopback } from '../../policy/network-address.ts';
import { MISSING_CLIENT, REJECTED_CLIENT } from '../tabs/load-failure.ts';
import { BoundedMap } from '../traffic/bounded-collections.ts';
import {
  type CertificateTrust,
  requestsClientCertificate,
  type TlsTarget,
} from './certificate-trust.ts';

// Creates the key and self-signed certificate that the TLS bridge shows to our Chrome.

interface BridgeCertificate {
  readonly key: string;
  readonly cert: string;
  /** SHA-256 of the public key in base64, for Chrome's list of accepted keys. */
  readonly keyHash: string;
}

const SEQUENCE = 0x30;
const SET = 0x31;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const UTF8_STRING = 0x0c;
const GENERALIZED_TIME = 0x18;
const VERSION_TAG = 0xa0;

/** OID 1.2.840.10045.4.3.2 (ecdsa-with-SHA256) and OID 2.5.4.3 (common name), in DER. */
const ECDSA_WITH_SHA256 = Buffer.from('06082a8648ce3d040302', 'hex');
const COMMON_NAME = Buffer.from('0603550403', 'hex');

const VALIDITY = ['20200101000000Z', '20991231235959Z'];

/**
 * All fields except the key are constant, so this file writes the DER itself: Node cannot create
 * certificates, and a library for X.509 would be larger than the rest of the guard.
 */
const createBridgeCertificate = (): BridgeCertificate => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const publicDer = publicKey.export({ type: 'spki', format: 'der' });
  const algorithm = der(SEQUENCE, ECDSA_WITH_SHA256);
  const commonName = der(SEQUENCE, COMMON_NAME, der(UTF8_STRING, Buffer.from('OpenChrome bridge')));
  const name = der(SEQUENCE, der(SET, commonName));
  const body = der(
    SEQUENCE,
    der(VERSION_TAG, der(INTEGER, Buffer.from([2]))),
    // A first byte of 1 keeps the serial number positive.
    der(INTEGER, Buffer.from([1]), randomBytes(15)),
    algorithm,
    name,
    der(SEQUENCE, ...VALIDITY.map((time) => der(GENERALIZED_TIME, Buffer.from(time)))),
    name,
    publicDer,
  );
  const signature = sign('sha256', body, privateKey);
  const certificate = der(SEQUENCE, body, algorithm, der(BIT_STRING, Buffer.from([0]), signature));
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: toPem(certificate),
    keyHash: createHash('sha256').update(publicDer).digest('base64'),
  };
};

const der = (tag: number, ...parts: readonly Buffer[]): Buffer => {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, ...encodeLength(content.length)]), content]);
};

const encodeLength = (length: number): number[] => {
  if (length < 0x80) return [length];
  if (length < 0x100) return [0x81, length];
  return [0x82, length >> 8, length & 0xff];
};

const toPem = (certificate: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64')}\n-----END CERTIFICATE-----\n`;

interface BridgeTarget extends TlsTarget {
  /** Opens one more connection to the server. */
  readonly open: () => Promise<Socket>;
}

/**
 * Called when a server answers (without a code), or rejects or misses a client certificate (with a
 * code).
 */
type ReportAnswer = (target: TlsTarget, code?: string) => void;

interface HandshakeError extends Error {
  readonly code?: string;
  /** Set if the certificate of the server is not valid. */
  readonly fingerprint?: string;
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
  readonly #report: ReportAnswer;
  readonly #certificate = createBridgeCertificate();
  readonly #passedOn = new BoundedMap<string, number>(KEPT_SERVERS);
  /** Servers that have answered a request. */
  readonly #answered = new BoundedMap<string, true>(KEPT_SERVERS);
  readonly #servers: Server[] = [];
  readonly #sockets = new Set<Socket>();

  constructor(trust: CertificateTrust, report: ReportAnswer) {
    this.#trust = trust;
    this.#report = report;
  }

  /** Starts a port for each named server on this machine, which Chrome reaches without a proxy. */
  async start(policy: DomainPolicy): Promise<readonly string[]> {
    const named = [...this.#trust.pins, ...this.#trust.clients];
    const local = named.filter(
      ({ host, port }) => isPlainLoopback(formatName(host)) && !policy.judgeHost(host, port),
    );
    const servers = new Map(local.map((server) => [formatServer(server), server]));
    const rules = await Promise.all([...servers.values()].map((one) => this.#listenFor(one)));
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
    const hasClient = this.#trust.findClient(target) !== undefined;
    const secured = await this.#trust
      .secureNamed(server, target)
      .catch((error: HandshakeError) => error);
    if (secured instanceof TLSSocket) return this.#connect(client, secured, target, hasClient);
    server.destroy();
    const code = explainClientError(secured, hasClient);
    if (code !== undefined) {
      this.#report(target, code);
      return void client.destroy();
    }
    this.#passedOn.set(formatServer(target), Date.now());
    const plain = await target.open();
    this.#keep(plain);
    pipeBoth(client, plain);
  }

  /** Connects Chrome, which sees the certificate of the bridge, with a checked server. */
  #connect(client: Socket, server: TLSSocket, target: BridgeTarget, hasClient: boolean): void {
    const inner = new TLSSocket(client, {
      isServer: true,
      ...{ key: this.#certificate.key, cert: this.#certificate.cert },
      ALPNProtocols: ['http/1.1'],
    });
    this.#keep(inner);
    this.#keep(server);
    this.#watchAnswer(inner, server, target, hasClient);
    pipeBoth(inner, server);
  }

  /**
   * With TLS 1.3, a server rejects a client certificate only after the handshake: it ends the
   * connection without an answer, with or without an alert. An unused connection of a server that
   * has answered before ends for other reasons.
   */
  #watchAnswer(inner: Socket, server: TLSSocket, target: BridgeTarget, hasClient: boolean): void {
    const key = formatServer(target);
    let [isUsed, isDecided] = [false, !requestsClientCertificate(server)];
    server.once('data', () => {
      isDecided = true;
      this.#answered.set(key, true);
      this.#report(target);
    });
    inner.once('data', () => (isUsed = true));
    inner.once('close', () => (isDecided = true)); // Chrome has left first
    const onEnd = (): void => {
      if (isDecided || (!isUsed && this.#answered.has(key))) return;
      isDecided = true;
      this.#report(target, hasClient ? REJECTED_CLIENT : MISSING_CLIENT);
    };
    for (const end of ['end', 'error', 'close']) server.once(end, onEnd);
  }

  #mayCheck(target: BridgeTarget): boolean {
    if (this.#trust.findPin(target) || this.#trust.findClient(target)) return true;
    const passedOnAt = this.#passedOn.get(formatServer(target)) ?? 0;
    return this.#trust.issuers.length > 0 && Date.now() - passedOnAt > PASS_ON_MS;
  }

  async #listenFor({ host, port }: TlsTarget): Promise<string> {
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

/**
 * The code of a handshake that failed because of the client certificate; undefined if Chrome should
 * check the server itself.
 */
const explainClientError = (
  { code = '', fingerprint }: HandshakeError,
  hasClient: boolean,
): string | undefined => {
  if (code === MISSING_CLIENT) return code;
  // Without the client certificate, Chrome would get a misleading error.
  if (!hasClient || fingerprint !== undefined) return undefined;
  return code === 'ETIMEDOUT' ? code : REJECTED_CLIENT;
};

const formatName = (host: string): string => (host.includes(':') ? `[${host}]` : host);

const formatServer = ({ host, port }: TlsTarget): string => `${host}:${port}`;

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
