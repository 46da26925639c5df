// Reads the forms, error messages, invalid fields, dialogs, menus, tabs and panels of a page.
import type { Describer } from '../describe-element.ts';
import { defined, getOrCreate, valueIf } from '../objects.ts';
import type { ElementSummary, InspectForm } from '../read-answers.ts';
import { attribute, attributeText, byIds, localName, queryAll, type Root } from '../safe-dom.ts';
import { oneLine, shortLine } from '../visible-text.ts';

const ALERTS = '[role=alert], [role=alertdialog], [aria-live=assertive], [role=status]';
const INVALID = '[aria-invalid]:not([aria-invalid=false]), :user-invalid';
const ERROR_CLASSES =
  '[class*=error i], [class*=invalid i], [class*=danger i], [class*=warning i], ' +
  '[class*=failure i], [class*=toast i], [class*=snackbar i], [class*=flash i], ' +
  '[class*=alert i]';
const MAX_TEXT = 200;
const MAX_ITEMS = 40;

const isShown = (element: Element): boolean =>
  element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
const readText = (element: Element): string =>
  shortLine(
    ((element as HTMLElement).innerText ?? element.textContent).slice(0, MAX_TEXT * 3),
    MAX_TEXT,
  );

/** Each message once, from its innermost element; invalid fields with their validation message. */
export const readErrors = (
  scopes: readonly (Element | Root)[],
  describer: Describer,
): ElementSummary[] => {
  const items: ElementSummary[] = [];
  const seen = new Set<string>();
  for (const scope of scopes) {
    for (const field of queryAll(scope, INVALID)) {
      if (!isShown(field) || field.matches('form, fieldset')) continue;
      const message = readMessage(field);
      seen.add(message);
      items.push(describer.item(field, message));
    }
    for (const element of queryAll(scope, `${ALERTS}, ${ERROR_CLASSES}`)) {
      if (items.length >= MAX_ITEMS) return items;
      const text = isShown(element) ? readText(element) : '';
      if (text === '' || seen.has(text) || isOnlyAround(element)) continue;
      seen.add(text);
      const role = attribute(element, 'role') ?? 'message';
      items.push({ id: 0, role, name: text, states: '', value: '', fingerprint: '', beside: '' });
    }
  }
  return items;
};

/** Whether the element only contains other messages, or is a large part of the page. */
const isOnlyAround = (element: Element): boolean => {
  if (element.matches(ALERTS)) return false;
  return (
    element.matches('body, main, form, input, select, textarea, button') ||
    queryAll(element, `${ALERTS}, ${ERROR_CLASSES}, input, form`).length > 0 ||
    element.textContent.length > 500
  );
};

const readMessage = (field: Element): string => {
  const described = [...byIds(field, 'aria-errormessage'), ...byIds(field, 'aria-describedby')]
    .map(readText)
    .filter((text) => text !== '');
  return described[0] ?? shortLine((field as HTMLInputElement).validationMessage ?? '', MAX_TEXT);
};

const PANELS =
  'dialog[open], [role=dialog], [role=alertdialog], [popover], [role=menu], [role=listbox], ' +
  '[role=tooltip], [role=tab], [role=tabpanel], details[open], [aria-expanded=true]';

/** Open panels, dialogs first; of tabs the selected one, with the number of tabs. */
export const readPanels = (
  scopes: readonly (Element | Root)[],
  describer: Describer,
): ElementSummary[] => {
  const shown = scopes.flatMap((scope) =>
    [...queryAll(scope, PANELS)].filter((element) => isShown(element) && !isClosedPopover(element)),
  );
  const tabs = shown.filter((element) => attribute(element, 'role') === 'tab');
  return shown
    .filter(
      (element) =>
        attribute(element, 'role') !== 'tab' || attribute(element, 'aria-selected') === 'true',
    )
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, MAX_ITEMS)
    .map((element) => toPanel(element, describer, tabs));
};

const isClosedPopover = (element: Element): boolean =>
  element.hasAttribute('popover') && !element.matches(':popover-open');

const rank = (element: Element): number =>
  element.matches('dialog, [role=dialog], [role=alertdialog]') ? 0 : 1;

const toPanel = (
  element: Element,
  describer: Describer,
  tabs: readonly Element[],
): ElementSummary => {
  const item = describer.item(element);
  const list = element.closest('[role=tablist]');
  if (item.role === 'tab')
    return {
      ...item,
      note: `of ${tabs.filter((tab) => tab.closest('[role=tablist]') === list).length} tabs`,
    };
  const isModal = attribute(element, 'aria-modal') === 'true' || element.matches(':modal');
  const name = item.name || readText(element).slice(0, 80);
  return defined({ ...item, name, value: '', note: valueIf(isModal, 'modal') });
};

// Reads forms with the values of their fields; fields outside of forms are one group.

const FIELDS =
  'input:not([type=hidden]), select, textarea, [contenteditable=""], [contenteditable=true], ' +
  '[role=textbox], [role=combobox], [role=switch], [role=slider]';
const BUTTONS =
  'button, input[type=submit], input[type=button], input[type=reset], input[type=image]';
const MAX_FIELDS = 60;

const isShownField = (element: Element): boolean =>
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
      if (isShownField(field) && !field.matches(BUTTONS)) findGroup(field).fields.push(field);
    for (const button of queryAll(scope, BUTTONS))
      if (isShownField(button) && button.closest('form')) findGroup(button).buttons.push(button);
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
  const item = describer.item(field, valueIf(isWrong, validationMessage?.slice(0, 200)));
  // The role of a text field does not show its input type.
  return item.role === 'textbox' && kind && kind !== 'text' ? { ...item, kind } : item;
};
