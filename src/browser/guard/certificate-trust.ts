// The server certificates that the user accepts in addition to those of public issuers.
import { createHash } from 'node:crypto';
import { isIP, type Socket } from 'node:net';
import { connect as connectTls, rootCertificates, type TLSSocket } from 'node:tls';
import { defined } from '../../core/defined.ts';

interface TlsTarget {
  readonly host: string;
  readonly port: number;
}

/** A server that is accepted with exactly one certificate. */
export interface PinnedServer extends TlsTarget {
  /** SHA-256 of the certificate, in lower-case hex digits. */
  readonly fingerprint: string;
}

const HANDSHAKE_MS = 10_000;
const HTTPS_PORT = 443;

/** The format is checked by the configuration: HOST[:PORT]=SHA256. */
export const parsePin = (text: string): PinnedServer => {
  const at = text.lastIndexOf('=');
  const { hostname, port } = new URL(`https://${text.slice(0, at)}`);
  return {
    host: stripBrackets(hostname),
    port: Number(port) || HTTPS_PORT,
    fingerprint: text
      .slice(at + 1)
      .replaceAll(':', '')
      .toLowerCase(),
  };
};

const stripBrackets = (host: string): string => host.replace(/^\[|\]$/g, '');

export class CertificateTrust {
  constructor(
    readonly insecure: boolean,
    readonly pins: readonly PinnedServer[],
    /** PEM texts of the issuers of --ca-cert. */
    readonly issuers: readonly string[],
  ) {}

  findPin({ host, port }: TlsTarget): PinnedServer | undefined {
    return this.pins.find((pin) => pin.host === host.toLowerCase() && pin.port === port);
  }

  /** Starts TLS on a connection for our own requests; rejects if the certificate is not valid. */
  secure(socket: Socket, target: TlsTarget): Promise<TLSSocket> {
    // Without `ca`, Node also trusts the issuers of NODE_EXTRA_CA_CERTS.
    const ca = this.issuers.length > 0 ? [...rootCertificates, ...this.issuers] : undefined;
    return this.#handshake(socket, target, ca, this.insecure);
  }

  /** Starts TLS; rejects unless the server has a pinned certificate or one of --ca-cert. */
  secureNamed(socket: Socket, target: TlsTarget): Promise<TLSSocket> {
    return this.#handshake(socket, target, [...this.issuers], false);
  }

  async #handshake(
    socket: Socket,
    target: TlsTarget,
    ca: string[] | undefined,
    acceptsAll: boolean,
  ): Promise<TLSSocket> {
    const { host } = target;
    const tls = connectTls({
      socket,
      host,
      servername: isIP(host) ? '' : host,
      ALPNProtocols: ['http/1.1'],
      ca,
      // The certificate is checked below, before the caller can write.
      rejectUnauthorized: false,
    });
    await waitForTls(tls);
    const fingerprint = readPeerFingerprint(tls);
    const isPinned = this.findPin(target)?.fingerprint === fingerprint;
    if (tls.authorized || acceptsAll || isPinned) return tls;
    tls.destroy();
    const code = String(tls.authorizationError);
    throw Object.assign(new Error(`The certificate is not valid: ${code}`), { code, fingerprint });
  }
}

const waitForTls = (tls: TLSSocket): Promise<void> =>
  new Promise((resolve, reject) => {
    const failWith = (code: string) => () => {
      const error = Object.assign(new Error('The TLS handshake failed.'), { code });
      reject(error);
      tls.destroy();
    };
    const onClose = failWith('ECONNRESET');
    tls.setTimeout(HANDSHAKE_MS, failWith('ETIMEDOUT'));
    tls.on('error', reject);
    tls.once('close', onClose);
    tls.once('secureConnect', () => {
      tls.setTimeout(0);
      tls.off('error', reject);
      tls.off('close', onClose);
      resolve();
    });
  });

const readPeerFingerprint = (tls: TLSSocket): string | undefined => {
  const { raw } = defined(tls.getPeerCertificate()) as { raw?: Buffer };
  return raw && createHash('sha256').update(raw).digest('hex');
};
