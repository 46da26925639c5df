// Compiles CSS selectors of our own code to tests for the elements of a parsed page.
import {
  AttributeAction,
  type AttributeSelector,
  isTraversal,
  parse,
  type Selector,
  SelectorType,
} from 'css-what';
import { getOrCreate } from '../../core/collections.ts';

/** The part of an element that selectors test. */
interface SelectedElement {
  readonly localName: string;
  readonly parentElement: SelectedElement | null;
  getAttribute(name: string): string | null;
}

export type ElementTest = (element: SelectedElement) => boolean;

/** Selectors are constants of the program, so the cache is bounded. */
const compiled = new Map<string, ElementTest>();

/** Supports tags, attributes, classes and ids, with descendant and child combinators. */
export const compileSelector = (selector: string): ElementTest =>
  getOrCreate(compiled, selector, () => joinAlternatives(parse(selector)));

/** Tests only the alternatives for the element's tag. */
const joinAlternatives = (alternatives: readonly Selector[][]): ElementTest => {
  const tags = alternatives.map((tokens) => (tokens.length === 1 ? findTag(tokens) : undefined));
  if (!tags.includes(undefined)) {
    const names = new Set(tags);
    return ({ localName }) => names.has(localName);
  }
  const byTag = new Map<string, ElementTest[]>();
  for (const tokens of alternatives) {
    const tests = getOrCreate(byTag, findTag(tokens) ?? '*', (): ElementTest[] => []);
    tests.push(buildTest(tokens));
  }
  const anyTag = byTag.get('*');
  if (!anyTag) return (element) => passesOne(byTag.get(element.localName), element);
  return (element) =>
    passesOne(anyTag, element) || passesOne(byTag.get(element.localName), element);
};

const passesOne = (
  tests: readonly ElementTest[] | undefined,
  element: SelectedElement,
): boolean => {
  if (tests === undefined) return false;
  for (const test of tests) if (test(element)) return true;
  return false;
};

/** The tag name that the last part of a selector requires. */
const findTag = (tokens: readonly Selector[]): string | undefined => {
  const own = tokens.slice(tokens.findLastIndex(isTraversal) + 1);
  const tag = own.find((token) => token.type === SelectorType.Tag);
  return tag?.name.toLowerCase();
};

const buildTest = (tokens: readonly Selector[]): ElementTest => {
  const at = tokens.findLastIndex(isTraversal);
  const tests = tokens.slice(at + 1).map(buildPart);
  const combinator = tokens[at];
  if (combinator) tests.push(buildAncestorTest(combinator.type, buildTest(tokens.slice(0, at))));
  const [first, ...more] = tests;
  if (!first) return () => true;
  return more.length === 0 ? first : (element) => tests.every((test) => test(element));
};

const buildPart = (token: Selector): ElementTest => {
  if (token.type === SelectorType.Universal) return () => true;
  if (token.type === SelectorType.Attribute) return buildAttributeTest(token);
  if (token.type !== SelectorType.Tag) throw new Error(`unsupported selector: ${token.type}`);
  const name = token.name.toLowerCase();
  return ({ localName }) => localName === name;
};

const buildAncestorTest = (combinator: SelectorType, test: ElementTest): ElementTest => {
  if (combinator === SelectorType.Child)
    return ({ parentElement }) => parentElement !== null && test(parentElement);
  if (combinator !== SelectorType.Descendant)
    throw new Error(`unsupported combinator: ${combinator}`);
  return ({ parentElement }) => {
    for (let at = parentElement; at; at = at.parentElement) if (test(at)) return true;
    return false;
  };
};

/** The attributes in our selectors whose values HTML compares without case. */
const CASELESS = new Set(['http-equiv', 'lang', 'rel', 'type']);

const ACTIONS: Partial<Record<AttributeAction, (value: string, wanted: string) => boolean>> = {
  [AttributeAction.Equals]: (value, wanted) => value === wanted,
  [AttributeAction.Any]: (value, wanted) => value.includes(wanted),
  [AttributeAction.Element]: (value, wanted) =>
    value === wanted || (value.includes(wanted) && value.split(/\s+/).includes(wanted)),
};

const buildAttributeTest = (token: AttributeSelector): ElementTest => {
  const { name, action, value } = token;
  if (action === AttributeAction.Exists) return (element) => element.getAttribute(name) !== null;
  const compare = ACTIONS[action];
  if (!compare) throw new Error(`unsupported attribute selector: ${action}`);
  const isCaseless = token.ignoreCase === true || (token.ignoreCase === null && CASELESS.has(name));
  const wanted = isCaseless ? value.toLowerCase() : value;
  return (element) => {
    const found = element.getAttribute(name);
    return found !== null && compare(isCaseless ? found.toLowerCase() : found, wanted);
  };
};
