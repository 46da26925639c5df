// The flattened tree: shadow roots (closed ones too, once they were handed in), slots and what is
// assigned to them.
import {
  activeElement,
  firstChild,
  localName,
  nextSibling,
  nodeType,
  openShadowRoot,
  query,
  queryAll,
  type Root,
  getRoot,
} from './safe-dom.ts';
import { state } from './state.ts';

/** The shadow root that an element shows instead of its own children. */
export const getShadowRoot = (element: Element): ShadowRoot | null =>
  openShadowRoot(element) ??
  (state.hasClosedRoots ? (state.closedRoots.get(element) ?? null) : null);

/** The nodes that a slot shows: what is assigned to it, else its own content. */
export const getAssignedNodes = (slot: Element): Node[] | undefined => {
  if (!(slot instanceof HTMLSlotElement) || nodeType(getRoot(slot)) !== 11) return undefined;
  const assigned = slot.assignedNodes();
  return assigned.length ? assigned : undefined;
};

/** Visits what is shown inside an element, in the order in which it is shown. */
export const eachFlatChild = (element: Element, visit: (child: Node) => void): void => {
  if (localName(element) === 'slot') {
    const assigned = getAssignedNodes(element);
    if (assigned) {
      for (const node of assigned) visit(node);
      return;
    }
  }
  for (let child = firstChild(getShadowRoot(element) ?? element); child;) {
    const next: Node | null = nextSibling(child);
    visit(child);
    child = next;
  }
};

/** The first match in a tree, else in the shadow trees inside it. */
export const queryInTrees = (root: Root, selector: string): Element | undefined => {
  const found = query(root, selector);
  if (found) return found;
  for (const host of queryAll(root, '*')) {
    const inner = getShadowRoot(host);
    const match = inner && queryInTrees(inner, selector);
    if (match) return match;
  }
  return undefined;
};

/** Keeps closed roots that the debugger handed in, so that walks see through their hosts. */
export const adoptRoots = (...roots: ShadowRoot[]): void => {
  for (const root of roots) {
    state.closedRoots.set(root.host, root);
    state.hasClosedRoots = true;
    // every other of this name is worth asking about
    state.clearedNames.set(localName(root.host), -Infinity);
  }
};

/** The element that has the focus, inside whatever shadow trees. */
export const activeInTrees = (): Element | null => {
  let active = activeElement();
  for (
    let inner: Element | null | undefined = active;
    inner;
    inner = active && getShadowRoot(active)?.activeElement
  )
    active = inner;
  return active;
};
