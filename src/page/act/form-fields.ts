// Form fields of every kind: what kind a field is, what it holds, and the ones that no keyboard
// fills set from here.
import { attribute, localName, queryAll } from '../safe-dom.ts';
import { inputType, computeRole } from '../roles.ts';
import { getShadowRoot } from '../shadow.ts';
import { oneLine } from '../visible-text.ts';
import type { FieldKind, FieldValue } from './act-answers.ts';
import { composedParent } from './describe-target.ts';
import { pageBody } from './document.ts';
import { createLookupTable } from '../lookup-table.ts';

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
  if (tag === 'input') return inputKind(element);
  if (tag === 'textarea') return 'text';
  if (tag === 'select') return (element as HTMLSelectElement).multiple ? 'multiselect' : 'select';
  if ((element as HTMLElement).isContentEditable) return 'editor';
  return ARIA_KINDS[computeRole(element, tag)] ?? 'none';
};

const FIELDS =
  'input:not([type=hidden]):not([type=submit]):not([type=button]):not([type=reset]):not([type=image]),textarea,select,[contenteditable]';

/**
 * The only field inside an element, through one level of shadow root: what a wrapper or a custom
 * element stands for.
 */
const onlyFieldIn = (element: Element): Element | undefined => {
  const found = [
    ...queryAll(element, FIELDS),
    ...(getShadowRoot(element) ? queryAll(getShadowRoot(element) as ShadowRoot, FIELDS) : []),
  ];
  return found.length === 1 ? found[0] : undefined;
};

/**
 * The field that an element means: itself, the control of a label, the only field inside a wrapper,
 * the editor around it.
 */
export const resolveField = (element: Element): Element => {
  if (localName(element) === 'label')
    return (element as HTMLLabelElement).control ?? onlyFieldIn(element) ?? element;
  const kind = fieldKind(element);
  if (kind === 'editor') return editingHost(element);
  // A combobox made of other elements is filled through its own field.
  if (kind === 'aria-choice' || kind === 'none' || kind === 'aria-range')
    return onlyFieldIn(element) ?? element;
  return element;
};

const editingHost = (element: Element): Element => {
  let host = element;
  for (
    let at = composedParent(host) as HTMLElement | undefined;
    at?.isContentEditable;
    at = composedParent(at) as HTMLElement | undefined
  )
    host = at;
  return host === pageBody() ? element : host;
};

/** Whether the keyboard can change the text in it. */
export const isEditable = (element: Element): boolean => {
  const kind = fieldKind(element);
  if (kind === 'editor') return true;
  if (localName(element) === 'input' || localName(element) === 'textarea')
    return !(element as HTMLInputElement).readOnly && kind !== 'none';
  return kind !== 'none' && attribute(element, 'aria-readonly') !== 'true';
};

export const isChecked = (element: Element): boolean | undefined => {
  const kind = fieldKind(element);
  if (kind === 'checkbox' || kind === 'radio') {
    const { indeterminate, checked } = element as HTMLInputElement;
    return indeterminate ? undefined : checked;
  }
  if (kind !== 'aria-check') return undefined;
  const value = attribute(element, 'aria-checked');
  return value === 'true' ? true : value === 'mixed' ? undefined : false;
};

/** Everything that a field holds, to be compared with what was wanted. */
export const readFieldValue = (element: Element): FieldValue => {
  switch (fieldKind(element)) {
    case 'checkbox':
    case 'radio':
    case 'aria-check':
      return isChecked(element) === true;
    case 'select':
    case 'multiselect':
      return [...(element as HTMLSelectElement).selectedOptions].map(
        (option) => `${oneLine(option.label)}\0${option.value}`,
      );
    case 'file':
      return [...((element as HTMLInputElement).files ?? [])].map((file) => file.name);
    case 'editor':
      return (element as HTMLElement).innerText.replace(/\n$/, '');
    case 'aria-range':
      return attribute(element, 'aria-valuetext') ?? attribute(element, 'aria-valuenow') ?? '';
    case 'aria-choice':
      return chosenText(element);
    default:
      return (element as HTMLInputElement).value ?? '';
  }
};

/** The choice that a combobox or listbox made of other elements shows. */
const chosenText = (element: Element): string => {
  if (localName(element) === 'input') return (element as HTMLInputElement).value;
  const inner = queryAll(element, 'input')[0] as HTMLInputElement | undefined;
  if (inner?.value) return inner.value;
  const selected = [...queryAll(element, '[role=option][aria-selected=true]')].map((option) =>
    oneLine(option.textContent ?? ''),
  );
  if (selected.length > 0) return selected.join(', ');
  return computeRole(element, localName(element)) === 'listbox'
    ? ''
    : oneLine((element as HTMLElement).innerText ?? '');
};

/**
 * Puts the caret into a field and selects all that is in it, so that what is typed next takes its
 * place.
 */
export const selectAll = (element: Element): void => {
  (element as HTMLElement).focus({ preventScroll: true });
  if (localName(element) === 'input' || localName(element) === 'textarea')
    (element as HTMLInputElement).select();
  else getSelection()?.selectAllChildren(element);
};

const valueSetter = (element: Element): ((value: string) => void) => {
  const prototype =
    localName(element) === 'textarea' ? HTMLTextAreaElement.prototype : HTMLInputElement.prototype;
  const set = Object.getOwnPropertyDescriptor(prototype, 'value')?.set as (value: string) => void;
  return (value) => set.call(element, value);
};

/** The events that a person's choice in a native picker would make. */
const announceChange = (element: Element): void => {
  element.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  element.dispatchEvent(new Event('change', { bubbles: true }));
};

/**
 * Sets a field whose value comes out of a native picker (dates, times, colours, sliders): its
 * keyboard depends on the locale and its popup is out of reach, so the value is set as the picker
 * does, with the events that follow. Returns the value as such a field writes it; what is no colour
 * is left out, since the field would turn black of it.
 */
export const setPicked = (element: Element, wanted: string): string => {
  (element as HTMLElement).focus({ preventScroll: true });
  const value = inputType(element) === 'color' ? digitsOf(wanted) : wanted;
  if (value === undefined) return wanted;
  valueSetter(element)(value);
  announceChange(element);
  return value;
};

/** A colour of any CSS spelling as #rrggbb; nothing where it is none, or one that shows through. */
const digitsOf = (colour: string): string | undefined => {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d');
  if (!canvas) return colour;
  const asStyle = (before: string): string => {
    canvas.fillStyle = before; // it keeps what it had where it is given no colour
    canvas.fillStyle = colour.trim();
    return canvas.fillStyle;
  };
  const style = asStyle('#000000');
  return style === asStyle('#ffffff') && /^#[0-9a-f]{6}$/.test(style) ? style : undefined;
};

interface OptionMismatch {
  readonly missing: readonly string[];
  readonly available: readonly string[];
}

const MAX_OPTIONS_NAMED = 40;

/** Chooses options of a native select by label or value; says which it does not have. */
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
