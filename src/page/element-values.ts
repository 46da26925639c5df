// Describes the value and the states of an element (checked, expanded), without default states.
import { CHECKABLE_TYPES, FIELD_TAGS, TEXT_FIELD_TAGS } from './element-kinds.ts';
import { createLookupTable } from './objects.ts';
import { HAS_STATE, readFlags } from './attribute-flags.ts';
import { inputType } from './roles.ts';
import {
  attribute,
  attributeText,
  hasAttribute,
  isAria,
  localName,
  matches,
  parentNode,
  queryAll,
} from './safe-dom.ts';
import { getShadowRoot } from './shadow.ts';
import { oneLine, shortLine, shortValue, textIf } from './visible-text.ts';

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

/** The value of a control with its spaces and tabs; '' if it has none. */
export const readExactValue = (element: Element, tag: string, role: string): string =>
  tag === 'input' && !RANGES.has(role)
    ? shortValue(inputValue(element as HTMLInputElement), MAX_VALUE_CHARS)
    : readElementValue(element, tag, role);

/** The value of a control as one short line without tabs; '' if it has none. */
export const readElementValue = (element: Element, tag: string, role: string): string => {
  if (tag === 'input' && !RANGES.has(role))
    return readExactValue(element, tag, role).replaceAll('\t', ' ');
  const readValue = TAG_VALUES[tag] ?? ROLE_VALUES[role];
  return readValue ? shortLine(readValue(element, tag, role), MAX_VALUE_CHARS) : '';
};

type ValueReader = (element: Element, tag: string, role: string) => string;

const TAG_VALUES = createLookupTable<ValueReader>({
  input: (element) => inputValue(element as HTMLInputElement, rangeValue(element, 'input')),
  textarea: (element) => (element as HTMLTextAreaElement).value,
  select: (element) => selectedText(element as HTMLSelectElement),
});

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
  file: (input) => Array.from(input.files ?? [], (file) => file.name).join(', '),
});

const inputValue = (input: HTMLInputElement, value = input.value): string =>
  INPUT_VALUES[inputType(input)]?.(input) ?? value;

/** The value of a combobox that is not a native field: of the field inside it, else its text. */
const comboboxValue = (element: Element): string => {
  const [field] = queryAll(element, 'input,textarea');
  if (field) return (field as HTMLInputElement).value;
  const isEditable = localName(element) !== 'button' && hasAttribute(element, 'contenteditable');
  return isEditable ? element.textContent : '';
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

const ROLE_VALUES = createLookupTable<ValueReader>({
  slider: rangeValue,
  spinbutton: rangeValue,
  progressbar: rangeValue,
  meter: rangeValue,
  scrollbar: rangeValue,
  textbox: (element) => element.textContent,
  searchbox: (element) => element.textContent,
  combobox: comboboxValue,
});

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

/** The words of the values of attributes; other values have none. */
const CHECKED_WORDS = createLookupTable<string>({ true: ' checked', mixed: ' mixed' });
const PRESSED_WORDS = createLookupTable<string>({ true: ' pressed', mixed: ' mixed' });
const EXPANDED_WORDS = createLookupTable<string>({ true: ' expanded', false: ' collapsed' });
const CURRENT_WORDS = createLookupTable<string>({
  '': '',
  false: '',
  true: ' current',
  page: ' current',
});
const SORTS = createLookupTable<string>({ ascending: ' sorted-up', descending: ' sorted-down' });

const describeAttribute = (
  element: Element,
  name: string,
  words: Readonly<Record<string, string>>,
): string => words[attributeText(element, name)] ?? '';

/** Values of attributes that are set to something else than "false". */
const NOT_SET = new Set(['', 'false']);

const isSet = (element: Element, name: string): boolean =>
  !NOT_SET.has(attributeText(element, name));

const checkedState = (element: Element, tag: string): string => {
  if (tag !== 'input' || !CHECKABLE_TYPES.has(inputType(element)))
    return describeAttribute(element, 'aria-checked', CHECKED_WORDS);
  const { indeterminate, checked } = element as HTMLInputElement;
  return indeterminate ? ' mixed' : textIf(checked, ' checked');
};

const expandedState = (element: Element, role: string): string => {
  if (role === 'DisclosureTriangle')
    return (parentNode(element) as HTMLDetailsElement).open ? ' expanded' : ' collapsed';
  const word = describeAttribute(element, 'aria-expanded', EXPANDED_WORDS);
  return word || textIf(isSet(element, 'aria-haspopup'), ' popup');
};

/** Tags that can be disabled. */
const FORM_TAGS = new Set([
  'input',
  'select',
  'textarea',
  'button',
  'fieldset',
  'optgroup',
  'option',
]);

/** Tags that have no other state than to be disabled, apart from ARIA attributes. */
const BUTTON_TAGS = new Set(['button', 'fieldset', 'optgroup']);

const isDisabled = (element: Element, tag: string): boolean =>
  (FORM_TAGS.has(tag) && matches(element, ':disabled')) || isAria(element, 'aria-disabled');

const fieldStates = (element: Element, tag: string): string => {
  const isField = FIELD_TAGS.has(tag);
  const isRequired = isField && hasAttribute(element, 'required');
  const isReadonly = TEXT_FIELD_TAGS.has(tag) && hasAttribute(element, 'readonly');
  const isInvalid = isField && matches(element, ':user-invalid');
  const isMultiple = tag === 'select' && hasAttribute(element, 'multiple');
  return (
    textIf(isRequired || isAria(element, 'aria-required'), ' required') +
    textIf(isReadonly || isAria(element, 'aria-readonly'), ' readonly') +
    textIf(isInvalid || isSet(element, 'aria-invalid'), ' invalid') +
    textIf(isMultiple || isAria(element, 'aria-multiselectable'), ' multiple')
  );
};

const currentState = (element: Element): string => {
  const current = attributeText(element, 'aria-current');
  return CURRENT_WORDS[current] ?? ` current-${current.replace(/\W/g, '')}`;
};

const ariaStates = (element: Element): string =>
  describeAttribute(element, 'aria-pressed', PRESSED_WORDS) +
  textIf(isAria(element, 'aria-selected'), ' selected') +
  currentState(element) +
  textIf(isAria(element, 'aria-busy'), ' busy');

/** All states except defaults, separated by spaces. */
export const describeStates = (
  element: Element,
  tag: string,
  role: string,
  flags = readFlags(element),
): string => {
  if (!(flags & HAS_STATE)) {
    if (BUTTON_TAGS.has(tag)) return textIf(matches(element, ':disabled'), 'disabled');
    // Without these attributes, only fields and disclosures can have a state.
    if (!FORM_TAGS.has(tag) && role !== 'DisclosureTriangle') return '';
  }
  let words = textIf(isDisabled(element, tag), ' disabled');
  words += checkedState(element, tag);
  words += expandedState(element, role);
  words += fieldStates(element, tag);
  words += ariaStates(element);
  if (tag === 'option' && (element as HTMLOptionElement).selected && !words.includes(' selected'))
    words += ' selected';
  if (HEADER_ROLES.has(role)) words += describeAttribute(element, 'aria-sort', SORTS);
  return words.slice(1);
};
