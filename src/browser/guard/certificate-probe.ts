// Finds out whether a TLS server requests a client certificate, after Chrome only reported its end.
import { isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import {
  requestsClientCertificate,
  type TlsTarget,
  watchClientRequest,
} from './certificate-trust.ts';

const PROBE_MS = 5_000;

/** Starts a TLS handshake on the socket and ends it; the server gets no request. */
export const probeClientCertificate = async (
  socket: Socket,
  { host }: TlsTarget,
): Promise<boolean> => {
  const tls = connectTls({
    socket,
    servername: isIP(host) ? '' : host,
    ALPNProtocols: ['http/1.1'],
    // Only the request of the server is read: no data is sent or used.
    rejectUnauthorized: false,
  });
  watchClientRequest(tls);
  try {
    await waitForEnd(tls);
    return requestsClientCertificate(tls);
  } finally {
    tls.destroy();
  }
};

const waitForEnd = (tls: TLSSocket): Promise<void> =>
  new Promise((resolve) => {
    tls.setTimeout(PROBE_MS, resolve);
    tls.on('error', () => resolve());
    tls.once('close', () => resolve());
    tls.once('secureConnect', () => resolve());
  });
