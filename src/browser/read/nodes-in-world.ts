// Nodes that only the debugger can point at, brought into a frame's isolated world: frame owners and closed shadow roots.
import { promised } from '../cdp/connection.ts';
import { type Frame, WORLD } from '../tabs/frames.ts';

/** Calls a page-script function with a node known by its backend number as its only argument. */
export const callWithNode = async <T>(frame: Frame, name: string, node: number | Promise<number>, signal: AbortSignal): Promise<T> => {
  const { session } = frame;
  const [{ executionContextId }, backendNodeId] = await Promise.all([
    // Asking again for a world of the same name gives the one that is there, with its number.
    session.send('Page.createIsolatedWorld', { frameId: frame.id, worldName: WORLD }, signal),
    node,
    frame.call('ready', [], signal),
  ]);
  const { object } = await session.send('DOM.resolveNode', { backendNodeId, executionContextId }, signal);
  const objectId = promised(object.objectId, 'the object of a node');
  const { result } = await session.send(
    'Runtime.callFunctionOn',
    { objectId, functionDeclaration: `function () { return __oc.${name}(this); }`, returnByValue: true },
    signal,
  );
  release(frame, objectId);
  return result.value as T;
};

/** Lets go of an object in the page; a navigation may have done so already. */
export const release = (frame: Frame, objectId: string): void => {
  frame.session.send('Runtime.releaseObject', { objectId }).catch(() => {});
};
