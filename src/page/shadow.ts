// The flattened tree: open and closed shadow roots, slotted nodes, and the list of known trees.
import { valueIf } from './objects.ts';
import {
  activeElement,
  firstChild,
  getRoot,
  getter,
  isElement,
  parentNode,
  localName,
  method,
  nextSibling,
  nodeType,
  openShadowRoot,
  queryAll,
  type Root,
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
  return valueIf(assigned.length, assigned);
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

const getAssignedSlot = getter<HTMLSlotElement | null>(Element, 'assignedSlot');

/** The parent in the flat tree: the slot of slotted content, the host of a shadow root. */
export const composedParent = (node: Node): Element | undefined => {
  const slot = isElement(node) ? getAssignedSlot(node) : (node as Text).assignedSlot;
  if (slot) return slot;
  const parent = parentNode(node);
  if (!parent) return undefined;
  if (isElement(parent)) return parent;
  return parent instanceof ShadowRoot ? parent.host : undefined;
};

/** The element or its nearest ancestor in the flat tree that passes the test. */
export const findAncestor = (
  element: Element | undefined,
  test: (ancestor: Element) => boolean,
): Element | undefined => {
  for (let at = element; at; at = composedParent(at)) if (test(at)) return at;
  return undefined;
};

/** Whether `inner` is `outer` or its descendant in the flat tree. */
export const isInside = (inner: Element, outer: Element): boolean =>
  findAncestor(inner, (at) => at === outer) !== undefined;

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

// Finds the document and its known shadow roots without visiting every element.

/** The standard elements that can host a shadow root; all other hosts have a dash in their tag. */
const HOST_TAGS =
  'article,aside,blockquote,body,div,footer,h1,h2,h3,h4,h5,h6,header,main,nav,p,section,span';
const MAX_TREES = 1000;

const evaluate = method<Document['evaluate']>(Document, 'evaluate');

/**
 * Elements with a dash in their tag. XPath filters them natively, which avoids a wrapper object for
 * every element.
 */
const customElements = (): Element[] => {
  const found: Element[] = [];
  const result = evaluate.call(
    document,
    "//*[contains(local-name(), '-')]",
    document,
    null,
    XPathResult.ORDERED_NODE_SNAPSHOT_TYPE,
    null,
  );
  for (let i = 0; i < result.snapshotLength; i++) found.push(result.snapshotItem(i) as Element);
  return found;
};

function* possibleHosts(root: Root): Generator<Element> {
  if (root === document) {
    yield* customElements();
    yield* queryAll(root, HOST_TAGS);
  } else yield* queryAll(root, '*');
}

/**
 * All trees, the document first. Calls `look` for each possible host without a known shadow root.
 */
export const trees = (look?: (element: Element, tag: string) => void): Root[] => {
  const found: Root[] = [document];
  for (let i = 0; i < found.length && found.length < MAX_TREES; i++) {
    for (const element of possibleHosts(found[i] as Root)) {
      const inner = getShadowRoot(element);
      if (inner) found.push(inner);
      else look?.(element, localName(element));
    }
  }
  return found;
};
