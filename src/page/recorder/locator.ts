// Builds locators that find an element in another browser: test id, role and name, CSS.
import { compact, defined, valueIf } from '../objects.ts';
import { createKnown } from '../act/describe-target.ts';
import {
  attribute,
  attributeText,
  childElementCount,
  closest,
  elementId,
  firstElementChild,
  localName,
  matches,
  nextElementSibling,
  parentNode,
  queryAll,
} from '../safe-dom.ts';
import { type NameCache, computeName } from '../names.ts';
import { computeRole } from '../roles.ts';
import { readFacts } from '../recorded/element-facts.ts';
import type { Locator } from './messages.ts';

const TEST_IDS = ['data-testid', 'data-test-id', 'data-test', 'data-cy', 'data-qa'];
/** Attributes that often identify an element. */
const TELLING = ['name', 'aria-label', 'placeholder', 'href', 'title', 'alt', 'for', 'value'];
/** For other elements, the value is user input. */
const NAMED_BY_VALUE =
  'option,button,input:is([type=radio],[type=checkbox],[type=submit],[type=button])';
const MAX_NAME_CHARS = 120;
const MAX_VALUE_CHARS = 80;
/** Maximum number of similar elements to compare by name, so that the page is not blocked. */
const MAX_COMPARED = 400;
const MAX_STEPS = 12;

const NO_ROLES = new Set(['generic', 'none', 'presentation']);

type LocatorRoot = Document | ShadowRoot;

export const locate = (element: Element): Locator => {
  const tag = localName(element);
  const type = valueIf(tag === 'input', (element as HTMLInputElement).type);
  const testId = readTestId(element);
  return defined({
    tag,
    ...compact({ type }),
    testId,
    ...roleAndName(element, tag),
    facts: readFacts(element),
    css: cssThroughRoots(element),
  });
};

const readTestId = (element: Element): Locator['testId'] => {
  for (const name of TEST_IDS) {
    const value = attribute(element, name);
    if (value && value.length <= MAX_VALUE_CHARS) return { attribute: name, value };
  }
  return undefined;
};

/** Role and name of the element; empty if another element has both. */
const roleAndName = (element: Element, tag: string): { role?: string; name?: string } => {
  const role = computeRole(element, tag);
  // internal roles such as Date are unknown to other tools
  if (!/^[a-z]+$/.test(role) || NO_ROLES.has(role)) return {};
  const known = createKnown();
  const name = computeName(element, tag, role, known).text;
  if (name === '' || name.length > MAX_NAME_CHARS) return {};
  return isOnly(element, tag, role, name, known) ? { role, name } : {};
};

const isOnly = (
  element: Element,
  tag: string,
  role: string,
  name: string,
  known: NameCache,
): boolean => {
  const root = element.getRootNode() as LocatorRoot;
  const alike = [...queryAll(root, `${CSS.escape(tag)},[role="${CSS.escape(role)}"]`)];
  if (alike.length > MAX_COMPARED) return false;
  return alike.every((other) => {
    if (other === element) return true;
    const itsTag = localName(other);
    return (
      computeRole(other, itsTag) !== role || computeName(other, itsTag, role, known).text !== name
    );
  });
};

const cssThroughRoots = (element: Element): string[] => {
  const out: string[] = [];
  for (let at: Element | null = element; at && out.length < MAX_STEPS;) {
    const root: Node = at.getRootNode();
    out.unshift(cssWithin(at, root as LocatorRoot));
    at = root instanceof ShadowRoot ? root.host : null;
  }
  return out;
};

const cssWithin = (element: Element, root: LocatorRoot): string => {
  const own = telling(element, root);
  if (own !== undefined) return own;
  const steps: string[] = [];
  for (let at: Element = element; steps.length < MAX_STEPS;) {
    steps.unshift(stepTo(at));
    const parent = parentNode(at);
    if (!(parent instanceof Element)) break;
    const anchor = telling(parent, root);
    if (anchor !== undefined) return [anchor, ...steps].join(' > ');
    at = parent;
  }
  return steps.join(' > ');
};

/** A selector by id or attribute that matches only this element. */
const telling = (element: Element, root: LocatorRoot): string | undefined => {
  const tag = CSS.escape(localName(element));
  const id = elementId(element);
  const byId = `#${CSS.escape(id)}`;
  // Ids with long numbers are often generated at each load.
  if (id !== '' && id.length <= MAX_VALUE_CHARS && !/\d{4,}|:/.test(id) && isAlone(byId, root))
    return byId;
  for (const name of TELLING) {
    const value = attribute(element, name);
    if (
      !value ||
      value.length > MAX_VALUE_CHARS ||
      (name === 'value' && !matches(element, NAMED_BY_VALUE))
    )
      continue;
    const selector = `${tag}[${name}=${JSON.stringify(value)}]`;
    if (!/[\\\n]/.test(selector) && isAlone(selector, root)) return selector;
  }
  return valueIf(['html', 'body', 'head'].includes(tag), tag);
};

const isAlone = (selector: string, root: LocatorRoot): boolean =>
  queryAll(root, selector).length === 1;

const stepTo = (element: Element): string => {
  const tag = localName(element);
  const parent = parentNode(element);
  if (!(parent instanceof Element || parent instanceof ShadowRoot)) return CSS.escape(tag);
  if (parent instanceof Element && childElementCount(parent) === 1) return CSS.escape(tag);
  let nth = 0;
  const first = parent instanceof Element ? firstElementChild(parent) : parent.firstElementChild;
  for (let at = first; at; at = nextElementSibling(at)) {
    if (localName(at) === tag) nth++;
    if (at === element) break;
  }
  return `${CSS.escape(tag)}:nth-of-type(${nth})`;
};

const ACTIONABLE =
  'button,a[href],input,select,textarea,label,summary,option,[role],[onclick],[tabindex],' +
  '[contenteditable=""],[contenteditable=true],canvas,area';

/** The element that a click is meant for: the button rather than the icon inside it. */
export const findMeantElement = (element: Element): Element => {
  const found = closest(element, ACTIONABLE);
  if (!found || ['none', 'presentation'].includes(attributeText(found, 'role'))) return element;
  return found;
};
