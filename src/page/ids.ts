// Assigns ids to elements; an element keeps its id, and no id is used twice.
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

/** The element with this id, if it still exists, attached or detached. */
export const findElement = (id: number): Element | undefined => state.elements.get(id)?.deref();

/** Whether the element is still in this document. */
export const isHere = (element: Element): boolean =>
  isConnected(element) && ownerDocument(element) === document;

const sweep = (): void => {
  for (const [id, ref] of state.elements) if (ref.deref() === undefined) state.elements.delete(id);
  state.sweepAt = Math.max(4096, state.elements.size * 2);
};
