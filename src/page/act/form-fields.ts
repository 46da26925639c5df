// Kind and value of form fields; sets the fields that have a native picker.
import { attribute, attributeText, localName, pageBody, queryAll } from '../safe-dom.ts';
import { inputType, computeRole } from '../roles.ts';
import { getShadowRoot, composedParent } from '../shadow.ts';
import { oneLine } from '../visible-text.ts';
import type { FieldKind, FieldValue } from './act-answers.ts';
import { createLookupTable, valueIf } from '../objects.ts';
import { TEXT_FIELD_TAGS, CHECKABLE_TYPES } from '../element-kinds.ts';

const TYPED = new Set(['text', 'search', 'email', 'url', 'tel', 'password']);
const OWN_KIND = new Set([
  'number',
  'date',
  'time',
  'datetime-local',
  'month',
  'week',
  'range',
  'color',
  'checkbox',
  'radio',
  'file',
]);
const ARIA_KINDS = createLookupTable<FieldKind>({
  checkbox: 'aria-check',
  switch: 'aria-check',
  menuitemcheckbox: 'aria-check',
  radio: 'aria-check',
  menuitemradio: 'aria-check',
  combobox: 'aria-choice',
  listbox: 'aria-choice',
  slider: 'aria-range',
  spinbutton: 'aria-range',
});

const inputKind = (input: Element): FieldKind => {
  const type = inputType(input);
  if (TYPED.has(type)) return 'text';
  return OWN_KIND.has(type) ? (type as FieldKind) : 'none';
};

export const fieldKind = (element: Element): FieldKind => {
  const tag = localName(element);
  const findKind = TAG_KINDS[tag];
  if (findKind) return findKind(element);
  if ((element as HTMLElement).isContentEditable) return 'editor';
  return ARIA_KINDS[computeRole(element, tag)] ?? 'none';
};

const TAG_KINDS = createLookupTable<(element: Element) => FieldKind>({
  input: inputKind,
  textarea: () => 'text',
  select: (element) => ((element as HTMLSelectElement).multiple ? 'multiselect' : 'select'),
});

const FIELDS =
  'input:not([type=hidden]):not([type=submit]):not([type=button])' +
  ':not([type=reset]):not([type=image]),textarea,select,[contenteditable]';

/** The only field inside an element or its shadow root, for wrappers and custom elements. */
const findOnlyField = (element: Element): Element | undefined => {
  const places = [element, getShadowRoot(element)].filter((place) => place !== null);
  const [first, ...others] = places.flatMap((place) => [...queryAll(place, FIELDS)]);
  return valueIf(others.length === 0, first);
};

/**
 * Resolves an element to its form field: the control of a label, the only field in a wrapper, or
 * the editing host around an editable element.
 */
export const resolveField = (element: Element): Element => {
  if (localName(element) === 'label')
    return (element as HTMLLabelElement).control ?? findOnlyField(element) ?? element;
  const kind = fieldKind(element);
  if (kind === 'editor') return findEditingHost(element);
  // An ARIA combobox is filled in through the input inside it.
  if (WRAPPER_KINDS.has(kind)) return findOnlyField(element) ?? element;
  return element;
};

/** Kinds of elements that may wrap a field. */
const WRAPPER_KINDS = new Set<FieldKind>(['aria-choice', 'aria-range', 'none']);

const findEditingHost = (element: Element): Element => {
  let host = element;
  for (
    let at = composedParent(host) as HTMLElement | undefined;
    at?.isContentEditable;
    at = composedParent(at) as HTMLElement | undefined
  )
    host = at;
  return host === pageBody() ? element : host;
};

/** Whether the user can edit the element's value. */
export const isEditable = (element: Element): boolean => {
  const kind = fieldKind(element);
  if (kind === 'editor') return true;
  if (TEXT_FIELD_TAGS.has(localName(element)))
    return !(element as HTMLInputElement).readOnly && kind !== 'none';
  return kind !== 'none' && attribute(element, 'aria-readonly') !== 'true';
};

export const isChecked = (element: Element): boolean | undefined => {
  const kind = fieldKind(element);
  if (CHECKABLE_TYPES.has(kind)) {
    const { indeterminate, checked } = element as HTMLInputElement;
    return valueIf(!indeterminate, checked);
  }
  if (kind !== 'aria-check') return undefined;
  const value = attribute(element, 'aria-checked');
  return valueIf(value !== 'mixed', value === 'true');
};

/** The complete value of a field. */
export const readFieldValue = (element: Element): FieldValue =>
  (FIELD_READERS[fieldKind(element)] ?? readInputValue)(element);

const readInputValue = (element: Element): string => (element as HTMLInputElement).value ?? '';

const isOn = (element: Element): boolean => isChecked(element) === true;

const readSelectedOptions = (element: Element): string[] =>
  Array.from(
    (element as HTMLSelectElement).selectedOptions,
    (option) => `${oneLine(option.label)}\0${option.value}`,
  );

