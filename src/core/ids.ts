// Names for things: random, short, and checked before they are used in a path.
import { randomBytes, randomInt } from 'node:crypto';

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

const base32 = (length: number): string =>
  Array.from({ length }, () => BASE32[randomInt(32)]).join('');

/** The id under which an unexpected error stands in the log. */
export const createLogId = (): string => `log_${base32(8)}`;

/** The name of a stored payload: 60 random bits. */
export const createOutputHandle = (): string => `oh_${base32(12)}`;

/** The name that belongs to these bytes (at least 12 of them), the same every time. */
export const buildOutputHandle = (bytes: Uint8Array): string =>
  `oh_${Array.from(bytes.subarray(0, 12), (byte) => BASE32[byte & 31]).join('')}`;

export const OUTPUT_HANDLE = /^oh_[A-Z2-7]{12}$/;

/** The name of a task: eleven digits of time, so that names sort by age, and five random ones. */
export const TASK_ID = /^[0-9a-f]{16}$/;

/** Makes names that grow, also within a millisecond and when the clock is set back. */
export const createTaskIds = (now: () => number = Date.now): (() => string) => {
  let last = 0;
  return () => {
    last = Math.max(last + 1, now());
    return `${last.toString(16).padStart(11, '0')}${randomBytes(3).toString('hex').slice(1)}`;
  };
};

/** When a task of this name was made, in milliseconds since 1970. */
export const parseTaskTime = (id: string): number => Number.parseInt(id.slice(0, 11), 16);

/** A word by which notes of this process are known; no page can guess it. */
export const NOTE_WORD = base32(8);

/** A secret for one process or one connection, safe in a header and in a URL. */
export const createSecretToken = (): string => randomBytes(32).toString('base64url');
