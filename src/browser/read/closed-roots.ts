// Closed shadow roots: found by asking the debugger about suspicious elements, then handed to the page-scripts for good.
import { isGone } from '../cdp/errors.ts';
import type { Frame } from '../tabs/frames.ts';
import { callWithNode, release } from './nodes-in-world.ts';

/** Looks behind the elements that the last walk suspected; returns how many closed roots came to light. */
export const openClosedRoots = async (frame: Frame, signal: AbortSignal): Promise<number> => {
  const list = await frame.callForHandle('takeSuspects', [], signal);
  if (list === undefined) return 0;
  const { result } = await frame.session.send('Runtime.getProperties', { objectId: list, ownProperties: true }, signal);
  const elements = result.flatMap(({ name, value }) => (/^\d+$/.test(name) && value?.objectId ? [value.objectId] : []));
  const roots = (await Promise.all(elements.map((objectId) => closedRootOf(frame, objectId, signal)))).flat();
  release(frame, list);
  const adopted = await Promise.all(roots.map((root) => callWithNode<boolean>(frame, 'adoptRoot', root, signal)));
  return adopted.filter(Boolean).length;
};

const closedRootOf = async (frame: Frame, objectId: string, signal: AbortSignal): Promise<number[]> => {
  try {
    const { node } = await frame.session.send('DOM.describeNode', { objectId, depth: 0, pierce: true }, signal);
    return (node.shadowRoots ?? []).filter(({ shadowRootType }) => shadowRootType === 'closed').map(({ backendNodeId }) => backendNodeId);
  } catch (error) {
    if (isGone(error)) return []; // removed meanwhile
    throw error;
  } finally {
    release(frame, objectId);
  }
};
