// Reads and changes localStorage and sessionStorage of a frame, from an isolated world.
import { fail, type Failure } from '../../core/failure.ts';
import type {
  StorageAnswer,
  StorageChange,
  StorageEntries,
  StorageRequest,
} from '../../page/storage-answers.ts';
import { callFrames, type LoadedScript } from '../read/call-page.ts';
import type { Frame } from '../tabs/frames.ts';

export type StorageArea = StorageRequest['area'];

const source = (): LoadedScript => import('page-script:storage');

export const readStorage = async (
  frame: Frame,
  request: StorageRequest,
  signal: AbortSignal,
): Promise<StorageEntries> =>
  requireEntries(
    frame,
    await callFrames<StorageAnswer>(frame, source, '__oc_storage.read', request, signal),
  );

/** Returns the removed entries. */
export const changeStorage = async (
  frame: Frame,
  change: StorageChange,
  signal: AbortSignal,
): Promise<StorageEntries> =>
  requireEntries(
    frame,
    await callFrames<StorageAnswer>(frame, source, '__oc_storage.change', change, signal),
  );

const requireEntries = (frame: Frame, answer: StorageAnswer): StorageEntries => {
  if (answer.problem === undefined) return answer.entries;
  throw answer.problem === 'full'
    ? storageFullFailure(answer.message)
    : noStorageFailure(frame.url);
};

const storageFullFailure = (message: string): Failure =>
  fail('value_rejected', `The storage of the page is full: ${message.slice(0, 300)}`, {
    hint: 'Remove entries first, or store less.',
  });

const noStorageFailure = (url: string): Failure =>
  fail(
    'invalid_argument',
    `${url.slice(0, 200) || 'This page'} cannot store data: it has no origin.`,
    {
      hint: 'Open a web page first.',
    },
  );
