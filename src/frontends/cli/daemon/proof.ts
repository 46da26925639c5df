// Proves a daemon's identity before it is sent anything: only the daemon knows the token.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

export const NONCE_HEADER = 'openchrome-nonce';

export const createNonce = (): string => randomBytes(16).toString('hex');

/**
 * Includes the port, so that a program on another port cannot relay the proof of the real daemon.
 */
export const buildProof = (token: string, nonce: string, port: number): string =>
  createHmac('sha256', token).update(`openchrome daemon ${nonce} ${port}`).digest('hex');

export const isProof = (given: unknown, expected: string): boolean =>
  typeof given === 'string' &&
  given.length === expected.length &&
  timingSafeEqual(Buffer.from(given), Buffer.from(expected));
