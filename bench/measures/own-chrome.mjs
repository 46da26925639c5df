// How long operations take over the extension in the user's Chrome, beside a Chrome on the pipe.
import { startOpenChrome } from '../lib/openchrome.mjs';
import { startOwnChrome } from '../lib/own-chrome.mjs';
import { interleaved, median, ms, times } from '../lib/stats.mjs';

const PAGE = 'small';
const TARGET = 'at most 2.50 x';

export const ownChrome = async ({ site, reps }) => {
  const servers = { pipe: await startOpenChrome(), extension: await startOwnChrome() };
  const calls = {
    javascript_tool: ['javascript_tool', { code: '(() => 1 + 1)()' }],
    'read_page, small page': ['read_page', {}],
    'click a button': ['interact', { action: 'click', query: 'Bench' }],
    'hover a button': ['interact', { action: 'hover', query: 'Bench' }],
    'type 5 keys': ['interact', { action: 'type', query: 'Typed text', value: 'abcde' }],
    'fill a field': ['fill_form', { fields: [{ label: 'Typed text', value: 'Ada' }] }],
    page_screenshot: ['page_screenshot', {}],
    'navigate, small page': ['navigate', { url: `${site.origin}/${PAGE}` }],
  };
  const button = `const made = document.createElement('button'); made.textContent = 'Bench';
    made.onclick = () => made.dataset.clicked = Number(made.dataset.clicked ?? 0) + 1;
    document.body.prepend(made);
    const field = document.createElement('input'); field.ariaLabel = 'Typed text';
    made.after(field); 1`;
  for (const server of Object.values(servers)) {
    await server.call('navigate', { url: `${site.origin}/${PAGE}` });
    await server.call('javascript_tool', { code: button });
  }
  const rows = [];
  for (const [name, [tool, args]] of Object.entries(calls)) {
    const ways = Object.fromEntries(
      Object.entries(servers).map(([way, { call }]) => [way, () => call(tool, args)]),
    );
    const took = await interleaved(ways, reps * 3, { warmUps: 5 });
    rows.push([
      `${name}, over the extension`,
      'the pipe',
      ms(median(took.pipe)),
      ms(median(took.extension)),
      times(median(took.extension) / median(took.pipe)),
      TARGET,
    ]);
  }
  for (const server of Object.values(servers)) await server.end();
  return rows;
};
