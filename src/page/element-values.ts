// Reads the value of a control: text of a field, selection of a select, number of a slider.
import { createLookupTable } from './lookup-table.ts';
import { attribute, attributeText, hasAttribute, localName, queryAll } from './safe-dom.ts';
import { inputType } from './roles.ts';
import { oneLine, shortLine } from './visible-text.ts';
import { TEXTBOX_ROLES } from './tag-sets.ts';

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
