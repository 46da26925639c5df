// Creates the key and self-signed certificate that the TLS bridge shows to our Chrome.
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

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
export const createBridgeCertificate = (): BridgeCertificate => {
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
