// Reads and changes localStorage and sessionStorage of a frame, from an isolated world.
import { quoteText } from '../../core/text.ts';
import { fail, type Failure } from '../../core/failure.ts';
import type {
  StorageAnswer,
  StorageChange,
  StorageEntries,
  StorageRequest,
} from '../../page/state-answers.ts';
import type { Frame } from '../tabs/frames.ts';
import { inPage } from '../tabs/in-page.ts';

export type StorageArea = StorageRequest['area'];

export const readStorage = async (
  frame: Frame,
  request: StorageRequest,
  signal: AbortSignal,
): Promise<StorageEntries> =>
  requireEntries(frame, await frame.call(inPage.storage.read, [request], signal));

/** Returns the removed entries. */
export const changeStorage = async (
  frame: Frame,
  change: StorageChange,
  signal: AbortSignal,
): Promise<StorageEntries> =>
  requireEntries(frame, await frame.call(inPage.storage.change, [change], signal));

const requireEntries = (frame: Frame, answer: StorageAnswer): StorageEntries => {
  if (answer.problem === undefined) return answer.entries;
  throw answer.problem === 'full'
    ? storageFullFailure(answer.message)
    : noStorageFailure(frame.url);
};

const storageFullFailure = (message: string): Failure =>
  fail('value_rejected', `The storage of the page is full: ${quoteText(message)}.`, {
    hint: 'Remove entries first, or store less.',
  });

const noStorageFailure = (url: string): Failure =>
  fail('invalid_argument', `The page ${quoteText(url)} cannot store data: it has no origin.`, {
    hint: 'Open a web page first.',
  });
