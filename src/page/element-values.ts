// Describes the value and the states of an element (checked, expanded), without default states.
import { CHECKABLE_TYPES, TEXTBOX_ROLES } from './element-kinds.ts';
import { createLookupTable } from './objects.ts';
import { inputType } from './roles.ts';
import {
  attribute,
  attributeText,
  hasAttribute,
  isBare,
  localName,
  matches,
  parentNode,
  queryAll,
} from './safe-dom.ts';
import { getShadowRoot } from './shadow.ts';
import { oneLine, shortLine } from './visible-text.ts';

const RANGE_TAGS = new Set<string>(['input', 'meter']);

const MAX_VALUE_CHARS = 1000;

/** The labels of the selected options. */
export const selectedText = (select: HTMLSelectElement, separator = ', '): string =>
  [...select.selectedOptions].map((option) => oneLine(option.label)).join(separator);

/** The value of a slider, spin button, meter or progress bar; aria-valuetext has priority. */
export const rangeValue = (element: Element, tag: string): string => {
  const text = attribute(element, 'aria-valuetext');
  if (text) return text;
  if (RANGE_TAGS.has(tag) || (tag === 'progress' && hasAttribute(element, 'value')))
    return String((element as HTMLInputElement | HTMLMeterElement).value);
  return attributeText(element, 'aria-valuenow');
};

const RANGES = new Set(['slider', 'spinbutton', 'progressbar', 'meter', 'scrollbar']);

/** The value of a control as one short line; '' if it has none. */
export const readElementValue = (element: Element, tag: string, role: string): string => {
  if (tag === 'input') return inputValue(element as HTMLInputElement, role);
  if (tag === 'textarea') return shortLine((element as HTMLTextAreaElement).value, MAX_VALUE_CHARS);
  if (tag === 'select')
    return shortLine(selectedText(element as HTMLSelectElement), MAX_VALUE_CHARS);
  if (RANGES.has(role)) return shortLine(rangeValue(element, tag), MAX_VALUE_CHARS);
  if (TEXTBOX_ROLES.has(role)) return shortLine(element.textContent, MAX_VALUE_CHARS);
  if (role === 'combobox') return comboboxValue(element);
  return '';
};

/** Inputs whose value is not shown; of a password only the length is (at most 20). */
const INPUT_VALUES = createLookupTable<(input: HTMLInputElement) => string>({
  checkbox: () => '',
  radio: () => '',
  button: () => '',
  submit: () => '',
  reset: () => '',
  image: () => '',
  hidden: () => '',
  password: (input) => '•'.repeat(Math.min(input.value.length, 20)),
  file: (input) =>
    shortLine(Array.from(input.files ?? [], (file) => file.name).join(', '), MAX_VALUE_CHARS),
});

const inputValue = (input: HTMLInputElement, role: string): string => {
  const readValue = INPUT_VALUES[inputType(input)];
  if (readValue) return readValue(input);
  const value = RANGES.has(role) ? rangeValue(input, 'input') : input.value;
  return shortLine(value, MAX_VALUE_CHARS);
};

/** The value of a combobox that is not a native field: of the field inside it, else its text. */
const comboboxValue = (element: Element): string => {
  const [field] = queryAll(element, 'input,textarea');
  if (field) return shortLine((field as HTMLInputElement).value, MAX_VALUE_CHARS);
  return localName(element) === 'button' || !hasAttribute(element, 'contenteditable')
    ? ''
    : shortLine(element.textContent, MAX_VALUE_CHARS);
};

/** Tags whose `value` property is not the value of another element, as it can be in a form. */
const VALUE_TAGS = new Set<string>(
  'input textarea select button option output progress meter data li'.split(' '),
);

/**
 * The value of a control as scripts read it, in full; of a password only the length. A custom
 * element has the value of the field in its shadow root. Null if the element has no value.
 */
export const readWholeValue = (element: Element): string | null => {
  const tag = localName(element);
  const isHidden = tag === 'input' && HIDDEN_VALUES.has(inputType(element));
  if (isHidden) return readElementValue(element, tag, '');
  if (VALUE_TAGS.has(tag)) return String((element as HTMLInputElement | HTMLProgressElement).value);
  const root = getShadowRoot(element);
  const [field] = root ? queryAll(root, 'input,textarea,select') : [];
  if (field) return readWholeValue(field);
  return (element as HTMLElement).isContentEditable ? element.textContent : null;
};

/** Inputs whose value scripts do not report as it is. */
const HIDDEN_VALUES = new Set<string>(['password', 'file']);

const MAX_OPTIONS_SHOWN = 8;
const MAX_OPTIONS_CHARS = 120;

