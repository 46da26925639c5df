// The selectors of callers: CSS, XPath ("//a" or "xpath=a"), and one of the matches ("a >> nth=1").
import { method, nodeType, query, queryAll, type Root } from './safe-dom.ts';

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
