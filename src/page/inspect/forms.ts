// Reads forms with the values of their fields; fields outside of forms are one group.
import { getOrCreate } from '../objects.ts';
import { attribute, attributeText, localName, queryAll, type Root } from '../safe-dom.ts';
import type { InspectForm, ElementSummary } from '../read-answers.ts';
import type { Describer } from '../ref-target.ts';
import { oneLine } from '../visible-text.ts';

const FIELDS =
  'input:not([type=hidden]), select, textarea, [contenteditable=""], [contenteditable=true], ' +
  '[role=textbox], [role=combobox], [role=switch], [role=slider]';
const BUTTONS =
  'button, input[type=submit], input[type=button], input[type=reset], input[type=image]';
const MAX_FIELDS = 60;

const isShown = (element: Element): boolean =>
  element.checkVisibility({ visibilityProperty: true });

export const readForms = (
  scopes: readonly (Element | Root)[],
  describer: Describer,
): InspectForm[] => {
  const groups = new Map<Element | undefined, { fields: Element[]; buttons: Element[] }>();
  const findGroup = (element: Element): { fields: Element[]; buttons: Element[] } => {
    const form = (element as HTMLInputElement).form ?? element.closest('form') ?? undefined;
    return getOrCreate(groups, form, () => ({ fields: [], buttons: [] }));
  };
  for (const scope of scopes) {
    for (const field of queryAll(scope, FIELDS))
      if (isShown(field) && !field.matches(BUTTONS)) findGroup(field).fields.push(field);
    for (const button of queryAll(scope, BUTTONS))
      if (isShown(button) && button.closest('form')) findGroup(button).buttons.push(button);
  }
  return [...groups].map(([form, { fields, buttons }]) => ({
    name: form ? formName(form, describer) : 'outside of forms',
    fields: fields.slice(0, MAX_FIELDS).map((field) => toField(field, describer)),
    buttons: buttons.slice(0, 10).map((button) => describer.item(button)),
    more: Math.max(0, fields.length - MAX_FIELDS),
  }));
};

const formName = (form: Element, describer: Describer): string => {
  const { name } = describer.target(form);
  if (name !== '') return name;
  const id = attribute(form, 'id');
  if (id) return `#${id.slice(0, 60)}`;
  const own = attribute(form, 'name');
  return own ? own.slice(0, 60) : oneLine(attributeText(form, 'action')).slice(0, 80);
};

const toField = (field: Element, describer: Describer): ElementSummary => {
  const { validationMessage } = field as Partial<HTMLInputElement>;
  const isWrong = field.matches(':user-invalid') || attribute(field, 'aria-invalid') === 'true';
  const kind = localName(field) === 'input' ? attribute(field, 'type') : null;
  const item = describer.item(field, isWrong ? validationMessage?.slice(0, 200) : undefined);
  // The role of a text field does not show its input type.
  return item.role === 'textbox' && kind && kind !== 'text' ? { ...item, kind } : item;
};
