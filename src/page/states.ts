// Describes the states of an element (disabled, checked, expanded); default states are left out.
import { attribute, attributeText, hasAttribute, isBare, matches, parentNode } from './safe-dom.ts';
import { inputType } from './roles.ts';
import { createLookupTable } from './lookup-table.ts';
import { CHECKABLE_TYPES } from './tag-sets.ts';

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
