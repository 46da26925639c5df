// The server certificates that the user accepts in addition to those of public issuers.
import { textIf } from '../../core/text.ts';
import { createHash } from 'node:crypto';
import { isIP, type Socket } from 'node:net';
import { connect as connectTls, rootCertificates, type TLSSocket } from 'node:tls';
import { defined } from '../../core/defined.ts';
import { MISSING_CLIENT, REJECTED_CLIENT } from '../tabs/load-failure.ts';

export interface TlsTarget {
  readonly host: string;
  readonly port: number;
}

/** A server that is accepted with exactly one certificate. */
export interface PinnedServer extends TlsTarget {
  /** SHA-256 of the certificate, in lower-case hex digits. */
  readonly fingerprint: string;
}

/** A certificate that identifies the user to one server. */
export interface ClientCertificate extends TlsTarget {
  /** PEM texts, or a PFX file with both. */
  readonly cert?: Buffer;
  readonly key?: Buffer;
  readonly pfx?: Buffer;
  readonly passphrase?: string;
}

const HANDSHAKE_MS = 10_000;
const HTTPS_PORT = 443;

/** The format is checked by the configuration: HOST[:PORT]=SHA256. */
export const parsePin = (text: string): PinnedServer => {
  const at = text.lastIndexOf('=');
  return {
    ...parseServer(text.slice(0, at)),
    fingerprint: text
      .slice(at + 1)
      .replaceAll(':', '')
      .toLowerCase(),
  };
};

/** Parses HOST or HOST:PORT. */
export const parseServer = (text: string): TlsTarget => {
  const { hostname, port } = new URL(`https://${text}`);
  return { host: stripBrackets(hostname), port: Number(port) || HTTPS_PORT };
};

const stripBrackets = (host: string): string => host.replace(/^\[|\]$/g, '');

export class CertificateTrust {
  constructor(
    readonly insecure: boolean,
    readonly pins: readonly PinnedServer[],
    /** PEM texts of the issuers of --ca-cert. */
    readonly issuers: readonly string[],
    readonly clients: readonly ClientCertificate[] = [],
  ) {}

  findPin({ host, port }: TlsTarget): PinnedServer | undefined {
    return this.pins.find((pin) => pin.host === host.toLowerCase() && pin.port === port);
  }

  findClient({ host, port }: TlsTarget): ClientCertificate | undefined {
    return this.clients.find((one) => one.host === host.toLowerCase() && one.port === port);
  }

  /** Starts TLS on a connection for our own requests; rejects if the certificate is not valid. */
  secure(socket: Socket, target: TlsTarget): Promise<TLSSocket> {
    // Without `ca`, Node also trusts the issuers of NODE_EXTRA_CA_CERTS.
    const ca = this.issuers.length > 0 ? [...rootCertificates, ...this.issuers] : undefined;
    return this.#handshake(socket, target, ca, this.insecure);
  }

  /**
   * Starts TLS for Chrome; rejects unless the server has a pinned certificate or one of --ca-cert.
   * A server that gets a client certificate may also have one of a public issuer.
   */
  secureNamed(socket: Socket, target: TlsTarget): Promise<TLSSocket> {
    if (this.findClient(target)) return this.secure(socket, target);
    return this.#handshake(socket, target, [...this.issuers], false);
  }

  async #handshake(
    socket: Socket,
    target: TlsTarget,
    ca: string[] | undefined,
    acceptsAll: boolean,
  ): Promise<TLSSocket> {
    const { host } = target;
    const { cert, key, pfx, passphrase } = this.findClient(target) ?? {};
    const tls = connectTls({
      socket,
      host,
      servername: textIf(!isIP(host), host),
      ALPNProtocols: ['http/1.1'],
      ca,
      ...defined({ cert, key, pfx, passphrase }),
      // The certificate is checked below, before the caller can write.
      rejectUnauthorized: false,
    });
    watchClientRequest(tls);
    await waitForTls(tls, cert !== undefined || pfx !== undefined);
    const fingerprint = readPeerFingerprint(tls);
    const isPinned = this.findPin(target)?.fingerprint === fingerprint;
    if (tls.authorized || acceptsAll || isPinned) return tls;
    tls.destroy();
    const code = String(tls.authorizationError);
    throw Object.assign(new Error(`The certificate is not valid: ${code}`), { code, fingerprint });
  }
}

/** Connections whose server has requested a client certificate. */
const requesting = new WeakSet<TLSSocket>();

/**
 * Detects a request for a client certificate; must be called before the handshake. A server sends
 * its signature algorithms only in that request, before the last keys are derived. They are read in
 * these events only: `getSharedSigalgs` crashes the process after the end of a connection.
 */
export const watchClientRequest = (tls: TLSSocket): void => {
  const look = (): void => {
    if (tls.getSharedSigalgs()?.length > 0) requesting.add(tls);
  };
  tls.on('keylog', look);
  tls.once('secureConnect', look);
};

export const requestsClientCertificate = (tls: TLSSocket): boolean => requesting.has(tls);

/**
 * After a request for a client certificate, a server that ends the handshake does not accept the
 * certificate, or that there is none: both sides have already agreed on version and cipher. The alert
 * with the reason can be lost, because some servers close the connection at once.
 */
const explainEnd = (tls: TLSSocket, error: Error, hasClient: boolean): Error =>
  requestsClientCertificate(tls)
    ? Object.assign(error, { code: hasClient ? REJECTED_CLIENT : MISSING_CLIENT })
    : error;

const waitForTls = (tls: TLSSocket, hasClient: boolean): Promise<void> =>
  new Promise((resolve, reject) => {
    const onError = (error: Error): void => reject(explainEnd(tls, error, hasClient));
    const createError = (code: string): Error =>
      Object.assign(new Error('The TLS handshake failed.'), { code });
    const onClose = (): void => onError(createError('ECONNRESET'));
    tls.setTimeout(HANDSHAKE_MS, () => {
      reject(createError('ETIMEDOUT'));
      tls.destroy();
    });
    tls.on('error', onError);
    tls.once('close', onClose);
    tls.once('secureConnect', () => {
      tls.setTimeout(0);
      tls.off('error', onError);
      tls.off('close', onClose);
      resolve();
    });
  });

const readPeerFingerprint = (tls: TLSSocket): string | undefined => {
  const { raw } = defined(tls.getPeerCertificate()) as { raw?: Buffer };
  return raw && createHash('sha256').update(raw).digest('hex');
};
