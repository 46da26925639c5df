// Finds the element that a read is about, in one document and its shadow roots (not in frames).
import { queryAll, getTitle, type Root } from './safe-dom.ts';
import { selectAll, selectFirst } from './selectors.ts';
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

export const deepQueryAll = (
  selector: string,
  limit: number,
): { readonly elements: readonly Element[]; readonly total: number } => {
  const found = selectAll(searchable(), selector);
  return { elements: found.slice(0, limit), total: found.length };
};

export const findSubject = ({ selector, id }: Subject): Element | NoSubject => {
  if (id !== undefined) {
    const element = findElement(id);
    return element && isHere(element) ? element : noSubject('no_match');
  }
  try {
    return selectFirst(selector ?? 'html', searchable) ?? noSubject('no_match');
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
