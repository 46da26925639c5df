// Verbs that read the page.
import type { Verb } from './verb.ts';

/**
 * Words of `takes` that are not arguments of the tool are slots: `{selector}` in the code is
 * replaced by the word as a JSON string. Returns an `ElementFact`, see print.ts.
 */
const buildElementCode = (expression: string): string =>
  "if (location.protocol === 'chrome-error:' || (location.href === 'about:blank' && " +
  "!document.body?.firstChild)) return { none: 'page' }; let elements; " +
  'try { elements = document.querySelectorAll({selector}); } ' +
  "catch { return { none: 'selector' }; } " +
  "const [element] = elements; if (!element) return { none: 'element' }; " +
  `return { value: ${expression} ?? null }`;

/** The largest value that the tool accepts. */
const WHOLE_VALUE = { max_chars: 10_000_000 };

/** The browser process knows these facts: a page that loads or hangs does not delay the reply. */
const EVERY_TAB = { all: true, limit: 1000 };

/** The largest value that the tool accepts. */
const WHOLE_TEXT = 1_000_000;

const CSS = { selector: 'CSS selector of the element' };

const PICTURE = 'PNG, JPEG or WebP by its extension (default: a PNG in the downloads folder)';

export const LOOK_VERBS: readonly Verb[] = [
  {
    words: 'state',
    isTaught: true,
    tool: 'read_page',
    section: 'look',
    summary: 'List the elements that can be clicked or filled, each with a ref',
    about: 'A ref such as e12 names the element in click, fill and the other commands.',
    takes: '[target]',
    fixed: { filter: 'interactive' },
    options: {
      since: 'last: only what changed since the last read',
      depth: 'Number of levels to show',
      urls: 'Show the addresses of links',
      max_tokens: 'Fold longer output (default 10000 tokens)',
    },
    examples: ['openchrome state', 'openchrome state --since last', 'openchrome state e12'],
  },
  {
    words: 'read',
    tool: 'read_page',
    section: 'look',
    summary: 'Read the whole page as an outline with refs',
    takes: '[target]',
    options: {
      mode: 'ax (default), dom: element tree, css: layout and styles, markdown: text',
      since: 'last: only what changed since the last read',
      depth: 'Number of levels to show',
      urls: 'Show the addresses of links',
      max_tokens: 'Fold longer output (default 10000 tokens)',
    },
    examples: [
      'openchrome read',
      'openchrome read --since last',
      "openchrome read --mode css '#menu'",
    ],
  },
  {
    words: 'find',
    isTaught: true,
    tool: 'find',
    section: 'look',
    summary: 'Find elements by their words, role, label or CSS',
    about: 'The exit status is 1 if no element matches.',
    takes: '[query...]',
    places: { query: 'Words of the name, label or text' },
    options: {
      role: 'button, link, field, heading ...',
      label: 'Label of a form field',
      testId: 'Value of data-testid',
      selector: 'CSS selector',
      near: 'Words in the same row, card or list item',
      limit: 'Number of elements (default 10)',
      waitForMs: 'Wait this long for a match',
    },
    examples: [
      'openchrome find Sign in',
      'openchrome find --role button --near "Ada Lovelace"',
      'openchrome find --label Email --wait-for 5s',
    ],
    flags: { waitForMs: 'wait-for' },
  },
  {
    words: 'inspect',
    tool: 'inspect',
    section: 'look',
    summary: 'Report on one element, or on errors, form values, focus, headings',
    takes: '[target...]',
    places: { target: 'A ref, CSS, or: errors, form values, focus, headings, open dialogs' },
    examples: ['openchrome inspect form values', "openchrome inspect '#checkout'"],
  },
  {
    words: 'get url',
    tool: 'tabs_context',
    section: 'look',
    summary: 'Print the URL of the page',
    fixed: EVERY_TAB,
    tabFact: 'url',
    examples: ['openchrome get url', 'u=$(openchrome get url)'],
  },
  {
    words: 'get title',
    tool: 'tabs_context',
    section: 'look',
    summary: 'Print the title of the page',
    fixed: EVERY_TAB,
    tabFact: 'title',
    examples: ['openchrome get title'],
  },
  {
    words: 'get text',
    isTaught: true,
    tool: 'read_page',
    section: 'look',
    summary: 'Print the text of the page or of one element, as Markdown',
    takes: '[target]',
    fixed: { mode: 'markdown' },
    defaults: { max_tokens: WHOLE_TEXT },
    options: { max_tokens: 'Maximum length in tokens (default: the whole text)' },
    bare: true,
    examples: ['openchrome get text > page.md', "openchrome get text '#main'"],
  },
  {
    words: 'get html',
    tool: 'page_content',
    section: 'look',
    summary: 'Print the HTML of the page or of one element',
    takes: '[selector]',
    places: CSS,
    options: { outerHTML: 'Print the content of the element without its own tag' },
    bare: true,
    view: 'page-html',
    examples: ['openchrome get html > page.html', "openchrome get html '#main'"],
  },
  {
    words: 'get value',
    tool: 'javascript_tool',
    section: 'look',
    summary: 'Print the value of a field',
    takes: '<selector>',
    places: CSS,
    fixed: { code: buildElementCode('element.value') },
    defaults: WHOLE_VALUE,
    elementFact: 'value',
    about: 'The exit status is 1 if no element matches.',
    examples: ["openchrome get value 'input[name=email]'"],
  },
  {
    words: 'get attr',
    tool: 'javascript_tool',
    section: 'look',
    summary: 'Print an attribute of an element',
    takes: '<selector> <name>',
    places: { ...CSS, name: 'Name of the attribute' },
    fixed: { code: buildElementCode('element.getAttribute({name})') },
    defaults: WHOLE_VALUE,
    elementFact: 'attribute',
    about: 'The exit status is 1 if no element matches or the attribute is missing.',
    examples: ['openchrome get attr a.next href'],
  },
  {
    words: 'get count',
    tool: 'javascript_tool',
    section: 'look',
    summary: 'Print the number of elements that match',
    takes: '<selector>',
    places: CSS,
    fixed: { code: buildElementCode('elements.length') },
    elementFact: 'count',
    about: 'The exit status is 1 if no element matches.',
    examples: ['openchrome get count li'],
  },
  {
    words: 'screenshot',
    isTaught: true,
    tool: 'page_screenshot',
    section: 'look',
    summary: 'Save a picture of the page and print its path',
    takes: '[path]',
    places: { path: PICTURE },
    options: {
      fullPage: 'The whole page, not only the visible part',
      ref: 'Only this element (ref)',
      selector: 'Only this element (CSS)',
      annotate: 'Draw the refs into the picture',
      quality: 'Quality of a JPEG or WebP (1 to 100)',
      format: 'png, jpeg or webp',
    },
    draws: true,
    view: 'saved-file',
    examples: [
      'openchrome screenshot',
      'openchrome screenshot page.jpg --full-page',
      'openchrome screenshot --show',
    ],
  },
  {
    words: 'pdf',
    tool: 'page_pdf',
    section: 'look',
    summary: 'Save the page as a PDF and print its path',
    takes: '[path]',
    places: { path: 'The file to write (default: in the downloads folder)' },
    view: 'saved-file',
    examples: ['openchrome pdf', 'openchrome pdf page.pdf'],
  },
  {
    words: 'validate',
    tool: 'validate_page',
    section: 'look',
    summary: 'Check a page for errors, missing labels and slow loading',
    about: 'The exit status is 1 if there is a problem.',
    takes: '[url]',
    places: { url: 'Open this address first (default: the current page)' },
    view: 'validation',
    examples: ['openchrome validate', 'openchrome validate http://localhost:3000'],
  },
];
