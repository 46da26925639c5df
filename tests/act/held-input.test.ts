// Clicks with modifiers, keys and the mouse button held over several actions, and dropped files.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';

const site = useSite({
  '/': `<title>Page</title><a href="/next">Next</a> <button>Go</button>
    <input aria-label="Name"><div id="area" style="width:300px;height:100px">area</div><script>
    globalThis.seen = [];
    const note = (event) => {
      const keys = ['ctrlKey', 'shiftKey', 'altKey', 'metaKey'].filter((name) => event[name]);
      const buttons = event.buttons === undefined ? '' : ' ' + event.buttons;
      seen.push([event.type + buttons, ...keys, event.key].filter(Boolean).join(' '));
    };
    for (const type of ['mousedown', 'mouseup', 'mousemove', 'keydown', 'keyup'])
      document.addEventListener(type, note);
    document.querySelector('button').addEventListener('click', note);
  </script>`,
  '/next': '<title>Next page</title>',
  '/drop': `<title>Drop</title><div id="zone" style="width:300px;height:100px">Drop files here</div>
    <p>Not here</p><output></output><script>
    zone.addEventListener('dragover', (event) => event.preventDefault());
    zone.addEventListener('drop', async (event) => {
      event.preventDefault();
      const texts = await Promise.all([...event.dataTransfer.files].map(async (file) =>
        file.name + ': ' + await file.text()));
      document.querySelector('output').textContent = texts.join('; ') + ' ' + event.isTrusted;
    });
  </script>`,
});
const engine = useEngine();
const read = async (): Promise<string[]> =>
  JSON.parse(
    await engine.text('javascript_tool', { code: 'JSON.stringify(seen.splice(0))' }),
  ) as string[];
const computer = (action: string, more: object = {}): Promise<string> =>
  engine.text('computer', { action, ...more });

describe('input on a page', () => {
  beforeEach(async () => {
    await engine.text('navigate', { url: `${site.origin}/` });
  });

  it('a click has the modifiers that its value names', async () => {
    expect(
      await engine.text('interact', { action: 'click', query: 'Go', value: 'Control+Shift' }),
    ).toContain('clicked with Control+Shift');
    expect(await read()).toContain('click 0 ctrlKey shiftKey');
    await computer('left_click', { coordinate: [20, 100], text: 'Alt' });
    expect(await read()).toContain('mousedown 1 altKey');
    expect(
      await engine.failure('interact', { action: 'click', query: 'Go', value: 'hello' }),
    ).toMatchObject({ code: 'invalid_argument', argument: 'value' });
  });

  it('a click with Control on a link opens it in another tab', async () => {
    await engine.text('interact', {
      action: 'click',
      query: 'Next',
      value: process.platform === 'darwin' ? 'Meta' : 'Control',
    });
    await expect
      .poll(async () => JSON.stringify(await engine.json('tabs_context')))
      .toContain('/next');
    expect(await engine.text('javascript_tool', { code: 'document.title' })).toBe('Page');
  });

  it('a key that stays down applies to later clicks and keys until it is released', async () => {
    expect(await computer('key_down', { text: 'Shift' })).toContain('holding Shift');
    await engine.text('interact', { action: 'click', query: 'Go' });
    await engine.text('interact', { action: 'press', value: 'ArrowDown' });
    const held = await read();
    expect(held).toContain('keydown shiftKey Shift');
    expect(held).toContain('click 0 shiftKey');
    expect(held).toContain('keydown shiftKey ArrowDown');
    expect(await computer('key_up')).toContain('released all keys');
    await engine.text('interact', { action: 'click', query: 'Go' });
    const released = await read();
    expect(released).toContain('keyup Shift');
    expect(released).toContain('click 0');
  });

  it('several keys go down in order and are released in reverse order', async () => {
    await computer('key_down', { text: 'Control+Alt' });
    await computer('key_up', { text: 'Control+Alt' });
    expect(await read()).toEqual([
      'keydown ctrlKey Control',
      'keydown ctrlKey altKey Alt',
      'keyup ctrlKey Alt',
      'keyup Control',
    ]);
  });

  it('the mouse button stays down over several actions', async () => {
    await computer('left_mouse_down', { coordinate: [20, 100] });
    await computer('mouse_move', { coordinate: [60, 110] });
    await computer('mouse_move', { coordinate: [90, 110] });
    await computer('left_mouse_up');
    await computer('mouse_move', { coordinate: [20, 100] });
    expect(await read()).toEqual([
      'mousemove 0',
      'mousedown 1',
      'mousemove 1',
      'mousemove 1',
      'mousemove 1',
      'mouseup 0',
      'mousemove 0',
    ]);
  });
});

describe('dropped files', () => {
  it('reach the element as if they were dragged from a file manager', async () => {
    const files = ['a.txt', 'b.txt'].map((name) => join(engine.home, name));
    for (const file of files) writeFileSync(file, `content of ${file.slice(-5)}`);
    await engine.text('navigate', { url: `${site.origin}/drop` });
    expect(
      await engine.text('interact', { action: 'drop_files', selector: '#zone', value: files }),
    ).toContain('dropped 2 files on');
    await engine.text('wait_for', { text: 'content of b.txt' });
    expect(
      await engine.text('javascript_tool', {
        code: 'document.querySelector("output").textContent',
      }),
    ).toBe('a.txt: content of a.txt; b.txt: content of b.txt true');
  });

  it('are not opened by Chrome if the element does not accept them', async () => {
    const file = join(engine.home, 'c.txt');
    writeFileSync(file, 'not for the page');
    await engine.text('navigate', { url: `${site.origin}/drop` });
    await engine.text('interact', { action: 'drop_files', query: 'Not here', value: file });
    expect(await engine.text('javascript_tool', { code: 'location.href' })).toBe(
      `${site.origin}/drop`,
    );
  });

  it('must be files that tools may use', async () => {
    for (const value of ['/etc/passwd', join(engine.home, 'logins', 'x.json')])
      expect(
        await engine.failure('interact', { action: 'drop_files', selector: '#zone', value }),
      ).toMatchObject({ code: 'file_not_allowed' });
  });
});
