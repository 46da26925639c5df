// Roles by the words that people use for them, and where in HTML elements of a role are found.
import { tableOf } from './table-of.ts';

export const ROLE_WORDS = tableOf<readonly string[]>({
  box: ['textbox', 'searchbox', 'combobox', 'checkbox', 'spinbutton'],
  button: ['button', 'DisclosureTriangle'],
  checkbox: ['checkbox', 'switch', 'menuitemcheckbox'],
  combobox: ['combobox', 'listbox'],
  dropdown: ['combobox', 'listbox', 'button'],
  field: ['textbox', 'searchbox', 'combobox', 'spinbutton', 'Date', 'DateTime', 'InputTime', 'ColorWell', 'listbox', 'slider'],
  heading: ['heading'],
  icon: ['img', 'button', 'link'],
  image: ['img'],
  input: ['textbox', 'searchbox', 'combobox', 'spinbutton', 'Date', 'DateTime', 'InputTime', 'ColorWell', 'slider', 'checkbox', 'radio'],
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
