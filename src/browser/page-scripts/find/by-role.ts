// The elements that can have a role, without asking each element of the page for it.
import { queryAll } from '../dom.ts';
import { ROLE_WORDS } from '../role-words.ts';
import type { Scope } from '../seek.ts';
import { tableOf } from '../table-of.ts';

/** Tags whose elements have the role, or may have it. Roles that are not here come from the role attribute alone. */
const TAGS = tableOf<string>({
  article: 'article',
  banner: 'header',
  blockquote: 'blockquote',
  button: 'button,input,summary',
  caption: 'caption',
  cell: 'td',
  checkbox: 'input',
  code: 'code',
  columnheader: 'th',
  combobox: 'input,select',
  complementary: 'aside',
  contentinfo: 'footer',
  definition: 'dd',
  deletion: 'del,s',
  dialog: 'dialog',
  emphasis: 'em',
  figure: 'figure',
  form: 'form',
  gridcell: 'td',
  group: 'fieldset,details,address,hgroup,optgroup,g,foreignObject',
  heading: 'h1,h2,h3,h4,h5,h6',
  img: 'img,svg,image',
  insertion: 'ins',
  link: 'a,area',
  list: 'ul,ol,menu,dir',
  listbox: 'select,datalist',
  listitem: 'li',
  main: 'main',
  mark: 'mark',
  math: 'math',
  meter: 'meter',
  navigation: 'nav',
  option: 'option',
  paragraph: 'p',
  progressbar: 'progress',
  radio: 'input',
  region: 'section',
  row: 'tr',
  rowgroup: 'tbody,thead,tfoot',
  rowheader: 'th',
  search: 'search',
  sectionfooter: 'footer',
  sectionheader: 'header',
  searchbox: 'input',
  separator: 'hr',
  slider: 'input',
  spinbutton: 'input',
  status: 'output',
  strong: 'strong',
  table: 'table',
  term: 'dt,dfn',
  textbox: 'input,textarea,[contenteditable]',
  time: 'time',
  ColorWell: 'input',
  Date: 'input',
  DateTime: 'input',
  DisclosureTriangle: 'summary',
  InputTime: 'input',
});

const CANONICAL = new Map(Object.keys(TAGS).map((role) => [role.toLowerCase(), role]));

/** The roles that are meant by a role or by a word that people use for some. */
export const rolesFor = (role: string): readonly string[] => {
  const word = role.trim().toLowerCase();
  if (Object.hasOwn(ROLE_WORDS, word)) return ROLE_WORDS[word] ?? [];
  return [CANONICAL.get(word) ?? word];
};

export const elementsOfRoles = function* (scopes: readonly Scope[], roles: readonly string[]): Generator<Element> {
  const selector = [...new Set([...roles.flatMap((role) => (TAGS[role] === undefined ? [] : [TAGS[role]])), '[role]'])].join(',');
  for (const scope of scopes) yield* queryAll(scope, selector);
};
