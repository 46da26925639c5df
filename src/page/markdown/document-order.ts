// Walks over the nodes inside of an element in document order, without recursion.
import { firstChild, nextSibling, parentNode } from '../safe-dom.ts';

/** The node after `node` inside of `root`. */
export const findNext = (node: Node, root: Element): Node | null =>
  firstChild(node) ?? findNextOutside(node, root);

/** The first node after the content of `node`, inside of `root`. */
export const findNextOutside = (node: Node, root: Element): Node | null => {
  for (let at: Node | null = node; at && at !== root; at = parentNode(at)) {
    const next = nextSibling(at);
    if (next) return next;
  }
  return null;
};
