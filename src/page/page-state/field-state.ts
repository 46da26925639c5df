// Saves and restores the values of form fields, found by selector paths; never passwords.
import { createLookupTable, valueIf, listIf } from '../objects.ts';
import { inputType } from '../roles.ts';
import {
  attribute,
  attributeText,
  elementId,
  getRoot,
  localName,
  parentNode,
  query,
  queryAll,
  type Root,
} from '../safe-dom.ts';
import { getShadowRoot, trees } from '../shadow.ts';
import type { ElementPath, FieldProblem, SavedField } from '../state-answers.ts';
import { oneLine, textIf } from '../visible-text.ts';

// Builds and follows paths of selectors that find an element again after a reload.

const MAX_DEPTH = 200;
const MAX_TREES = 50;

export const pathTo = (element: Element): ElementPath => {
  const path: string[] = [];
  for (let at: Element | undefined = element; at && path.length < MAX_TREES;) {
    const root = getRoot(at) as Root;
    path.unshift(selectorIn(root, at));
    at = root instanceof ShadowRoot ? root.host : undefined;
  }
  return path;
};

/** Starts at the nearest unique id, then goes down by :nth-child. */
const selectorIn = (root: Root, element: Element): string => {
  const steps: string[] = [];
  for (let at: Element | null = element; at && steps.length < MAX_DEPTH;) {
    const id = elementId(at);
    if (typeof id === 'string' && id !== '' && queryAll(root, `#${CSS.escape(id)}`).length === 1) {
      steps.unshift(`#${CSS.escape(id)}`);
      break;
    }
    const parent: Node | null = parentNode(at);
    steps.unshift(
      `${CSS.escape(localName(at))}${parent ? `:nth-child(${placeAmong(parent, at)})` : ''}`,
    );
    at = parent instanceof Element ? parent : null;
  }
  return steps.join('>');
};

const placeAmong = (parent: Node, child: Element): number => {
  let place = 1;
  for (let other = child.previousElementSibling; other; other = other.previousElementSibling)
    place++;
  return parent.nodeType === Node.DOCUMENT_NODE ? 1 : place;
};

/** The element that a path leads to; undefined if it is missing or a selector is invalid. */
export const follow = (path: ElementPath): Element | undefined => {
  let root: Root | null = document;
  let found: Element | null = null;
  try {
    for (const selector of path) {
      found = root ? query(root, selector) : null;
      if (!found) return undefined;
      root = getShadowRoot(found);
    }
  } catch {
    return undefined;
  }
  return found ?? undefined;
};

const readNameAttribute = (element: Element): string => attributeText(element, 'name');

const CHECKABLE_KINDS = new Set<string>(['input checkbox', 'input radio']);

const FIELDS =
  'input:not([type=hidden]):not([type=submit]):not([type=button])' +
  ':not([type=reset]):not([type=image]),' +
  'textarea,select,[contenteditable]';

const SECRET_AUTOCOMPLETE =
  /(?:^|\s)(?:current-password|new-password|one-time-code|cc-number|cc-csc)(?:\s|$)/i;
const MAX_FIELDS = 2000;
const MAX_CHARS = 4_000_000;
const MAX_LABEL = 60;

type Control = HTMLInputElement & HTMLTextAreaElement & HTMLSelectElement;

const getKind = (element: Element): string => {
  const nameKind = FIELD_KINDS[localName(element)];
  if (nameKind) return nameKind(element);
  return textIf((element as HTMLElement).isContentEditable, 'editor');
};

const FIELD_KINDS = createLookupTable<(element: Element) => string>({
  input: (element) => `input ${inputType(element)}`,
  textarea: () => 'textarea',
  select: (element) => `select${textIf((element as HTMLSelectElement).multiple, ' multiple')}`,
});

/** Includes password fields that currently show their text. */
const isSecret = (element: Element): boolean =>
  getKind(element) === 'input password' ||
  SECRET_AUTOCOMPLETE.test(attributeText(element, 'autocomplete'));

const isSwitch = (kind: string): boolean => CHECKABLE_KINDS.has(kind);

/** Of nested editable elements only the outermost is a field. */
const isWhole = (element: Element, kind: string): boolean => {
  const parent = parentNode(element);
  return kind !== 'editor' || !(parent instanceof HTMLElement && parent.isContentEditable);
};

const allFields = (): Element[] =>
  trees()
    .flatMap((root) => [...queryAll(root, FIELDS)])
    .filter((element) => getKind(element) !== '' && isWhole(element, getKind(element)));

const findLabel = (element: Element): string => {
  const [label] = (element as Partial<HTMLInputElement>).labels ?? [];
  const words = [
    label?.textContent,
    attribute(element, 'aria-label'),
    readNameAttribute(element),
    attribute(element, 'placeholder'),
    element.id,
  ];
  return oneLine(
    words.find((text) => typeof text === 'string' && text.trim() !== '') ?? localName(element),
  ).slice(0, MAX_LABEL);
};

