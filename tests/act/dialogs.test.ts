// Dialogs of unattended runs: a policy answers them at once, and the reply reports each answer.
import { describe, expect, it } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';

const ASKING = `<!doctype html><meta charset=utf-8><button onclick="out.textContent = [confirm('Delete?'), prompt('Name?', 'Ada'), alert('Done')].join()">Ask</button><p id=out></p>`;
const site = useSite({
  '/asking': ASKING,
  '/greeting': `<title>Hello</title><script>alert('Welcome')</script>`,
  '/away': '<title>Away</title>',
  '/clinging': `<input id=i><a href="/away">Leave</a><script>onbeforeunload = (e) => { e.preventDefault(); return 'x' }</script>`,
  '/framed': '',
});
const DISMISSED =
  'confirm dialog "Delete?" dismissed; prompt dialog "Name?" dismissed; alert dialog "Done" dismissed';
const ACCEPTED = DISMISSED.replaceAll('dismissed', 'accepted');

describe('a server that was started with a policy', () => {
  const server = useEngine(['--dialogs', 'dismiss']);
  const open = (path: string): Promise<Record<string, unknown>> =>
    server.json('navigate', { url: site.origin + path });
  const out = (): Promise<string> => server.text('javascript_tool', { code: 'out.textContent' });

  it('answers dialogs by it, and the receipt reports each', async () => {
    await open('/asking');
    const text = await server.text('interact', { action: 'click', query: 'Ask' });
    expect(text).toBe(`clicked e1 button "Ask"; ${DISMISSED}; 1 DOM change`);
    expect(await out()).toBe('false,,');
  });

  it('reports a dialog of an opened page once, and the page is loaded', async () => {
    const { text, notes } = await server.reply('navigate', { url: `${site.origin}/greeting` });
    expect(JSON.parse(text ?? '')).toMatchObject({ title: 'Hello' });
    expect(notes).toEqual(['[alert dialog "Welcome" was dismissed]']);
    expect((await server.reply('read_page', {})).notes.join()).not.toContain('dialog');
  });

  it('allows to leave a page with a beforeunload dialog', async () => {
    await open('/clinging');
    await server.text('interact', { action: 'fill', selector: '#i', value: 'x' });
    expect(await server.text('interact', { action: 'click', query: 'Leave' })).toMatch(
      /url -> \/away; beforeunload dialog "" accepted/,
    );
  });

  it('takes another one for a session from handle_dialog, for tabs that are opened later too', async () => {
    expect(await server.json('handle_dialog', { policy: 'accept' })).toEqual({ policy: 'accept' });
    await server.json('tabs', { action: 'new', url: `${site.origin}/asking` });
    expect(await server.text('interact', { action: 'click', query: 'Ask' })).toContain(ACCEPTED);
    expect(await out()).toBe('true,Ada,');
    await server.json('navigate', { url: `${site.origin}/asking`, session: 'other' });
    expect(
      await server.text('interact', { action: 'click', query: 'Ask', session: 'other' }),
    ).toContain(DISMISSED);
  });

  it('answers a dialog in a frame of another site', async () => {
    site.page('/framed', `<iframe src="http://localhost:${site.port}/asking" width=500></iframe>`);
    await open('/framed');
    expect(
      await server.text('interact', { action: 'click', query: 'Ask', waitForMs: 5000 }),
    ).toContain(ACCEPTED);
  });

  it('waits for an answer again if the policy is changed back', async () => {
    expect(await server.json('handle_dialog', { policy: 'ask' })).toEqual({ policy: 'ask' });
    await open('/asking');
    expect(await server.text('interact', { action: 'click', query: 'Ask' })).toContain(
      '; confirm dialog "Delete?"',
    );
    expect(await server.json('handle_dialog', { policy: 'accept' })).toMatchObject({
      answered: 'accepted',
      kind: 'confirm',
      policy: 'accept',
    });
    expect(await out()).toBe('true,Ada,');
  });

  it.each([{ url: `away` }, { action: 'reload' }, { action: 'back' }])(
    'reports the page with a beforeunload dialog at once: navigate %j',
    async (to) => {
      await server.json('handle_dialog', { policy: 'ask' });
      await server.json('tabs', { action: 'new', url: `${site.origin}/asking` });
      await open('/clinging');
      await server.text('interact', { action: 'fill', selector: '#i', value: 'x' });
      const go = {
        ...to,
        ...(to.url === undefined ? {} : { url: `${site.origin}/away` }),
        timeout_ms: 10_000,
      };
      for (const times of [1, 2]) {
        const began = performance.now();
        expect((await server.failure('navigate', go)).code, `time ${times}`).toBe('dialog_open');
        expect(performance.now() - began).toBeLessThan(5_000);
      }
      expect(await server.json('handle_dialog', { accept: false })).toMatchObject({
        kind: 'beforeunload',
      });
      expect(await server.text('javascript_tool', { code: 'location.pathname + i.value' })).toBe(
        '/clingingx',
      );
      expect((await server.failure('navigate', go)).code).toBe('dialog_open');
      await server.json('handle_dialog', { accept: true });
      await server.text('wait_for', {
        url: to.action === 'reload' ? '/clinging' : to.action === 'back' ? '/asking' : '/away',
        loadState: 'load',
      });
    },
  );

  it.each([
    ['navigate', { url: 'away' }, '/away'],
    ['reload', { action: 'reload' }, '/asking'],
    ['back', { action: 'back' }, '/away'],
  ])(
    'allows to leave a page with an open dialog, and reports that it was not answered: %s',
    async (_, to, path) => {
      await server.json('handle_dialog', { policy: 'ask' });
      await server.json('tabs', { action: 'new', url: `${site.origin}/away` });
      await open('/asking');
      expect(await server.text('interact', { action: 'click', query: 'Ask' })).toContain(
        '; confirm dialog "Delete?"',
      );
      const { text, notes } = await server.reply('navigate', {
        ...to,
        ...('url' in to ? { url: `${site.origin}/away` } : {}),
      });
      expect(JSON.parse(text ?? '')).toMatchObject({ url: site.origin + path });
      expect(notes[0]).toBe('[confirm dialog "Delete?" was dismissed]');
      expect(notes.join()).not.toContain('handle_dialog');
      expect(
        await server.text('javascript_tool', { code: 'document.readyState + location.pathname' }),
      ).toBe(`complete${path}`);
    },
  );

  it('stops at a page that opens dialogs without end, and reports the dialog', async () => {
    await server.json('handle_dialog', { policy: 'ask' });
    const url = site.page(
      '/insisting',
      '<button onclick="for (let i = 0; i < 60; i++) alert(i)">Insist</button>',
    );
    await server.json('tabs', { action: 'new', url });
    await server.text('interact', { action: 'click', query: 'Insist' });
    const { text, notes } = await server.reply('navigate', {
      url: `${site.origin}/away`,
      timeout_ms: 5000,
    });
    expect(notes.slice(0, 2)).toEqual([
      '[alert dialog "0" was dismissed]',
      '[alert dialog "1" was dismissed]',
    ]);
    const { url: at } = JSON.parse(text ?? '{}') as { url?: string };
    if (at !== `${site.origin}/away`)
      expect(notes.at(-1)).toMatch(/alert dialog open: "\d+"; answer it with handle_dialog/);
    await server.json('tabs', { action: 'close' });
  });

  it('lets a page be left that shows something as it loads', async () => {
    await server.json('handle_dialog', { policy: 'ask' });
    await server.json('tabs', { action: 'new', url: `${site.origin}/greeting` });
    expect(await open('/away')).toMatchObject({ title: 'Away', url: `${site.origin}/away` });
  });

  it('has a dialog of such a frame answered by handle_dialog', async () => {
    await server.json('handle_dialog', { policy: 'ask' });
    await open('/framed');
    expect(
      await server.text('interact', { action: 'click', query: 'Ask', waitForMs: 5000 }),
    ).toContain('confirm dialog "Delete?"');
    expect(await server.json('handle_dialog', { accept: true })).toMatchObject({
      answered: 'accepted',
      kind: 'confirm',
    });
    await server.json('handle_dialog', { policy: 'accept' });
    await server.text('wait_for', { text: 'true,Ada,' });
  });
});

