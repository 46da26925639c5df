// What a control holds: the text of a field, the choice of a select, the number of a slider.
import { attribute, hasAttribute, localName, queryAll } from './safe-dom.ts';
import { inputType } from './roles.ts';
import { oneLine, shortLine } from './visible-text.ts';

const MAX_VALUE_CHARS = 1000;

/** The chosen options of a select. */
export const selectedText = (select: HTMLSelectElement, separator = ', '): string =>
  [...select.selectedOptions].map((option) => oneLine(option.label)).join(separator);

/**
 * The number of a slider, spin button, meter or progress bar, as text where the author gave one.
 */
export const rangeValue = (element: Element, tag: string): string => {
  const text = attribute(element, 'aria-valuetext');
  if (text) return text;
  if (tag === 'input' || tag === 'meter' || (tag === 'progress' && hasAttribute(element, 'value')))
    return String((element as HTMLInputElement | HTMLMeterElement).value);
  return attribute(element, 'aria-valuenow') ?? '';
};

const RANGES = new Set(['slider', 'spinbutton', 'progressbar', 'meter', 'scrollbar']);

/** What a control holds, as one short line; '' where it holds nothing worth saying. */
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
      // Its length is all that anybody may see.
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

/** The value of a combobox made of other elements: that of the field in it, else its text. */
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
 * The choice of a select, and the choices: all where they stand on the screen, a few in a
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
