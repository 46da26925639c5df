// Builds and follows paths of selectors that find an element again after a reload.
import {
  attributeText,
  elementId,
  getRoot,
  localName,
  parentNode,
  query,
  queryAll,
  type Root,
} from '../safe-dom.ts';
import { getShadowRoot } from '../shadow.ts';
import type { ElementPath } from '../page-state-answers.ts';

const MAX_DEPTH = 200;
const MAX_TREES = 50;

export const pathTo = (element: Element): ElementPath => {
  const path: string[] = [];
  for (let at: Element | undefined = element; at && path.length < MAX_TREES;) {
    const root = getRoot(at) as Root;
    path.unshift(selectorIn(root, at));
    at = root instanceof ShadowRoot ? root.host : undefined;
  }
  return path;
};

/** Starts at the nearest unique id, then goes down by :nth-child. */
const selectorIn = (root: Root, element: Element): string => {
  const steps: string[] = [];
  for (let at: Element | null = element; at && steps.length < MAX_DEPTH;) {
    const id = elementId(at);
    if (typeof id === 'string' && id !== '' && queryAll(root, `#${CSS.escape(id)}`).length === 1) {
      steps.unshift(`#${CSS.escape(id)}`);
      break;
    }
    const parent: Node | null = parentNode(at);
    steps.unshift(
      `${CSS.escape(localName(at))}${parent ? `:nth-child(${placeAmong(parent, at)})` : ''}`,
    );
    at = parent instanceof Element ? parent : null;
  }
  return steps.join('>');
};

const placeAmong = (parent: Node, child: Element): number => {
  let place = 1;
  for (let other = child.previousElementSibling; other; other = other.previousElementSibling)
    place++;
  return parent.nodeType === Node.DOCUMENT_NODE ? 1 : place;
};

/** The element that a path leads to; undefined if it is missing or a selector is invalid. */
export const follow = (path: ElementPath): Element | undefined => {
  let root: Root | null = document;
  let found: Element | null = null;
  try {
    for (const selector of path) {
      found = root ? query(root, selector) : null;
      if (!found) return undefined;
      root = getShadowRoot(found);
    }
  } catch {
    return undefined;
  }
  return found ?? undefined;
};

export const readNameAttribute = (element: Element): string => attributeText(element, 'name');
