// Numbers for elements: an element keeps its number as long as it lives, and no other element ever
// gets it.
import { isConnected, ownerDocument } from './safe-dom.ts';
import { state } from './state.ts';

export const assignId = (element: Element): number => {
  const known = state.ids.get(element);
  if (known !== undefined) return known;
  const id = state.nextId++;
  state.ids.set(element, id);
  state.elements.set(id, new WeakRef(element));
  if (state.elements.size > state.sweepAt) sweep();
  return id;
};

/** The element with this number, if it still exists, in the document or out of it. */
export const findElement = (id: number): Element | undefined => state.elements.get(id)?.deref();

/** Whether the element still stands in this document. */
export const isHere = (element: Element): boolean =>
  isConnected(element) && ownerDocument(element) === document;

const sweep = (): void => {
  for (const [id, ref] of state.elements) if (ref.deref() === undefined) state.elements.delete(id);
  state.sweepAt = Math.max(4096, state.elements.size * 2);
};
