// Creates and parses ids: log ids, output handles, task ids and secret tokens.
import { randomBytes, randomInt } from 'node:crypto';

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

const base32 = (length: number): string =>
  Array.from({ length }, () => BASE32[randomInt(32)]).join('');

/** The id of a question to the user, short enough to be typed. */
export const createWaitingId = (): string => base32(6).toLowerCase();

export const WAITING_ID = /^[a-z2-7]{6}$/;

/** The id of an unexpected error in the log. */
export const createLogId = (): string => `log_${base32(8)}`;

/** The id of a stored payload: 60 random bits. */
export const createOutputHandle = (): string => `oh_${base32(12)}`;

/** The handle that is derived from these bytes (at least 12). */
export const buildOutputHandle = (bytes: Uint8Array): string =>
  `oh_${Array.from(bytes.subarray(0, 12), (byte) => BASE32[byte & 31]).join('')}`;

export const OUTPUT_HANDLE = /^oh_[A-Z2-7]{12}$/;

/** A task id: eleven hex digits of time, so that ids sort by age, and five random ones. */
export const TASK_ID = /^[0-9a-f]{16}$/;

/** Creates ascending ids, also within one millisecond and when the clock is set back. */
export const createTaskIds = (now: () => number = Date.now): (() => string) => {
  let last = 0;
  return () => {
    last = Math.max(last + 1, now());
    return `${last.toString(16).padStart(11, '0')}${randomBytes(3).toString('hex').slice(1)}`;
  };
};

/** The creation time of a task, in Unix milliseconds. */
export const parseTaskTime = (id: string): number => Number.parseInt(id.slice(0, 11), 16);

/** A random word that marks the notes of this process; a page cannot guess it. */
export const NOTE_WORD = base32(8);

/** A random secret for one process or connection, safe in headers and URLs. */
export const createSecretToken = (): string => randomBytes(32).toString('base64url');
