// Maps everyday words for controls (field, dropdown, toggle) to their roles.
import { createLookupTable } from './objects.ts';

/** Roles of fields into which a value is typed or picked. */
const VALUE_ROLES = [
  'textbox',
  'searchbox',
  'combobox',
  'spinbutton',
  'Date',
  'DateTime',
  'InputTime',
  'ColorWell',
];

export const ROLE_WORDS = createLookupTable<readonly string[]>({
  box: ['textbox', 'searchbox', 'combobox', 'checkbox', 'spinbutton'],
  button: ['button', 'DisclosureTriangle'],
  checkbox: ['checkbox', 'switch', 'menuitemcheckbox'],
  combobox: ['combobox', 'listbox'],
  dropdown: ['combobox', 'listbox', 'button'],
  field: [...VALUE_ROLES, 'listbox', 'slider'],
  heading: ['heading'],
  icon: ['img', 'button', 'link'],
  image: ['img'],
  input: [...VALUE_ROLES, 'slider', 'checkbox', 'radio'],
  item: ['menuitem', 'menuitemcheckbox', 'menuitemradio', 'option', 'treeitem', 'listitem'],
  link: ['link'],
  menuitem: ['menuitem', 'menuitemcheckbox', 'menuitemradio'],
  option: ['option', 'radio', 'menuitemradio'],
  radio: ['radio', 'menuitemradio'],
  row: ['row'],
  slider: ['slider'],
  switch: ['switch', 'checkbox'],
  tab: ['tab'],
  textarea: ['textbox'],
  textbox: ['textbox', 'searchbox'],
  toggle: ['switch', 'checkbox', 'button'],
});