describe('a form whose page opens a dialog', () => {
  const server = useEngine();
  const FIELDS = `<label>First <input id=a></label><label>Second <input id=b></label>
    <label>Third <select id=c><option>-<option>x</select></label><label>Fourth <input id=d></label>`;
  const values = [
    { label: 'First', value: 'one' },
    { label: 'Second', value: 'two' },
    { label: 'Third', value: 'x' },
    { label: 'Fourth', value: 'four' },
  ];

  it.each([
    ['when a text field changes', `b.onchange`, ['First', 'Second'], ['Third', 'Fourth']],
    ['when a list changes', `c.onchange`, ['First', 'Second'], ['Third', 'Fourth']],
    ['while text is entered', `b.oninput`, ['First', 'Second'], ['Third', 'Fourth']],
    [
      'when the last field changes',
      `d.onchange`,
      ['First', 'Second', 'Third', 'Fourth'],
      undefined,
    ],
    [
      'when the first field gets the focus',
      `a.onfocus`,
      [],
      ['First', 'Second', 'Third', 'Fourth'],
    ],
  ])('%s is reported at once with the filled fields', async (when, handler, filled, unknown) => {
    const page = `${FIELDS}<script>${handler} = () => { ${handler} = null; alert('Careful') }</script>`;
    const url = site.page(`/form-${when.replaceAll(' ', '-')}`, page);
    await server.json('tabs', { action: 'new', url });
    const began = performance.now();
    const { failure, notes } = await server.reply('fill_form', { fields: values, submit: true });
    expect(performance.now() - began).toBeLessThan(10_000); // its deadline is 30 s
    const { code, details } = failure ?? {};
    expect({ code, filled: details?.['filled'], unknown: details?.['unknown'] }).toEqual({
      code: 'dialog_open',
      filled,
      unknown,
    });
    expect(notes.join()).toContain('alert dialog open: "Careful"; answer it with handle_dialog');
    await server.json('handle_dialog', { accept: true });
    expect(await server.text('javascript_tool', { code: '`${a.value}.${b.value}`' })).toBe(
      filled.length === 0 ? '.' : 'one.two',
    );
    await server.json('tabs', { action: 'close' });
  });
});
