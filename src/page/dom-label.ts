// Labels an element in CSS notation: tag, id, classes and the most useful attributes.
import { attributeText, childElementCount, elementId, localName } from './safe-dom.ts';
import { inputType } from './roles.ts';
import { shortLine, textIf } from './visible-text.ts';
import { selectedText } from './element-values.ts';
import { CHECKABLE_TYPES } from './element-kinds.ts';

const BREAK_TAGS = new Set<string>(['br', 'wbr']);

const MAX_CLASSES = 4;
const MAX_VALUE = 60;
const ATTRIBUTES = new Set(
  (
    'role name type href src alt title placeholder for value action method target rel lang ' +
    'dir slot part is tabindex contenteditable draggable disabled checked selected readonly ' +
    'required multiple open hidden inert autofocus min max pattern accept autocomplete ' +
    'colspan rowspan scope content property charset http-equiv media popover popovertarget ' +
    'data-testid data-test data-test-id data-cy data-qa data-state itemprop itemtype'
  ).split(' '),
);
const ADDRESSES = new Set(['href', 'src', 'action']);
const TEXT_LEVEL = new Set(
  (
    'abbr b bdi big br cite code data dfn em font i kbd mark q s samp small span strike strong ' +
    'sub sup tt u var wbr'
  ).split(' '),
);

export const buildDomLabel = (element: Element, urls: boolean): string => {
  let label = localName(element);
  const id = elementId(element);
  if (id) label += `#${shortLine(id, MAX_VALUE)}`;
  const classes = attributeText(element, 'class')
    .slice(0, 1000)
    .trim()
    .split(/\s+/)
    .filter(Boolean);
  for (const name of classes.slice(0, MAX_CLASSES)) label += `.${shortLine(name, 40)}`;
  if (classes.length > MAX_CLASSES) label += `.…${classes.length - MAX_CLASSES}`;
  return label + formatAttributes(element, urls) + formatFieldState(element);
};

const formatAttributes = (element: Element, urls: boolean): string => {
  let out = '';
  const { attributes } = element;
  for (let i = 0; i < attributes.length && i < 200; i++) {
    const { name, value } = attributes[i] as Attr;
    if (!ATTRIBUTES.has(name) && !name.startsWith('aria-') && !/^on[a-z]+$/.test(name)) continue;
    if (name === 'value' && isSecret(element)) continue;
    out += `[${name}${formatAttributeValue(name, value, urls)}]`;
  }
  return out;
};

const formatAttributeValue = (name: string, value: string, urls: boolean): string => {
  if (value === '' || name.startsWith('on') || value === name) return '';
  const max = urls && ADDRESSES.has(name) ? 2000 : MAX_VALUE;
  const text = shortLine(value.startsWith('data:') ? `${value.slice(0, 20)}…` : value, max);
  return /^[\w./:?&=#%+,@~-]*$/.test(text) ? `=${text}` : `=${JSON.stringify(text)}`;
};

const isSecret = (element: Element): boolean =>
  localName(element) === 'input' && inputType(element) === 'password';

/** The current value or checked state of a field, if it differs from the markup. */
const formatFieldState = (element: Element): string => {
  const tag = localName(element);
  if (tag === 'select') return formatValue(selectedText(element as HTMLSelectElement));
  if (tag === 'textarea') return formatValue((element as HTMLTextAreaElement).value);
  if (tag !== 'input' || isSecret(element)) return '';
  const input = element as HTMLInputElement;
  if (CHECKABLE_TYPES.has(input.type)) return formatChecked(input);
  return input.value === input.defaultValue ? '' : formatValue(input.value);
};

const formatChecked = ({ checked, defaultChecked }: HTMLInputElement): string => {
  if (checked === defaultChecked) return '';
  return checked ? '[now checked]' : '[now unchecked]';
};

const formatValue = (value: string): string =>
  textIf(value !== '', `[now ${JSON.stringify(shortLine(value, MAX_VALUE))}]`);

/** The text of an inline element without attributes; undefined for any other element. */
export const textLevelText = (element: Element): string | undefined => {
  const tag = localName(element);
  if (!TEXT_LEVEL.has(tag) || element.attributes.length > 0 || childElementCount(element) > 0)
    return undefined;
  return BREAK_TAGS.has(tag) ? ' ' : element.textContent.slice(0, 500);
};