/** The state of a field; undefined if it is empty or unchecked, now and by default. */
const readState = (element: Element, kind: string): Partial<SavedField> | undefined => {
  const control = element as Control;
  if (kind === 'input file') {
    const files = [...(control.files ?? [])].map(({ name }) => name);
    return valueIf(files.length > 0, { files });
  }
  if (isSwitch(kind))
    return valueIf(control.checked || control.defaultChecked, {
      checked: control.checked,
      option: control.value,
    });
  if (kind.startsWith('select'))
    return { chosen: [...control.selectedOptions].map(({ value }) => value) };
  if (kind === 'editor') return { value: (element as HTMLElement).innerText };
  return valueIf(control.value !== '' || control.defaultValue !== '', { value: control.value });
};

export const readFields = (): { fields: SavedField[]; passwords: number; more: number } => {
  const fields: SavedField[] = [];
  let [passwords, more, chars] = [0, 0, 0];
  for (const element of allFields()) {
    const kind = getKind(element);
    const held = isSecret(element) ? undefined : readState(element, kind);
    if (isSecret(element) && (element as Control).value) passwords++;
    if (!held) continue;
    const { value = '' } = held;
    chars += value.length;
    if (fields.length >= MAX_FIELDS || chars > MAX_CHARS) more++;
    else
      fields.push({
        at: pathTo(element),
        kind,
        name: readNameAttribute(element),
        label: findLabel(element),
        ...held,
      });
  }
  return { fields, passwords, more };
};

/** The values of all filled password fields, so that they can be masked in other output. */
export const readPasswords = (): string[] =>
  allFields().flatMap((element) =>
    listIf(isSecret(element) && (element as Control).value, (element as Control).value),
  );

const fits = (element: Element, { kind, name, option }: SavedField): boolean =>
  getKind(element) === kind &&
  readNameAttribute(element) === name &&
  (option === undefined || (element as Control).value === option);

/** The field at its old path, else the only one with the same name and kind. */
const locate = (field: SavedField): Element | undefined => {
  const there = follow(field.at);
  if (there && fits(there, field)) return there;
  if (field.name === '') return undefined;
  const alike = allFields().filter((element) => fits(element, field));
  return alike.length === 1 ? alike[0] : undefined;
};

const holds = (element: Element, { kind, value = '', checked, chosen }: SavedField): boolean => {
  const control = element as Control;
  if (checked !== undefined) return control.checked === checked;
  if (chosen)
    return (
      JSON.stringify([...control.selectedOptions].map((option) => option.value)) ===
      JSON.stringify(chosen)
    );
  if (kind === 'editor') return (element as HTMLElement).innerText.trim() === value.trim();
  return control.value === value;
};

/** Sets values that differ and dispatches the events of user input, so that frameworks notice. */
const put = (element: Element, field: SavedField): void => {
  const control = element as Control;
  const { kind, value = '', checked, chosen } = field;
  if (holds(element, field)) return;
  if (checked !== undefined) return control.click(); // frameworks listen to the click
  if (kind === 'editor') return replaceText(element as HTMLElement, value);
  if (chosen) for (const option of control.options) option.selected = chosen.includes(option.value);
  else setValue(control, value);
  control.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  control.dispatchEvent(new Event('change', { bubbles: true }));
};

const setValue = (control: Control, value: string): void => {
  const prototype =
    localName(control) === 'textarea' ? HTMLTextAreaElement.prototype : HTMLInputElement.prototype;
  Object.getOwnPropertyDescriptor(prototype, 'value')?.set?.call(control, value);
};

/** Inserts the text as typed input, so that rich text editors update their own model. */
const replaceText = (editor: HTMLElement, text: string): void => {
  editor.focus({ preventScroll: true });
  getSelection()?.selectAllChildren(editor);
  document.execCommand('insertText', false, text);
  editor.blur();
};

/** A field to restore, and the element that was found for it. */
export class Filling {
  #element: Element | undefined;
  #refused = false;

  constructor(readonly field: SavedField) {}

  /** Restores the field; false if its element was not found yet. */
  tryPut(): boolean {
    if (this.field.files) return true;
    const element = locate(this.field);
    if (!element) return false;
    this.#refused = isSecret(element);
    if (!this.#refused) put(element, this.field);
    this.#element = element;
    return true;
  }

  get problem(): FieldProblem | undefined {
    if (this.field.files) return 'file';
    if (this.#refused) return 'refused';
    if (!this.#element) return 'missing';
    const now = this.#element.isConnected ? this.#element : locate(this.field);
    return now && holds(now, this.field) ? undefined : 'changed';
  }
}
