// Finds the element that a read is about, in one document and its shadow roots (not in frames).
import { query, queryAll, getTitle, type Root } from './safe-dom.ts';
import { findElement, isHere, state } from './state.ts';
import type { NoSubject, Subject, Suspicious } from './read-answers.ts';
import { getShadowRoot } from './shadow.ts';

const MAX_ROOTS = 500;

export const documentTitle = (): string => getTitle(document).slice(0, 1000);

/** The document and all its shadow roots, the document first. */
export const searchable = (): Root[] => {
  const roots: Root[] = [document];
  for (let i = 0; i < roots.length && roots.length < MAX_ROOTS; i++) {
    for (const element of queryAll(roots[i] as Root, '*')) {
      const inner = getShadowRoot(element);
      if (inner) roots.push(inner);
    }
  }
  return roots;
};

/** The first match in the document, else the first match in its shadow roots. */
const deepQuery = (selector: string): Element | undefined => {
  const found = query(document, selector);
  if (found) return found;
  for (const root of searchable().slice(1)) {
    const inner = query(root, selector);
    if (inner) return inner;
  }
  return undefined;
};

export const deepQueryAll = (
  selector: string,
  limit: number,
): { readonly elements: Element[]; readonly total: number } => {
  const elements: Element[] = [];
  let total = 0;
  for (const root of searchable()) {
    const found = queryAll(root, selector);
    total += found.length;
    for (let i = 0; i < found.length && elements.length < limit; i++)
      elements.push(found[i] as Element);
  }
  return { elements, total };
};

export const findSubject = ({ selector, id }: Subject): Element | NoSubject => {
  if (id !== undefined) {
    const element = findElement(id);
    return element && isHere(element) ? element : noSubject('no_match');
  }
  try {
    return deepQuery(selector ?? 'html') ?? noSubject('no_match');
  } catch {
    return noSubject('bad_selector');
  }
};

const noSubject = (problem: NoSubject['problem']): NoSubject => ({
  problem,
  title: documentTitle(),
});

export const isNoSubject = (found: Element | NoSubject): found is NoSubject => 'problem' in found;

/** Adds the number of elements that may host a closed shadow root. */
export const withSuspects = <T extends object>(
  read: () => T | NoSubject,
): (T & Suspicious) | NoSubject => {
  state.suspects = [];
  const answer = read();
  return 'problem' in answer ? answer : { ...answer, suspects: state.suspects.length };
};
