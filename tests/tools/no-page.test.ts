// Tabs without a page, and pages without content: the reply names the next step.
import { afterEach, describe, expect, test, vi } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';

/** Ends the responses that a test keeps open. */
const held: (() => void)[] = [];
afterEach(() => {
  for (const end of held.splice(0)) end();
});

const site = useSite({
  '/': '<title>Shop</title><h1>Shop</h1><button>Buy</button>',
  '/starting': `<title>App</title><div id=root></div><script>
    window.start = () => { document.getElementById('root').innerHTML = '<h1>Orders</h1>' };
  </script>`,
  '/slow': (_request, response) => held.push(() => response.end('<title>Slow</title><p>Late</p>')),
  '/loading': '<title>Loading</title><link rel=icon href=data:,><iframe hidden src=/slow></iframe>',
  '/opener': `<title>Opener</title><button onclick="window.open('/slow')">Open</button>`,
});

describe('a blank tab', () => {
  const browser = useEngine();

  const calls: readonly (readonly [tool: string, args: object])[] = [
    ['read_page', {}],
    ['read_page', { mode: 'markdown' }],
    ['read_page', { mode: 'dom' }],
    ['find', { query: 'Buy' }],
    ['find', { query: 'Buy', waitForMs: 50 }],
    ['extract_data', { schema: { properties: { name: { type: 'string' } } } }],
    ['page_content', {}],
    ['inspect', { query: 'errors' }],
    ['validate_page', {}],
    ['interact', { action: 'click', query: 'Buy' }],
    ['act', { instruction: 'click Buy' }],
    ['fill_form', { fields: [{ label: 'Name', value: 'Ada' }] }],
    ['computer', { action: 'left_click', coordinate: [10, 10] }],
    ['page_screenshot', {}],
    ['page_screenshot', { fullPage: true }],
    ['page_pdf', {}],
  ];

  test.each(calls)('is reported by %s %j before the first page is opened', async (tool, args) => {
    expect(await browser.failure(tool, args)).toMatchObject({
      code: 'no_page',
      message: expect.stringMatching(/^No page is open in tab \w+: it is blank\.$/),
      hint: expect.stringContaining('navigate {url}'),
      retryable: false,
    });
  });

  test('is reported again after a page was left for about:blank', async () => {
    await browser.text('navigate', { url: `${site.origin}/` });
    expect(await browser.text('find', { query: 'Buy' })).toContain('button "Buy"');
    await browser.text('navigate', { url: 'about:blank' });
    expect(await browser.failure('find', { query: 'Buy' })).toMatchObject({ code: 'no_page' });
  });

  test('is a page once a script has filled it', async () => {
    await browser.text('navigate', { url: 'about:blank' });
    await browser.text('javascript_tool', {
      code: `document.body.innerHTML = '<button>Buy</button>'; 1`,
    });
    expect(await browser.text('read_page')).toContain('button "Buy"');
    expect(await browser.text('interact', { action: 'click', query: 'Buy' })).toContain('Buy');
  });

  test('does not stop validate_page from opening an address', async () => {
    const { tabId } = await browser.json<{ tabId: string }>('tabs', { action: 'new' });
    expect(await browser.failure('validate_page', { tabId })).toMatchObject({
      code: 'no_page',
      tabId,
    });
    expect(await browser.text('validate_page', { tabId, url: `${site.origin}/` })).toContain(
      'Shop',
    );
  });
});

describe('a page without content', () => {
  const browser = useEngine();
  const notesOf = async (args: object): Promise<readonly string[]> =>
    (await browser.reply('read_page', args)).notes;

  test('suggests to wait while its application is starting, and no longer once it has content', async () => {
    await browser.text('navigate', { url: `${site.origin}/starting` });
    expect(await browser.text('read_page')).toContain('(no content)');
    const hint =
      '[The page has loaded and is empty; if it is still starting, wait for its content with ' +
      'wait_for {text} or {selector}, then read it again]';
    expect(await notesOf({})).toContain(hint);
    expect(await notesOf({ mode: 'markdown' })).toContain(hint);
    expect(await notesOf({ selector: '#root' })).toEqual([]);
    await browser.text('javascript_tool', { code: 'start(); 1' });
    expect(await browser.text('wait_for', { text: 'Orders' })).toContain('is visible');
    expect(await notesOf({})).toEqual([]);
    expect(await notesOf({ filter: 'interactive' })).toEqual([]);
  });

  test('suggests to wait while the page itself is still loading', async () => {
    await browser.text('navigate', {
      url: `${site.origin}/loading`,
      waitUntil: 'domcontentloaded',
    });
    expect(await notesOf({})).toEqual([
      expect.stringContaining('[The page is still loading: wait for its content'),
    ]);
  });

  test('is not reported for a popup whose server answers late', async () => {
    await browser.text('navigate', { url: `${site.origin}/opener` });
    await browser.text('interact', { action: 'click', query: 'Open' });
    const { tabs } = await browser.json<{ tabs: { tabId: string; title: string }[] }>(
      'tabs_context',
    );
    const read = browser.reply('read_page', {
      tabId: tabs.find(({ title }) => title !== 'Opener')?.tabId,
    });
    await vi.waitFor(() => expect(held).not.toEqual([]), { timeout: 30_000 });
    for (const end of held.splice(0)) end();
    const { text, notes } = await read;
    // The read can come between the response and the parsing of its first bytes.
    expect([text, ...notes].join()).toMatch(/Late|wait for its content/);
  });
});
