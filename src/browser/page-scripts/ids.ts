// Numbers for elements: an element keeps its number as long as it lives, and no other element ever gets it.
import { isConnected, ownerDocument } from './dom.ts';
import { type State, state } from './state.ts';

export const idOf = (element: Element): number => numberIn(state, element);

const numberIn = (numbers: State, element: Element): number => {
  const known = numbers.ids.get(element);
  if (known !== undefined) return known;
  const id = numbers.nextId++;
  numbers.ids.set(element, id);
  numbers.elements.set(id, new WeakRef(element));
  if (numbers.elements.size > numbers.sweepAt) sweep(numbers);
  return id;
};

/** The number, in the document around, of the element that shows this one; 0 where that is of another origin, or there is none. */
export const ownerNumber = (): number => {
  try {
    const owner = window.frameElement;
    const outer = (window.parent as { __ocState?: State }).__ocState;
    return owner && outer ? numberIn(outer, owner) : 0;
  } catch {
    return 0;
  }
};

/** The element with this number, if it still exists, in the document or out of it. */
export const elementOf = (id: number): Element | undefined => state.elements.get(id)?.deref();

/** Whether the element still stands in this document. */
export const isHere = (element: Element): boolean => isConnected(element) && ownerDocument(element) === document;

const sweep = (numbers: State): void => {
  for (const [id, ref] of numbers.elements) if (ref.deref() === undefined) numbers.elements.delete(id);
  numbers.sweepAt = Math.max(4096, numbers.elements.size * 2);
};
