// Describes single elements: to check a ref before it is used, and for selector matches.
import { localName, matches, queryAll, type Root } from './safe-dom.ts';
import { computeFingerprint } from './fingerprint.ts';
import { findElement, assignId, isHere } from './ids.ts';
import { Labels } from './labels.ts';
import { type NameCache, computeName } from './names.ts';
import type { WalkedElement, IdentifiedElement } from './walk-record.ts';
import { CONTROL_ROLES, computeRole } from './roles.ts';
import { getShadowRoot } from './shadow.ts';
import { GeneratedContent } from './style.ts';
import { shortLine } from './visible-text.ts';

const describe = (element: Element, known: NameCache): WalkedElement => {
  const tag = localName(element);
  const role = computeRole(element, tag);
  return { id: assignId(element), role, name: computeName(element, tag, role, known).text };
};

const createNameCache = (): NameCache => ({
  generated: new GeneratedContent(),
  labels: new Labels(),
});

/** The elements that match, in shadow trees too, at most `limit` of them. */
export const select = (selector: string, limit: number): WalkedElement[] => {
  const known = createNameCache();
  const found: WalkedElement[] = [];
  const search = (root: Root): void => {
    for (const element of queryAll(root, '*')) {
      if (found.length >= limit) return;
      if (matches(element, selector)) found.push(describe(element, known));
      const inner = getShadowRoot(element);
      if (inner) search(inner);
    }
  };
  search(document);
  return found;
};

const MAX_NAME_CHARS = 200;

/** The element of a ref as it is now; null if it has left the document. */
export const identify = (id: number): IdentifiedElement | null => {
  const found = element(id);
  if (!found) return null;
  const { role, name } = describe(found, createNameCache());
  const text =
    name === '' && !CONTROL_ROLES.has(role)
      ? shortLine(found.textContent.slice(0, 1000), MAX_NAME_CHARS)
      : name;
  return { id, role: role === '' ? 'clickable' : role, name: text, ...computeFingerprint(found) };
};

/** The element with this id, for the debugger; null if it has left the document. */
export const element = (id: number): Element | null => {
  const found = findElement(id);
  return found && isHere(found) ? found : null;
};
