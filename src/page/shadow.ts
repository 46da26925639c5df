// The flattened tree: open shadow roots, closed ones from the debugger, and slotted nodes.
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

/** The open shadow root of an element, or its closed one if the debugger provided it. */
export const getShadowRoot = (element: Element): ShadowRoot | null =>
  openShadowRoot(element) ??
  (state.hasClosedRoots ? (state.closedRoots.get(element) ?? null) : null);

/**
 * The nodes that are assigned to a slot; undefined if there are none or it is not in a shadow root.
 */
export const getAssignedNodes = (slot: Element): Node[] | undefined => {
  if (!(slot instanceof HTMLSlotElement) || nodeType(getRoot(slot)) !== 11) return undefined;
  const assigned = slot.assignedNodes();
  return assigned.length ? assigned : undefined;
};

/** Visits the children of an element in the flattened tree, in order. */
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

/** The first match in a tree, else in the shadow roots inside it. */
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

/** Stores closed roots from the debugger, so that walks can read them. */
export const adoptRoots = (...roots: ShadowRoot[]): void => {
  for (const root of roots) {
    state.closedRoots.set(root.host, root);
    state.hasClosedRoots = true;
    // check all other elements of this tag too
    state.clearedNames.set(localName(root.host), -Infinity);
  }
};

/** The focused element, also inside shadow roots. */
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
