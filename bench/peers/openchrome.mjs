// This project's server: its own form filler, its search by what stands near, its crawl.
import { OPENCHROME } from '../lib/openchrome.mjs';
import { elementsRead } from '../lib/outline.mjs';

const WHOLE = { max_tokens: 1_000_000, output_mode: 'inline' };

/** The key that ends a line of the list: status, size, type, key. */
const keyOf = (lines, part) => {
  const line = lines.split('\n').find((one) => one.includes(part));
  return line.trim().split(' ').slice(3).join(' ');
};

export const openchrome = {
  name: 'openchrome',
  version: '(this checkout)',
  command: () => ({ args: OPENCHROME }),
  variants: { '--slim': ['--slim'], '--all-tools': ['--all-tools'] },

  open: (s, url) => s.call('navigate', { url }),
  snapshotModes: { '': WHOLE, interactive: { ...WHOLE, filter: 'interactive' } },
  snapshot: (s, mode = WHOLE) => s.call('read_page', mode),
  parse: elementsRead,
  click: (s, ref) => s.call('interact', { action: 'click', ref }),
  clickSelector: (s, selector) => s.call('interact', { action: 'click', selector }),
  fill: (s, ref, value) => s.call('interact', { action: 'fill', ref, value }),
  evaluate: (s, fn) => s.call('javascript_tool', { code: `(${fn})()` }),
  screenshot: (s) => s.call('page_screenshot'),
  waitText: (s, text) => s.call('wait_for', { text }),
  networkList: (s) => s.call('network', { format: 'lines', limit: 500 }),
  networkBody: (s, list, part) => s.call('network', { detail: keyOf(list, part) }),
  consoleList: (s) => s.call('console', { limit: 1000, output_mode: 'inline' }),
  newTab: (s, url) => s.call('tabs', { action: 'new', url }),

  readArticle: (s) => s.call('read_page', { mode: 'markdown' }),
  findInRow: async (s, who) =>
    openchrome.parse((await s.call('find', { role: 'button', near: who })).text)[0]?.ref,
  /** Filled and sent in one call; the reply reports the effects. */
  fillAndSend: (s, items) =>
    s.call('fill_form', {
      fields: items.map(({ ref, kind, value }) => ({
        ref,
        value: kind === 'radio' ? true : kind === 'file' ? s.file : value,
      })),
      submit: true,
    }),
  tasks: {
    titles: async (s, { index }) => {
      const made = await s.call('crawl', {
        url: index,
        max_depth: 1,
        max_pages: 31,
        delay_ms: 0,
        output_mode: 'handle',
      });
      const { output_handle } = JSON.parse(made.text);
      return s.call('oc_output_fetch', { output_handle, query: 'pages[].title' });
    },
  },
};
