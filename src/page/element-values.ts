// Reads the value of a control: text of a field, selection of a select, number of a slider.
import { attribute, hasAttribute, localName, queryAll } from './safe-dom.ts';
import { inputType } from './roles.ts';
import { oneLine, shortLine } from './visible-text.ts';

const MAX_VALUE_CHARS = 1000;

/** The labels of the selected options. */
export const selectedText = (select: HTMLSelectElement, separator = ', '): string =>
  [...select.selectedOptions].map((option) => oneLine(option.label)).join(separator);

/** The value of a slider, spin button, meter or progress bar; aria-valuetext has priority. */
export const rangeValue = (element: Element, tag: string): string => {
  const text = attribute(element, 'aria-valuetext');
  if (text) return text;
  if (tag === 'input' || tag === 'meter' || (tag === 'progress' && hasAttribute(element, 'value')))
    return String((element as HTMLInputElement | HTMLMeterElement).value);
  return attribute(element, 'aria-valuenow') ?? '';
};

const RANGES = new Set(['slider', 'spinbutton', 'progressbar', 'meter', 'scrollbar']);

/** The value of a control as one short line; '' if it has none. */
export const readElementValue = (element: Element, tag: string, role: string): string => {
  if (tag === 'input') return inputValue(element as HTMLInputElement, role);
  if (tag === 'textarea') return shortLine((element as HTMLTextAreaElement).value, MAX_VALUE_CHARS);
  if (tag === 'select')
    return shortLine(selectedText(element as HTMLSelectElement), MAX_VALUE_CHARS);
  if (RANGES.has(role)) return shortLine(rangeValue(element, tag), MAX_VALUE_CHARS);
  if (role === 'textbox' || role === 'searchbox')
    return shortLine(element.textContent ?? '', MAX_VALUE_CHARS);
  if (role === 'combobox') return comboboxValue(element);
  return '';
};

const inputValue = (input: HTMLInputElement, role: string): string => {
  switch (inputType(input)) {
    case 'checkbox':
    case 'radio':
    case 'button':
    case 'submit':
    case 'reset':
    case 'image':
    case 'hidden':
      return '';
    case 'password':
      // Shows the length of a password only (at most 20).
      return '•'.repeat(Math.min(input.value.length, 20));
    case 'file':
      return shortLine(
        [...(input.files ?? [])].map((file) => file.name).join(', '),
        MAX_VALUE_CHARS,
      );
    default:
      return shortLine(
        RANGES.has(role) ? rangeValue(input, 'input') : input.value,
        MAX_VALUE_CHARS,
      );
  }
};

/** The value of a combobox that is not a native field: of the field inside it, else its text. */
const comboboxValue = (element: Element): string => {
  const [field] = queryAll(element, 'input,textarea');
  if (field) return shortLine((field as HTMLInputElement).value, MAX_VALUE_CHARS);
  return localName(element) === 'button' || !hasAttribute(element, 'contenteditable')
    ? ''
    : shortLine(element.textContent ?? '', MAX_VALUE_CHARS);
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
