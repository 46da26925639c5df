// Lists the direct subframes of a frame by the id of the element that shows each of them.
import { Deadline } from '../../core/time.ts';
import { isGone } from '../cdp/errors.ts';
import type { Frame } from '../tabs/frames.ts';
import { findFrameOwner } from './frame-owners.ts';
import { inPage } from '../tabs/in-page.ts';

/** A subframe that does not respond within this time is omitted. */
const PATIENCE_MS = 2000;

export const listInnerFrames = async (
  frame: Frame,
  signal: AbortSignal,
): Promise<ReadonlyMap<number, Frame>> => {
  const found = new Map<number, Frame>();
  if (frame.children.size === 0) return found;
  await frame.call(inPage.main.element, [0], signal); // installs the scripts that assign element ids
  for (const child of frame.children) {
    const owner = await findFrameOwner(child, frame, signal);
    if (owner !== undefined) found.set(owner, child);
  }
  return found;
};

/** Returns the result of `read`; undefined if the frame is gone or does not respond in time. */
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
