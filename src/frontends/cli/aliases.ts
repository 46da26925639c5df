// Short command names: each is a tool with some arguments fixed and some positional.
import type { Follows, TabFact } from './command.ts';

export interface Alias {
  /** The words after `openchrome`. */
  readonly words: string;
  readonly tool: string;
  readonly says: string;
  /**
   * Positional arguments: `<required>`, `[optional]`, `<all remaining words...>`. Each is an
   * argument of the tool, or `target` (a ref, CSS or words).
   */
  readonly takes?: string;
  readonly fixed?: Readonly<Record<string, unknown>>;
  /** Arguments that are paths, in addition to those that the tool declares. */
  readonly files?: readonly string[];
  readonly pick?: string;
  /**
   * Prints this fact of the current tab (or of the one that tabId names) from a reply that lists
   * tabs.
   */
  readonly tabFact?: TabFact;
  readonly follows?: Follows;
  /** Used instead of the tool's own examples. */
  readonly examples?: readonly Readonly<Record<string, unknown>>[];
}

/**
 * Words of `takes` that are not arguments of the tool are slots: `{selector}` in the code is
 * replaced by the word as a JSON string.
 */
const element = (expression: string): string =>
  'const element = document.querySelector({selector}); ' +
  "if (!element) throw new Error('No element matches ' + {selector}); " +
  `return ${expression}`;

/** The browser process knows these facts: a page that loads or hangs does not delay the reply. */
const EVERY_TAB = { all: true, limit: 1000 };

