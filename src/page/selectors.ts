// Selectors of callers (CSS, XPath, "a >> nth=1"), and the element that a read is about.
import type { NoSubject, Subject, Suspicious } from './read-answers.ts';
import { getTitle, method, nodeType, query, queryAll, type Root } from './safe-dom.ts';
import { getShadowRoot } from './shadow.ts';
import { findElement, isHere, state } from './state.ts';

const NTH = '>> nth=';
const XPATH_PREFIX = 'xpath=';

interface ParsedSelector {
  readonly text: string;
  readonly isXPath: boolean;
  /** 0 is the first match, -1 the last one. */
  readonly nth?: number;
}

/** A CSS selector cannot start with a slash or a parenthesis. */
const isXPath = (text: string): boolean => text.startsWith(XPATH_PREFIX) || /^\(*\.?\//.test(text);

const parseSelector = (selector: string): ParsedSelector => {
  const at = selector.lastIndexOf(NTH);
  const nth = at < 0 ? NaN : Number(selector.slice(at + NTH.length));
  const text = (Number.isInteger(nth) ? selector.slice(0, at) : selector).trim();
  const parsed = { text, isXPath: isXPath(text) };
  return Number.isInteger(nth) ? { ...parsed, nth } : parsed;
};

/** Whether the selector is CSS, so that the functions of the DOM accept it. */
export const isPlainCss = (selector: string): boolean => {
  const { isXPath: isPath, nth } = parseSelector(selector);
  return !isPath && nth === undefined;
};

const evaluate = method<Document['evaluate']>(Document, 'evaluate');

/** Finds elements by XPath, which does not reach into shadow roots. */
const findByXPath = (scope: Element | Root, text: string): Element[] => {
  if (nodeType(scope) === 11) return [];
  const path = text.startsWith(XPATH_PREFIX) ? text.slice(XPATH_PREFIX.length) : text;
  const { ORDERED_NODE_SNAPSHOT_TYPE: ordered } = XPathResult;
  const result = evaluate.call(document, path, scope, null, ordered, null);
  const found: Element[] = [];
  for (let i = 0; i < result.snapshotLength; i++) {
    const node = result.snapshotItem(i);
    if (node && nodeType(node) === 1) found.push(node as Element);
  }
  return found;
};

/** All matches in these trees or elements, in their order. Throws if the selector is invalid. */
export const selectAll = (
  scopes: readonly (Element | Root)[],
  selector: string,
): readonly Element[] => {
  const { text, isXPath: isPath, nth } = parseSelector(selector);
  const found = scopes.flatMap((scope) =>
    isPath ? findByXPath(scope, text) : [...queryAll(scope, text)],
  );
  if (nth === undefined) return found;
  const one = found.at(nth);
  return one ? [one] : [];
};

/** The first match in the document, else in the further trees. */
export const selectFirst = (
  selector: string,
  listTrees: () => readonly Root[],
): Element | undefined => {
  if (!isPlainCss(selector)) return selectAll(listTrees(), selector)[0];
  const found = query(document, selector);
  return found ?? selectAll(listTrees().slice(1), selector)[0];
};

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
