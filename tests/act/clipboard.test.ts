// Copy and paste: the receipt shows copied text, and a paste arrives as a real paste event.
import { describe, expect, it } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';

const PAGE = `<!doctype html><meta charset=utf-8><title>Clip</title>
<p id=para>Order number <b>4711</b></p>
<label>From <input id=from value="from the field"></label>
<label>To <input id=to value="so far: "></label>
<label>Notes <textarea id=notes></textarea></label>
<div id=editor contenteditable aria-label=Editor role=textbox></div>
<div id=drop tabindex=0 role=region aria-label=Sheet>Sheet</div>
<button onclick="navigator.clipboard.writeText('by the page')">Copy link</button>
<button onclick="getSelection().selectAllChildren(para); document.execCommand('copy')">Copy order</button>
<script>
  window.log = [];
  addEventListener('paste', (e) => log.push('paste ' + (e.isTrusted ? 'trusted ' : '') + e.clipboardData.getData('text/plain')), true);
  drop.addEventListener('paste', (e) => { e.preventDefault(); drop.textContent = 'Sheet of ' + e.clipboardData.getData('text/plain').split('\\n').length });
  addEventListener('copy', () => log.push('copy'));
</script>`;
const site = useSite({ '/clip': PAGE });
const server = useEngine();

const open = (session?: string): Promise<unknown> =>
  server.json('navigate', {
    url: `${site.origin}/clip`,
    ...(session === undefined ? {} : { session }),
  });
const recorded = async (code: string): Promise<string> => server.text('javascript_tool', { code });

describe('copy', () => {
  it('returns the text of an element, and a paste inserts it elsewhere', async () => {
    await open();
    expect(await server.text('interact', { action: 'copy', selector: '#para' })).toMatch(
      /^copied from .*; copied "Order number 4711"/,
    );
    expect(await server.text('interact', { action: 'paste', query: 'Notes' })).toMatch(
      /^pasted into e\d+ textbox "Notes"; value "Order number 4711"/,
    );
    expect(await recorded('log.join()')).toBe('copy,paste trusted Order number 4711');
  });

  it('takes all of a field', async () => {
    await open();
    expect(await server.text('interact', { action: 'copy', query: 'From' })).toContain(
      '; copied "from the field"',
    );
  });

  it('reports a button that copies a selection', async () => {
    await open();
    expect(await server.text('interact', { action: 'click', query: 'Copy order' })).toContain(
      '; copied "Order number 4711"',
    );
  });

  it('without a target reads the text that the page itself copied', async () => {
    await open();
    await server.text('interact', { action: 'click', query: 'Copy link' });
    expect(await server.text('interact', { action: 'copy' })).toContain('; copied "by the page"');
    expect(
      await recorded(
        `navigator.permissions.query({ name: 'clipboard-read' }).then(({ state }) => state)`,
      ),
    ).toBe('prompt');
  });

  it('fails if there is nothing to copy', async () => {
    await open();
    expect(
      await server.failure('interact', { action: 'copy', query: 'Editor', waitForMs: 100 }),
    ).toMatchObject({ code: 'nothing_copied' });
  });
});

describe('paste', () => {
  it(
    'of a given text is one real paste event, after what is visible, which no copy handler of ' +
      'the page sees',
    async () => {
      await open();
      expect(
        await server.text('interact', { action: 'paste', query: 'To', value: 'a\tb é' }),
      ).toMatch(/^pasted into e\d+ textbox "To"; value "so far: a\\tb é"/);
      expect(await recorded('log.join() + "|" + to.value')).toBe(
        'paste trusted a\tb é|so far: a\tb é',
      );
    },
  );

  it('inserts into an editor, and into a page that handles paste events itself', async () => {
    await open();
    expect(
      await server.text('interact', { action: 'paste', query: 'Editor', value: 'rich' }),
    ).toContain('value "rich"');
    await server.text('interact', { action: 'paste', selector: '#drop', value: '1\n2\n3' });
    expect(await recorded('drop.textContent')).toBe('Sheet of 3');
  });

  it('without a target inserts into the focused element', async () => {
    await open();
    await server.text('interact', { action: 'focus', query: 'Notes' });
    await server.text('interact', { action: 'paste', value: 'here' });
    expect(await recorded('notes.value')).toBe('here');
  });

  it('inserts text that was copied with keys', async () => {
    await open();
    expect(
      await server.text('interact', {
        action: 'press',
        query: 'From',
        value: 'Control+A Control+C',
      }),
    ).toContain('; copied "from the field"');
    await server.text('interact', { action: 'press', query: 'Notes', value: 'Control+V' });
    expect(await recorded('notes.value')).toBe('from the field');
  });

  it('never inserts text that another session copied', async () => {
    await open();
    await server.text('interact', { action: 'copy', query: 'From' });
    await open('other');
    expect(
      (await server.reply('interact', { action: 'paste', query: 'Notes', session: 'other' }))
        .failure?.code,
    ).toBe('nothing_copied');
    expect(
      (await server.reply('interact', { action: 'copy', session: 'other' })).failure?.code,
    ).toBe('nothing_copied');
    await server.text('interact', {
      action: 'paste',
      query: 'Notes',
      value: 'of the other',
      session: 'other',
    });
    expect(await server.text('interact', { action: 'paste', query: 'Notes' })).toContain(
      'value "from the field"',
    );
  });
});
