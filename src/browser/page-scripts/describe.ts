// Single elements in short: what they are now, for checking a ref before it is used and for elements found by selector.
import { localName, matches, queryAll, type Root } from './dom.ts';
import { elementOf, idOf, isHere } from './ids.ts';
import { Labels } from './labels.ts';
import { type Known, nameOf } from './names.ts';
import type { Described } from './record.ts';
import { roleOf } from './roles.ts';
import { shadowRootOf } from './shadow.ts';
import { GeneratedContent } from './style.ts';

const describe = (element: Element, known: Known): Described => {
  const tag = localName(element);
  const role = roleOf(element, tag);
  return { id: idOf(element), role, name: nameOf(element, tag, role, known).text };
};

const know = (): Known => ({ generated: new GeneratedContent(), labels: new Labels() });

/** The elements that match, in shadow trees too, at most `limit` of them. */
export const select = (selector: string, limit: number): Described[] => {
  const known = know();
  const found: Described[] = [];
  const search = (root: Root): void => {
    for (const element of queryAll(root, '*')) {
      if (found.length >= limit) return;
      if (matches(element, selector)) found.push(describe(element, known));
      const inner = shadowRootOf(element);
      if (inner) search(inner);
    }
  };
  search(document);
  return found;
};

/** The element with this number, for the debugger; null when it has left the document. */
export const element = (id: number): Element | null => {
  const found = elementOf(id);
  return found && isHere(found) ? found : null;
};
