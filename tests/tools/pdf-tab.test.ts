// A tab that shows a PDF: which tools know the PDF, and which ones need a page.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';
import { buildPages, showText } from '../pdf-files.ts';

const OPEN_BY_SCRIPT = `<button onclick="window.open('/report.pdf')">Open</button>`;

const site = useSite();
const browser = useEngine();
let home = '';
let report = '';

beforeAll(() => {
  home = site.page('/', '<title>Home</title><h1>Home</h1><button>Buy</button>');
  report = site.page('/report.pdf', (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/pdf' });
    response.end(buildPages([showText('Annual report'), showText('The next year looks good')]));
  });
});

beforeEach(async () => {
  await browser.json('navigate', { url: home });
  await browser.json('navigate', { url: report });
});

describe('the PDF of a tab', () => {
  test('is the page that tabs_context lists', async () => {
    const listed = { tabs: [{ url: report, active: true }] };
    expect(await browser.json('tabs_context')).toMatchObject(listed);
    await browser.text('read_page');
    expect(await browser.json('tabs_context')).toMatchObject({ tabs: [{ title: 'report.pdf' }] });
    await browser.json('navigate', { url: home });
    expect(await browser.json('tabs_context')).toMatchObject({ tabs: [{ title: 'Home' }] });
  });

  test('meets expectations about its address, title and text', async () => {
    expect(
      await browser.text('expect', {
        url: '/report.pdf',
        title: 'report.pdf',
        text: 'next  YEAR looks',
        textGone: 'Home',
      }),
    ).toMatch(/^passed: url, title, text, text_gone /);
    expect(await browser.text('expect', { text: 'losses', query: 'Buy', timeout_ms: 2000 }))
      .toMatchInlineSnapshot(`
      "failed: text: expected "losses", got "the text is not visible"
      failed: element: expected "Buy: visible", got "the tab shows a PDF, which has no elements""
    `);
  });

  test('meets the conditions of wait_for', async () => {
    const args = { text: 'annual REPORT', textGone: 'Home', url: 'report.pdf' };
    expect(await browser.text('wait_for', args)).toContain('text "annual REPORT" is visible');
    expect(await browser.failure('wait_for', { text: 'Home', timeout_ms: 2000 })).toMatchObject({
      code: 'timeout',
    });
  });
});

test.each(['<a href="/report.pdf" target="_blank">Open</a>', OPEN_BY_SCRIPT])(
  'a PDF that %s opens in a new tab is read there',
  async (link) => {
    await browser.json('navigate', { url: site.page('/links', link) });
    const receipt = await browser.text('interact', { action: 'click', query: 'Open' });
    const [, tabId = ''] = /new tab (\w+)/.exec(receipt) ?? [];
    const list = async (): Promise<{ tabs: { tabId: string; url: string }[] }> =>
      browser.json('tabs_context');
    await expect.poll(list).toMatchObject({
      tabs: expect.arrayContaining([expect.objectContaining({ tabId, url: report })]) as object[],
    });
    expect(await browser.text('read_page', { tabId })).toContain('The next year looks good');
    expect(await browser.failure('interact', { action: 'press', value: 'a', tabId })).toMatchObject(
      {
        code: 'no_page',
      },
    );
    await browser.json('tabs', { action: 'close', tabId });
  },
);

test.each([
  ['interact', { action: 'click', query: 'Buy' }],
  ['interact', { action: 'press', value: 'Enter' }],
  ['fill_form', { fields: [{ label: 'Name', value: 'Ada' }] }],
  ['act', { instruction: 'click Buy' }],
  ['javascript_tool', { code: 'document.title' }],
  ['page_content', {}],
  ['inspect', { query: 'Buy' }],
  ['validate_page', {}],
  ['extract_data', { schema: { properties: { name: { type: 'string' } } } }],
  ['page_pdf', {}],
])('%s %j is rejected with what is possible in a PDF', async (tool, args) => {
  expect(await browser.failure(tool, args)).toMatchObject({
    code: 'no_page',
    message: `The tab shows the PDF ${JSON.stringify(report)}, not a page.`,
    hint: expect.stringMatching(/read_page.*find.*navigate/) as string,
  });
});

test('pictures and the mouse work if Chrome draws the PDF, and are rejected otherwise', async () => {
  const { downloads } = await browser.json<{ downloads: object[] }>('downloads');
  const code = downloads.length > 0 ? 'no_page' : undefined; // the headless shell draws no PDF
  const click = { action: 'left_click', coordinate: [10, 10] };
  expect((await browser.reply('page_screenshot')).failure?.code).toBe(code);
  expect((await browser.reply('computer', click)).failure?.code).toBe(code);
  expect((await browser.reply('computer', { action: 'screenshot' })).failure?.code).toBe(code);
});
