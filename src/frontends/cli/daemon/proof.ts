// How a daemon shows that it is the one in daemon.json before it is sent anything: only it can know
// the token.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

export const NONCE_HEADER = 'openchrome-nonce';

export const createNonce = (): string => randomBytes(16).toString('hex');

/**
 * Bound to the port, so that nobody who listens elsewhere can have the real one make it for him.
 */
export const buildProof = (token: string, nonce: string, port: number): string =>
  createHmac('sha256', token).update(`openchrome daemon ${nonce} ${port}`).digest('hex');

export const isProof = (given: unknown, expected: string): boolean =>
  typeof given === 'string' &&
  given.length === expected.length &&
  timingSafeEqual(Buffer.from(given), Buffer.from(expected));
