// Finds the element of the parent document that shows a frame; cached per document of the parent.
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
