// Chrome DevTools MCP. Every call names the page it is about.
import { join } from 'node:path';
import { CHROME, CHROME_FLAGS } from '../lib/chrome.mjs';
import { installPeer, versionOf } from '../lib/peers.mjs';

const pageId = async (s) =>
  (s.pageId ??= Number(/^(\d+):.*\[selected\]/m.exec((await s.call('list_pages')).text)[1]));
const call = async (s, tool, args = {}) => s.call(tool, { pageId: await pageId(s), ...args });

const SELECT = (value) =>
  `(el) => { for (const o of el.options) o.selected = ${JSON.stringify(value)}.includes(o.text); el.dispatchEvent(new Event('change', { bubbles: true })); }`;

export const chromeDevtools = {
  name: 'chrome-devtools-mcp',
  version: versionOf('chrome-devtools-mcp'),
  command: () => ({
    args: [
      join(
        installPeer('chrome-devtools-mcp'),
        'node_modules/chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js',
      ),
      ...[
        '--headless',
        '--isolated',
        '--executablePath',
        CHROME,
        '--viewport',
        '1280x720',
        '--no-usage-statistics',
        '--no-performance-crux',
      ],
      ...CHROME_FLAGS.map((flag) => `--chromeArg=${flag}`),
    ],
    env: {
      CHROME_DEVTOOLS_MCP_NO_USAGE_STATISTICS: '1',
      CHROME_DEVTOOLS_MCP_NO_UPDATE_CHECKS: '1',
    },
  }),
  variants: { '--slim': ['--slim'] },

  open: (s, url) => call(s, 'navigate_page', { type: 'url', url }),
  snapshotModes: { '': {} },
  snapshot: (s, mode = {}) => call(s, 'take_snapshot', mode),
  parse: (text) =>
    [...text.matchAll(/^\s*uid=(\S+) (?:([A-Za-z]\w*)(?: |$))?(?:"((?:[^"\\]|\\.)*)")?/gm)].map(
      ([, ref, role = 'text', name = '']) => ({
        role,
        name,
        ref,
      }),
    ),
  click: (s, ref) => call(s, 'click', { uid: ref }),
  fill: (s, ref, value) => call(s, 'fill', { uid: ref, value }),
  evaluate: (s, fn) => call(s, 'evaluate_script', { function: fn }),
  screenshot: (s) => call(s, 'take_screenshot'),
  waitText: (s, text) => call(s, 'wait_for', { text: [text] }),
  /** wait_for answers with the whole page; to see one line, a script is what a model would use. */
  confirm: (s) =>
    call(s, 'evaluate_script', {
      function: "() => document.querySelector('[role=status]').textContent",
    }),
  networkList: (s) => call(s, 'list_network_requests'),
  networkBody: (s, list, part) => {
    const line = list.split('\n').find((one) => one.includes(part));
    return call(s, 'get_network_request', { reqid: Number(/reqid=(\d+)/.exec(line)[1]) });
  },
  consoleList: (s) => call(s, 'list_console_messages'),
  newTab: (s, url) => s.call('new_page', { url }),

  readArticle: (s) => call(s, 'take_snapshot'),
  findInRow: async (s, who) => {
    const { text } = await call(s, 'take_snapshot');
    return /uid=(\S+) button/.exec(text.slice(text.indexOf(`"${who}"`)))?.[1];
  },
  fillForm: async (s, items) => {
    const fields = items.filter(({ kind }) => kind !== 'selects' && kind !== 'file');
    await call(s, 'fill_form', {
      elements: fields.map(({ kind, ref, value }) => ({
        uid: ref,
        value: kind === 'radio' ? 'true' : String(value),
      })),
    });
    for (const { kind, ref, value } of items) {
      if (kind === 'selects')
        await call(s, 'evaluate_script', { function: SELECT(value), args: [ref] });
      if (kind === 'file') await call(s, 'upload_file', { uid: ref, filePaths: [s.file] });
    }
  },
};