export const ALIASES: readonly Alias[] = [
  // Pages
  {
    words: 'browser open',
    tool: 'navigate',
    says: 'Open an address',
    takes: '<url>',
    examples: [{ url: 'https://example.com' }],
  },
  {
    words: 'browser navigate',
    tool: 'navigate',
    says: 'Open an address, go back, forward, or reload',
    takes: '[url]',
  },
  { words: 'browser back', tool: 'navigate', says: 'Go back', fixed: { action: 'back' } },
  {
    words: 'browser forward',
    tool: 'navigate',
    says: 'Go forward',
    fixed: { action: 'forward' },
    examples: [{}],
  },
  {
    words: 'browser reload',
    tool: 'navigate',
    says: 'Reload the page',
    fixed: { action: 'reload' },
    examples: [{}],
  },
  { words: 'browser tab list', tool: 'tabs_context', says: 'List the tabs of the session' },
  {
    words: 'browser tab new',
    tool: 'tabs',
    says: 'Open a new tab',
    takes: '[url]',
    fixed: { action: 'new' },
    examples: [{ url: 'https://example.com' }],
  },
  {
    words: 'browser tab select',
    tool: 'tabs',
    says: 'Make a tab the current one',
    takes: '<tabId>',
    fixed: { action: 'select' },
    examples: [{ tabId: '8A3F0C' }],
  },
  {
    words: 'browser tab close',
    tool: 'tabs',
    says: 'Close a tab (the current one)',
    takes: '[tabId]',
    fixed: { action: 'close' },
    examples: [{}],
  },

  // Looking
  {
    words: 'browser state',
    tool: 'read_page',
    says: 'What can be acted on in the page, with refs',
    fixed: { filter: 'interactive' },
    examples: [{}, { since: 'last' }],
  },
  {
    words: 'browser find',
    tool: 'find',
    says: 'Find elements by words, role, label … each with a ref',
    takes: '[query...]',
  },
  {
    words: 'browser inspect',
    tool: 'inspect',
    says: 'A focused report on an element, or on errors, form values, focus …',
    takes: '[target...]',
    examples: [{ query: 'form values' }, { selector: '#checkout' }],
  },
  {
    words: 'browser get url',
    tool: 'tabs_context',
    says: 'The address of the page',
    fixed: EVERY_TAB,
    tabFact: 'url',
    examples: [{}],
  },
  {
    words: 'browser get title',
    tool: 'tabs_context',
    says: 'The title of the page',
    fixed: EVERY_TAB,
    tabFact: 'title',
    examples: [{}],
  },
  {
    words: 'browser get text',
    tool: 'read_page',
    says: 'The text of the page, or of one element (ref or CSS)',
    takes: '[target]',
    fixed: { mode: 'markdown' },
    examples: [{}, { selector: '#main' }],
  },
  {
    words: 'browser get html',
    tool: 'page_content',
    says: 'The HTML of the page, or of one element (CSS)',
    takes: '[selector]',
    examples: [{ selector: '#main' }],
  },
  {
    words: 'browser get value',
    tool: 'javascript_tool',
    says: 'The value of a field (CSS)',
    takes: '<selector>',
    fixed: { code: element('element.value') },
    examples: [{ selector: 'input[name=email]' }],
  },
  {
    words: 'browser get attr',
    tool: 'javascript_tool',
    says: 'An attribute of an element (CSS)',
    takes: '<selector> <name>',
    fixed: { code: element('element.getAttribute({name})') },
    examples: [{ selector: 'a.next', name: 'href' }],
  },
  {
    words: 'browser get count',
    tool: 'javascript_tool',
    says: 'How many elements match (CSS)',
    takes: '<selector>',
    fixed: { code: 'document.querySelectorAll({selector}).length' },
    examples: [{ selector: 'li' }],
  },
  {
    words: 'browser page-content',
    tool: 'page_content',
    says: 'Raw HTML of the page or of an element',
    takes: '[selector]',
  },
  {
    words: 'browser validate-page',
    tool: 'validate_page',
    says: 'What is wrong with a page, in one short report',
    takes: '[url]',
  },
  {
    words: 'browser screenshot',
    tool: 'page_screenshot',
    says: 'Save a picture of the page, an element or the full page',
    takes: '[path]',
    examples: [{}, { path: 'page.png', fullPage: true }],
  },
  { words: 'browser pdf', tool: 'page_pdf', says: 'Save the page as a PDF', takes: '[path]' },

  // Acting
  ...(
    [
      ['click', 'click', 'Click an element'],
      ['double-click', 'double_click', 'Double-click an element'],
      ['right-click', 'right_click', 'Right-click an element'],
      ['hover', 'hover', 'Point at an element'],
      ['focus', 'focus', 'Give an element the focus'],
      ['check', 'check', 'Tick a checkbox, or choose a radio button'],
      ['uncheck', 'uncheck', 'Untick a checkbox'],
      ['clear', 'clear', 'Empty a field'],
    ] as const
  ).map(([word, action, says]): Alias => ({
    words: `browser ${word}`,
    tool: 'interact',
    says,
    takes: '<target...>',
    fixed: { action },
    examples: [{ ref: 'e12' }, { query: 'Sign in' }, { selector: '#save' }],
  })),
  {
    words: 'browser type',
    tool: 'interact',
    says: 'Type text into an element, key by key',
    takes: '<target> <value...>',
    fixed: { action: 'type' },
    examples: [{ ref: 'e5', value: 'hello world' }],
  },
  {
    words: 'browser fill',
    tool: 'interact',
    says: 'Put a value into a field of any kind',
    takes: '<target> <value...>',
    fixed: { action: 'fill' },
    examples: [{ query: 'Email', value: 'ada@example.com' }],
  },
  {
    words: 'browser select',
    tool: 'interact',
    says: 'Choose an option',
    takes: '<target> <value...>',
    fixed: { action: 'select' },
    examples: [{ query: 'Country', value: 'Norway' }],
  },
  ...['keys', 'press'].map((word): Alias => ({
    words: `browser ${word}`,
    tool: 'interact',
    says: 'Press keys, one after the other',
    takes: '<value...>',
    fixed: { action: 'press' },
    examples: [{ value: 'Control+A' }, { value: 'Tab Enter' }],
  })),
  {
    words: 'browser scroll',
    tool: 'interact',
    says: 'Scroll the page, or an element into view',
    takes: '[value...]',
    fixed: { action: 'scroll' },
    examples: [{ value: 'down 300' }, { ref: 'e12' }],
  },
  {
    words: 'browser drag',
    tool: 'interact',
    says: 'Drag an element onto another (its ref)',
    takes: '<target> <value>',
    fixed: { action: 'drag' },
    examples: [{ ref: 'e4', value: 'e9' }],
  },
  {
    words: 'browser upload',
    tool: 'interact',
    says: 'Give files to a file field or to the button that asks for them',
    takes: '<target> <value...>',
    fixed: { action: 'upload' },
    files: ['value'],
    examples: [{ query: 'Attachment', value: ['report.pdf'] }],
  },
  { words: 'browser act', tool: 'act', says: 'Plain steps in one go', takes: '<instruction...>' },
  {
    words: 'browser eval',
    tool: 'javascript_tool',
    says: 'Run JavaScript in the page and print its value',
    takes: '<code...>',
  },
  {
    words: 'browser wait',
    tool: 'wait_for',
    says: 'Wait for a text, an element, a request …',
    takes: '[text...]',
  },
  {
    words: 'browser dialog accept',
    tool: 'handle_dialog',
    says: 'Answer an open dialog with OK',
    takes: '[text...]',
    fixed: { accept: true },
  },
  {
    words: 'browser dialog dismiss',
    tool: 'handle_dialog',
    says: 'Answer an open dialog with Cancel',
    fixed: { accept: false },
    examples: [{}],
  },

  // Traffic and state
  {
    words: 'browser network',
    tool: 'network',
    says: 'What the pages asked for, with the shape of each body',
    follows: { items: 'entries', wait: 'wait_ms' },
  },
  {
    words: 'browser console',
    tool: 'console',
    says: 'Console messages and exceptions',
    takes: '[text...]',
  },
  {
    words: 'browser downloads',
    tool: 'downloads',
    says: 'Downloads of the session',
    takes: '[action] [id]',
  },
  {
    words: 'browser cookies',
    tool: 'cookies',
    says: 'The cookies of the page',
    fixed: { action: 'list' },
  },
  {
    words: 'browser cookies set',
    tool: 'cookies',
    says: 'Set a cookie',
    takes: '<name> <value>',
    fixed: { action: 'set' },
  },
  {
    words: 'browser cookies delete',
    tool: 'cookies',
    says: 'Delete a cookie',
    takes: '<name>',
    fixed: { action: 'delete' },
    examples: [{ name: 'theme' }],
  },
  {
    words: 'browser cookies clear',
    tool: 'cookies',
    says: 'Delete all cookies of the page or domain',
    fixed: { action: 'clear' },
  },
  {
    words: 'browser storage',
    tool: 'storage',
    says: 'What the page keeps in localStorage',
    fixed: { action: 'list' },
  },
  {
    words: 'browser storage get',
    tool: 'storage',
    says: 'One entry',
    takes: '<key>',
    fixed: { action: 'get' },
    examples: [{ key: 'theme' }],
  },
  {
    words: 'browser storage set',
    tool: 'storage',
    says: 'Set an entry',
    takes: '<key> <value>',
    fixed: { action: 'set' },
  },
  {
    words: 'browser storage remove',
    tool: 'storage',
    says: 'Remove an entry',
    takes: '<key>',
    fixed: { action: 'remove' },
    examples: [{ key: 'theme' }],
  },
  {
    words: 'browser storage clear',
    tool: 'storage',
    says: 'Remove all entries',
    fixed: { action: 'clear' },
    examples: [{}],
  },
  {
    words: 'browser storage save',
    tool: 'storage',
    says: 'Save the login (all cookies and storage) to a file',
    takes: '<path>',
    fixed: { action: 'save' },
  },
  {
    words: 'browser storage load',
    tool: 'storage',
    says: 'Put a saved login back',
    takes: '<path>',
    fixed: { action: 'load' },
    examples: [{ path: 'login.json' }],
  },
  { words: 'sessions list', tool: 'sessions', says: 'Sessions with their storage and tabs' },
  {
    words: 'sessions open',
    tool: 'sessions',
    says: 'Open a session with cookies and storage of its own',
    takes: '<name>',
    fixed: { action: 'open' },
    examples: [{ name: 'buyer' }],
  },
  {
    words: 'sessions close',
    tool: 'sessions',
    says: 'Close a session with its tabs, and delete its own storage',
    takes: '<name>',
    fixed: { action: 'close' },
    examples: [{ name: 'buyer' }],
  },
  {
    words: 'browser emulate',
    tool: 'emulate',
    says: 'Look like another device, place, language …',
    takes: '[device]',
  },
  {
    words: 'browser performance',
    tool: 'performance',
    says: 'How fast the page is',
    takes: '[action]',
  },
  { words: 'browser health', tool: 'oc_connection_health', says: 'How Chrome and the engine are' },
  {
    words: 'browser stop',
    tool: 'oc_stop',
    says: 'End Chrome; the next command that needs it starts it again',
  },
  {
    words: 'browser reap-orphans',
    tool: 'oc_reap_orphans',
    says: 'End Chromes whose server is dead',
  },

  // Long-running work and its results
  { words: 'crawl', tool: 'crawl', says: 'Visit a page and what it links to', takes: '<url>' },
  {
    words: 'crawl-sitemap',
    tool: 'crawl_sitemap',
    says: 'Visit the pages of a sitemap',
    takes: '<url>',
  },
  {
    words: 'record start',
    tool: 'recording',
    says: 'Start to record the tab',
    takes: '[path]',
    fixed: { action: 'start' },
    examples: [{}, { path: 'login-recording' }],
  },
  {
    words: 'record stop',
    tool: 'recording',
    says: 'Stop the recording and print its folder and files',
    takes: '[id]',
    fixed: { action: 'stop' },
    examples: [{}],
  },
  {
    words: 'record list',
    tool: 'oc_task_list',
    says: 'Recordings, newest first',
    fixed: { kind: 'recording' },
    examples: [{}],
  },
  { words: 'tasks list', tool: 'oc_task_list', says: 'Tasks, newest first' },
  {
    words: 'tasks show',
    tool: 'oc_task_get',
    says: 'State, progress and last events of a task',
    takes: '<task_id>',
  },
  {
    words: 'tasks wait',
    tool: 'oc_task_wait',
    says: 'Wait until a task has ended',
    takes: '<task_id>',
  },
  {
    words: 'tasks cancel',
    tool: 'oc_task_cancel',
    says: 'Stop a task; what it has done is kept',
    takes: '<task_id>',
  },
  {
    words: 'tasks logs',
    tool: 'oc_task_get',
    says: 'The last events of a task, one per line',
    takes: '<task_id>',
    pick: 'events_tail',
    examples: [{ task_id: '019a8c1f2b3d4e5f' }],
  },
  {
    words: 'tasks start',
    tool: 'oc_task_start',
    says: 'Start long work in the background, or a task of your own',
    takes: '[kind]',
  },
  {
    words: 'tasks update',
    tool: 'oc_task_update',
    says: 'Say where a task of your own is',
    takes: '<task_id> [phase]',
  },
  {
    words: 'tasks finish',
    tool: 'oc_task_finish',
    says: 'End a task of your own',
    takes: '<task_id> [outcome]',
  },
  {
    words: 'output show',
    tool: 'oc_output_fetch',
    says: 'A page of a stored payload',
    takes: '<output_handle>',
  },
  {
    words: 'output grep',
    tool: 'oc_output_fetch',
    says: 'The lines or items that match a regular expression',
    takes: '<output_handle> <grep...>',
  },
  {
    words: 'output query',
    tool: 'oc_output_fetch',
    says: 'What a JMESPath expression finds',
    takes: '<output_handle> <query...>',
  },
  {
    words: 'journal',
    tool: 'oc_journal',
    says: 'What was done: the last calls, or a summary',
    takes: '[action]',
  },
  {
    words: 'tools',
    tool: 'expand_tools',
    says: 'Find tools by words, with their arguments',
    takes: '[query...]',
  },
];

/** Summary of each command group. */
export const GROUPS: Readonly<Record<string, string>> = {
  browser: 'Use Chrome: open, look, act, watch the traffic',
  'browser tab': 'The tabs of the session',
  'browser get': 'One fact about the page or an element',
  'browser dialog': 'Answer the dialog that is open in the page',
  daemon: 'The background process that commands share, with its Chrome',
  record: 'Record what happens in a tab',
  sessions: 'Workspaces with tabs, cookies and storage of their own',
  tasks: 'Long work in the background',
  output: 'Stored payloads, by their handle',
  call: 'Call any tool by its name',
  completion: 'Print the completion script for bash, zsh or fish',
};
