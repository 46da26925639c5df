// Names for things: random, short, and checked before they are used in a path.
import { randomBytes, randomInt } from 'node:crypto';

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

const base32 = (length: number): string => Array.from({ length }, () => BASE32[randomInt(32)]).join('');

/** The id under which an unexpected error stands in the log. */
export const logId = (): string => `log_${base32(8)}`;

/** A secret for one process or one connection, safe in a header and in a URL. */
export const secretToken = (): string => randomBytes(32).toString('base64url');