/** The selected text of an ARIA combobox or listbox. */
const readChosenText = (element: Element): string => {
  if (localName(element) === 'input') return (element as HTMLInputElement).value;
  const inner = queryAll(element, 'input')[0] as HTMLInputElement | undefined;
  if (inner?.value) return inner.value;
  const selected = [...queryAll(element, '[role=option][aria-selected=true]')].map((option) =>
    oneLine(option.textContent),
  );
  if (selected.length > 0) return selected.join(', ');
  return computeRole(element, localName(element)) === 'listbox'
    ? ''
    : oneLine((element as HTMLElement).innerText ?? '');
};

const FIELD_READERS = createLookupTable<(element: Element) => FieldValue>({
  checkbox: isOn,
  radio: isOn,
  'aria-check': isOn,
  select: readSelectedOptions,
  multiselect: readSelectedOptions,
  file: (element) => Array.from((element as HTMLInputElement).files ?? [], (file) => file.name),
  editor: (element) => (element as HTMLElement).innerText.replace(/\n$/, ''),
  'aria-range': (element) =>
    attribute(element, 'aria-valuetext') ?? attributeText(element, 'aria-valuenow'),
  'aria-choice': readChosenText,
});

/** Focuses a field and selects its content, so that typed text replaces it. */
export const selectAll = (element: Element): void => {
  (element as HTMLElement).focus({ preventScroll: true });
  if (TEXT_FIELD_TAGS.has(localName(element))) (element as HTMLInputElement).select();
  else getSelection()?.selectAllChildren(element);
};

const valueSetter = (element: Element): ((value: string) => void) => {
  const prototype =
    localName(element) === 'textarea' ? HTMLTextAreaElement.prototype : HTMLInputElement.prototype;
  const set = Object.getOwnPropertyDescriptor(prototype, 'value')?.set as (value: string) => void;
  return (value) => set.call(element, value);
};

/** Dispatches the events that a native picker would dispatch. */
const announceChange = (element: Element): void => {
  element.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  element.dispatchEvent(new Event('change', { bubbles: true }));
};

/**
 * Sets a field that has a native picker (date, time, colour, slider) by script: its keyboard input
 * depends on the locale, and the popup is not accessible. Returns the value in the format that the
 * field stores. Ignores invalid colours, which would set the field to black.
 */
export const setPicked = (element: Element, wanted: string): string => {
  (element as HTMLElement).focus({ preventScroll: true });
  const value = inputType(element) === 'color' ? toHexColour(wanted) : wanted;
  if (value === undefined) return wanted;
  valueSetter(element)(value);
  announceChange(element);
  return value;
};

/** Converts a CSS colour to #rrggbb; undefined if it is invalid or transparent. */
const toHexColour = (colour: string): string | undefined => {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d');
  if (!canvas) return colour;
  const asStyle = (before: string): string => {
    canvas.fillStyle = before; // an invalid colour leaves fillStyle unchanged
    canvas.fillStyle = colour.trim();
    return canvas.fillStyle;
  };
  const style = asStyle('#000000');
  return valueIf(style === asStyle('#ffffff') && /^#[0-9a-f]{6}$/.test(style), style);
};

interface OptionMismatch {
  readonly missing: readonly string[];
  readonly available: readonly string[];
}

const MAX_OPTIONS_NAMED = 40;

/**
 * Selects options of a native select by label or value. Selects nothing and returns the missing
 * options if any is missing.
 */
export const chooseOptions = (
  select: HTMLSelectElement,
  wanted: readonly string[],
): OptionMismatch | undefined => {
  const options = [...select.options];
  const chosen = wanted.map((text) => findOption(options, text));
  const missing = wanted.filter((_, i) => chosen[i] === undefined);
  if (missing.length > 0)
    return {
      missing,
      available: options.slice(0, MAX_OPTIONS_NAMED).map((option) => oneLine(option.label)),
    };
  select.focus({ preventScroll: true });
  const before = options.filter((option) => option.selected);
  for (const option of options) option.selected = chosen.includes(option);
  const after = options.filter((option) => option.selected);
  if (before.length !== after.length || before.some((option, i) => option !== after[i]))
    announceChange(select);
  return undefined;
};

const findOption = (
  options: readonly HTMLOptionElement[],
  wanted: string,
): HTMLOptionElement | undefined => {
  const enabled = options.filter(
    (option) => !option.disabled && !(option.parentElement as HTMLOptGroupElement | null)?.disabled,
  );
  const text = oneLine(wanted);
  const same = (found: string): boolean => found.toLowerCase() === text.toLowerCase();
  return (
    enabled.find((option) => oneLine(option.label) === text) ??
    enabled.find((option) => option.value === wanted) ??
    enabled.find((option) => same(oneLine(option.label)))
  );
};
