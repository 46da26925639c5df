// Playwright MCP as it comes, and tuned: no waiting for things to settle, no snapshot after an
// action, no code.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHROME, CHROME_FLAGS } from '../lib/chrome.mjs';
import { installPeer, versionOf } from '../lib/peers.mjs';

const TYPE = { range: 'slider', select: 'combobox', checkbox: 'checkbox', radio: 'radio' };
const APART = ['selects', 'switch', 'file'];

const command =
  (extra = []) =>
  (dir) => {
    const config = join(dir, 'playwright.json');
    writeFileSync(config, JSON.stringify({ browser: { launchOptions: { args: CHROME_FLAGS } } }));
    const cli = join(installPeer('playwright-mcp'), 'node_modules/@playwright/mcp/cli.js');
    const browser = [
      '--browser',
      'chromium',
      '--executable-path',
      CHROME,
      '--viewport-size',
      '1280x720',
      '--config',
      config,
    ];
    return { args: [cli, '--headless', '--no-sandbox', '--isolated', ...browser, ...extra] };
  };

const fillApart = async (s, { kind, ref, value }) => {
  if (kind === 'selects') return s.call('browser_select_option', { target: ref, values: value });
  await s.call('browser_click', { target: ref });
  return kind === 'file' ? s.call('browser_file_upload', { paths: [s.file] }) : undefined;
};

export const playwright = {
  name: 'playwright-mcp',
  version: versionOf('playwright-mcp'),
  command: command(),
  variants: { '--caps vision,pdf,devtools': ['--caps', 'vision,pdf,devtools'] },

  open: (s, url) => s.call('browser_navigate', { url }),
  snapshotModes: { '': {} },
  snapshot: (s, mode = {}) => s.call('browser_snapshot', mode),
  parse: (text) =>
    [...text.matchAll(/^\s*- '?(\w+)(?: "((?:[^"\\]|\\.)*)")?[^\n]*?\[ref=(\w+)\]/gm)].map(
      ([, role, name = '', ref]) => ({
        role,
        name: name.replace(/\\(.)/g, '$1'),
        ref,
      }),
    ),
  click: (s, ref) => s.call('browser_click', { target: ref }),
  clickSelector: (s, css) => s.call('browser_click', { target: css }),
  fill: (s, ref, value) => s.call('browser_type', { target: ref, text: value }),
  evaluate: (s, fn) => s.call('browser_evaluate', { function: fn }),
  screenshot: (s) => s.call('browser_take_screenshot', { scale: 'css' }),
  waitText: (s, text) => s.call('browser_wait_for', { text }),
  networkList: (s) => s.call('browser_network_requests', { static: false }),
  networkBody: (s, list, part) => {
    const line = list.split('\n').find((one) => one.includes(part));
    return s.call('browser_network_request', {
      index: Number(line.split('.')[0]),
      part: 'response-body',
    });
  },
  consoleList: (s) => s.call('browser_console_messages', { level: 'debug' }),
  newTab: (s, url) => s.call('browser_tabs', { action: 'new', url }),

  readArticle: (s) => s.call('browser_snapshot'),
  /** What browser_find shows ends before the row's button, so the row is read too. */
  findInRow: async (s, who) => {
    const { text } = await s.call('browser_find', { text: who });
    const [, row] = [...text.slice(0, text.lastIndexOf(who)).matchAll(/row .*?\[ref=(\w+)\]/g)].at(
      -1,
    );
    return /button .*?\[ref=(\w+)\]/.exec(
      (await s.call('browser_snapshot', { target: row })).text,
    )[1];
  },
  fillForm: async (s, items) => {
    const fields = items
      .filter(({ kind }) => !APART.includes(kind))
      .map(({ kind, ref, label, value }) => ({
        target: ref,
        name: label,
        type: TYPE[kind] ?? 'textbox',
        value: kind === 'radio' ? 'true' : String(value),
      }));
    await s.call('browser_fill_form', { fields });
    for (const item of items) if (APART.includes(item.kind)) await fillApart(s, item);
  },
};

export const playwrightTuned = {
  ...playwright,
  name: 'playwright-mcp-tuned',
  command: command(['--timeout-settle', '0', '--snapshot-mode', 'none', '--codegen', 'none']),
  only: ['actions', 'tasks'],
};