/**
 * The selected value and the options of a select: all options of a list box, the options of a short
 * drop-down, else their number.
 */
export const readOptions = (
  select: HTMLSelectElement,
  shown: boolean,
): { value: string; options: string } => {
  const value = shortLine(selectedText(select), MAX_VALUE_CHARS);
  const count = select.options.length;
  if (count === 0) return { value, options: '' };
  const labels: string[] = [];
  for (let i = 0, chars = 0; i < count; i++) {
    const label = shortLine((select.options[i] as HTMLOptionElement).label, 100);
    chars += label.length;
    if (shown ? chars > 20_000 : i >= MAX_OPTIONS_SHOWN || chars > MAX_OPTIONS_CHARS)
      return { value, options: `(${count} options)` };
    labels.push(label);
  }
  return { value, options: `(${labels.join(' | ')})` };
};

// Describes the states of an element (disabled, checked, expanded); default states are left out.

const HEADER_ROLES = new Set<string>(['columnheader', 'rowheader']);

const TRUE = 'true';

const checkedState = (element: Element, tag: string): string => {
  if (tag === 'input') {
    const type = inputType(element);
    if (CHECKABLE_TYPES.has(type)) {
      const { indeterminate, checked } = element as HTMLInputElement;
      if (indeterminate) return ' mixed';
      return checked ? ' checked' : '';
    }
  }
  const value = attribute(element, 'aria-checked');
  if (value === TRUE) return ' checked';
  return value === 'mixed' ? ' mixed' : '';
};

const expandedState = (element: Element, role: string): string => {
  if (role === 'DisclosureTriangle')
    return (parentNode(element) as HTMLDetailsElement).open ? ' expanded' : ' collapsed';
  const value = attribute(element, 'aria-expanded');
  if (value === TRUE) return ' expanded';
  if (value === 'false') return ' collapsed';
  const popup = attribute(element, 'aria-haspopup');
  return popup && popup !== 'false' ? ' popup' : '';
};

const FIELD_TAGS = new Set([
  'input',
  'select',
  'textarea',
  'button',
  'fieldset',
  'optgroup',
  'option',
]);

const isDisabled = (element: Element, tag: string): boolean =>
  (FIELD_TAGS.has(tag) && matches(element, ':disabled')) ||
  attribute(element, 'aria-disabled') === TRUE;

const fieldStates = (element: Element, tag: string): string => {
  let words = '';
  const isField = tag === 'input' || tag === 'textarea' || tag === 'select';
  if (
    (isField && hasAttribute(element, 'required')) ||
    attribute(element, 'aria-required') === TRUE
  )
    words += ' required';
  if (
    (isField &&
      tag !== 'select' &&
      matches(element, ':read-only') &&
      hasAttribute(element, 'readonly')) ||
    attribute(element, 'aria-readonly') === TRUE
  )
    words += ' readonly';
  const invalid = attribute(element, 'aria-invalid');
  if ((invalid && invalid !== 'false') || (isField && matches(element, ':user-invalid')))
    words += ' invalid';
  if (
    (tag === 'select' && (element as HTMLSelectElement).multiple) ||
    attribute(element, 'aria-multiselectable') === TRUE
  )
    words += ' multiple';
  return words;
};

const ariaStates = (element: Element): string => {
  let words = '';
  const pressed = attribute(element, 'aria-pressed');
  if (pressed === TRUE) words += ' pressed';
  else if (pressed === 'mixed') words += ' mixed';
  if (attribute(element, 'aria-selected') === TRUE) words += ' selected';
  const current = attribute(element, 'aria-current');
  if (current && current !== 'false')
    words +=
      current === TRUE || current === 'page'
        ? ' current'
        : ` current-${current.replace(/\W/g, '')}`;
  if (attribute(element, 'aria-busy') === TRUE) words += ' busy';
  return words;
};

const SORTS = createLookupTable<string>({ ascending: ' sorted-up', descending: ' sorted-down' });

/** All states except defaults, separated by spaces. */
export const describeStates = (
  element: Element,
  tag: string,
  role: string,
  bare = isBare(element),
): string => {
  // Without attributes, only fields and disclosures can have a state.
  if (bare && !FIELD_TAGS.has(tag) && role !== 'DisclosureTriangle') return '';
  let words = isDisabled(element, tag) ? ' disabled' : '';
  words += checkedState(element, tag);
  words += expandedState(element, role);
  words += fieldStates(element, tag);
  words += ariaStates(element);
  if (tag === 'option' && (element as HTMLOptionElement).selected && !words.includes(' selected'))
    words += ' selected';
  if (HEADER_ROLES.has(role)) words += SORTS[attributeText(element, 'aria-sort')] ?? '';
  return words.slice(1);
};
