// Finds the elements that show frames, and converts points of a frame to page coordinates.
import { fail } from '../../core/failure.ts';
import { Deadline } from '../../core/time.ts';
import type { Point, Problem } from '../../page/act/act-answers.ts';
import { isGone } from '../cdp/errors.ts';
import type { Frame } from '../tabs/frames.ts';
import { inPage } from '../tabs/in-page.ts';

interface Owner {
  /** The document in which the id is valid. */
  readonly loaderId: string;
  readonly id: number;
}

const owners = new WeakMap<Frame, Owner>();

/** Returns the id of the owner element in the parent document; undefined if the frame is gone. */
export const findFrameOwner = async (
  frame: Frame,
  parent: Frame,
  signal: AbortSignal,
): Promise<number | undefined> => {
  const known = owners.get(frame);
  const { loaderId } = parent;
  if (known?.loaderId === loaderId) return known.id;
  try {
    const { backendNodeId } = await parent.session.send(
      'DOM.getFrameOwner',
      { frameId: frame.id },
      signal,
    );
    const owner = await parent.objectsOf([backendNodeId], signal);
    if (owner.length === 0) return undefined;
    const id = await parent.callWith(inPage.main.assignId, owner, signal);
    owners.set(frame, { loaderId, id });
    return id;
  } catch (error) {
    if (isGone(error) || /Frame with the given id/i.test(String(error))) return undefined;
    throw error;
  }
};

// Lists the direct subframes of a frame by the id of the element that shows each of them.

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

// Converts a point in a frame to page coordinates through all parent frames, in any process.

type ThroughFrames =
  | { readonly point: Point }
  | { readonly frame: Frame; readonly problem: Problem };

/**
 * Returns the point in page coordinates, or the parent frame in which another element covers it.
 */
export const toPageCoordinates = async (
  frame: Frame,
  inner: Point,
  signal: AbortSignal,
): Promise<ThroughFrames> => {
  let point = inner;
  for (let at = frame; at.parent; at = at.parent) {
    // makes sure that the page scripts are installed
    await at.parent.call(inPage.more.waitForChange, [0], signal);
    const owner = await findFrameOwner(at, at.parent, signal);
    if (owner === undefined) throw fail('page_changed', 'The frame of the target was removed.');
    const outer = await at.parent.call(inPage.more.mapThroughFrame, [owner, point], signal);
    if (outer.problem !== undefined) return { frame: at.parent, problem: outer };
    point = outer.point;
    // Chrome selects the process for a press from the last drawn frame.
    if (outer.scrolled) await at.parent.call(inPage.more.waitUntilDrawn, [], signal);
  }
  return { point };
};
