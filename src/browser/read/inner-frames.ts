// The frames directly inside a frame, by the number of the element that shows each of them.
import { Deadline } from '../../core/time.ts';
import { isGone } from '../cdp/errors.ts';
import type { Frame } from '../tabs/frames.ts';
import { findFrameOwner } from './frame-owners.ts';

/** A frame that says nothing for so long is left out. */
const PATIENCE_MS = 2000;

export const listInnerFrames = async (
  frame: Frame,
  signal: AbortSignal,
): Promise<ReadonlyMap<number, Frame>> => {
  const found = new Map<number, Frame>();
  if (frame.children.size === 0) return found;
  await frame.call('element', [0], signal); // the scripts that number elements must be there
  for (const child of frame.children) {
    const owner = await findFrameOwner(child, frame, signal);
    if (owner !== undefined) found.set(owner, child);
  }
  return found;
};

/**
 * What `read` brings from a frame inside the page; nothing when the frame is gone or does not
 * answer.
 */
export const fromInnerFrame = async <T>(
  read: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
): Promise<T | undefined> => {
  using patience = new Deadline(PATIENCE_MS, undefined, signal);
  try {
    return await read(patience.signal);
  } catch (error) {
    signal.throwIfAborted();
    if (patience.signal.aborted || isGone(error)) return undefined;
    throw error;
  }
};
