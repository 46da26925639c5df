// Verbs that act on the page with real input.
import type { Verb } from './verb.ts';

const ACT_OPTIONS = {
  returnAfterState: 'Also print the page afterwards: ax (all) or diff (what changed)',
  waitForMs: 'How long to wait until the element can be used (default 1.5s)',
  settleMs: 'How long to wait for effects (default 1.5s)',
};

const ACT_FLAGS = {
  returnAfterState: 'after',
  waitForMs: 'wait-for',
  settleMs: 'settle',
};

const buildVerb = (
  words: string,
  action: string,
  summary: string,
  more: Partial<Verb> & Pick<Verb, 'examples'>,
): Verb => ({
  words,
  tool: 'interact',
  section: 'act',
  summary,
  takes: '<target...>',
  fixed: { action },
  options: ACT_OPTIONS,
  flags: ACT_FLAGS,
  ...more,
});

export const ACT_VERBS: readonly Verb[] = [
  buildVerb('click', 'click', 'Click an element', {
    isTaught: true,
    examples: ['openchrome click Sign in', 'openchrome click e12', "openchrome click '#save'"],
  }),
  buildVerb('fill', 'fill', 'Enter a value into a field of any kind', {
    splitsLabel: true,
    isTaught: true,
    about:
      'If the label has several words, they are matched with the labels of the page: ' +
      '"fill First name Ada" fills the field "First name". "form" fills several fields.',
    takes: '<target> <value...>',
    places: { value: 'The text, option, date or state of the field' },
    examples: ['openchrome fill Email ada@x.org', 'openchrome fill e5 hello world'],
  }),
  buildVerb('type', 'type', 'Type text into an element, key by key', {
    splitsLabel: true,
    takes: '<target> <value...>',
    places: { value: 'The text' },
    examples: ['openchrome type e5 hello world'],
  }),
  buildVerb('press', 'press', 'Press keys, one after the other', {
    isTaught: true,
    takes: '<value...>',
    places: { value: 'Names of keys: Enter, Control+A, Tab' },
    examples: ['openchrome press Enter', 'openchrome press Tab Tab Enter'],
  }),
  buildVerb('keys', 'press', 'Press keys', {
    takes: '<value...>',
    hidden: true,
    examples: ['openchrome keys Control+A'],
  }),
  buildVerb('select', 'select', 'Choose an option of a list', {
    splitsLabel: true,
    isTaught: true,
    takes: '<target> <value...>',
    places: { value: 'The option as it is shown' },
    examples: ['openchrome select Country Norway'],
  }),
  buildVerb('check', 'check', 'Check a checkbox or choose a radio button', {
    examples: ['openchrome check Terms of use'],
  }),
  buildVerb('uncheck', 'uncheck', 'Uncheck a checkbox', {
    examples: ['openchrome uncheck Newsletter'],
  }),
  {
    words: 'form',
    isTaught: true,
    tool: 'fill_form',
    section: 'act',
    summary: 'Fill several fields at once, and submit the form if requested',
    about: 'The exit status is 1 if a field could not be filled.',
    takes: '<fields...>',
    places: { fields: 'LABEL=VALUE for each field; a ref (e5=VALUE) works too' },
    options: {
      submit: 'Press the submit button afterwards; --submit NAME names the button',
      ...ACT_OPTIONS,
    },
    flags: ACT_FLAGS,
    examples: ["openchrome form Email=ada@x.org 'Country=Norway' --submit"],
  },
  buildVerb('hover', 'hover', 'Move the pointer over an element', {
    examples: ['openchrome hover Products'],
  }),
  buildVerb('double-click', 'double_click', 'Double-click an element', {
    examples: ['openchrome double-click e12'],
  }),
  buildVerb('right-click', 'right_click', 'Right-click an element', {
    examples: ['openchrome right-click e12'],
  }),
  buildVerb('focus', 'focus', 'Focus an element', { examples: ['openchrome focus Search'] }),
  buildVerb('clear', 'clear', 'Empty a field', { examples: ['openchrome clear Email'] }),
  buildVerb('scroll', 'scroll', 'Scroll the page', {
    takes: '[value...]',
    places: { value: 'up, down, left, right, top or bottom, with pixels; or: until TEXT' },
    options: { ref: 'Scroll this element into view (ref)', ...ACT_OPTIONS },
    examples: ['openchrome scroll down 300', 'openchrome scroll --ref e12'],
  }),
  buildVerb('drag', 'drag', 'Drag an element onto another one', {
    takes: '<target> <value>',
    places: { value: 'The ref of the element to drop it on' },
    examples: ['openchrome drag e4 e9'],
  }),
  buildVerb('upload', 'upload', 'Choose files in a file field', {
    takes: '<target> <value...>',
    places: { value: 'Paths of the files' },
    files: ['value'],
    examples: ['openchrome upload Attachment report.pdf'],
  }),
  {
    words: 'act',
    isTaught: true,
    tool: 'act',
    section: 'act',
    summary: 'Run several steps in one command',
    takes: '<instruction...>',
    places: { instruction: 'Steps, separated by ";"' },
    options: ACT_OPTIONS,
    flags: ACT_FLAGS,
    examples: ["openchrome act 'click Sign in; type ada in Username; press Enter'"],
  },
  {
    words: 'wait',
    isTaught: true,
    tool: 'wait_for',
    section: 'act',
    summary: 'Wait for a text, an element, a request or a download',
    takes: '[text...]',
    places: { text: 'Text that must appear' },
    options: {
      textGone: 'Text that must disappear',
      selector: 'CSS of an element that must appear',
      selectorGone: 'CSS of an element that must disappear',
      url: 'Part of the URL, or a glob',
      request: 'A request that must be answered: part of its URL, "POST /api"',
      download: 'A download that must finish: part of its name, * for any',
      console: 'A console message that contains this',
      loadState: 'domcontentloaded, load or networkidle',
      function: 'JavaScript that must return a true value',
    },
    examples: ['openchrome wait Welcome', "openchrome wait --request 'POST /api/orders'"],
  },
  {
    words: 'eval',
    isTaught: true,
    tool: 'javascript_tool',
    section: 'act',
    summary: 'Run JavaScript in the page and print its value',
    takes: '<code...>',
    places: { code: 'An expression, or statements with return' },
    options: {
      world: 'isolated: run it apart from the variables of the page',
      max_chars: 'Maximum length of the value (default 50000)',
    },
    view: 'value',
    examples: ["openchrome eval 'document.title'", "openchrome eval '[...document.links].length'"],
  },
  {
    words: 'dialog accept',
    isTaught: true,
    tool: 'handle_dialog',
    section: 'act',
    summary: 'Answer the open dialog with OK',
    takes: '[text...]',
    places: { text: 'The answer to a prompt' },
    fixed: { accept: true },
    examples: ['openchrome dialog accept', 'openchrome dialog accept Ada'],
  },
  {
    words: 'dialog dismiss',
    tool: 'handle_dialog',
    section: 'act',
    summary: 'Answer the open dialog with Cancel',
    fixed: { accept: false },
    examples: ['openchrome dialog dismiss'],
  },
];
