// Hints beside replies: one line after a failure or a repetition, none after a success, none when
// they are switched off.
import { describe, expect, test } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';

const site = useSite({
  '/': '<title>Shop</title><button onclick="alert(1)">Ask</button><button id=b>Buy</button>',
  '/login':
    '<title>Log in</title><form><input name=user autocomplete=username><input type=password><button>Log in</button></form>',
  '/covered':
    '<title>Covered</title><button>Buy</button><div role=dialog aria-label=Cookies style="position:fixed;inset:0">Cookies</div>',
});

const hintsIn = (notes: readonly string[]): readonly string[] =>
  notes.filter((note) => note.startsWith('[hint: '));

describe('hints', () => {
  const it = useEngine();
  const hints = async (name: string, args: unknown): Promise<readonly string[]> =>
    hintsIn((await it.reply(name, args)).notes);

  test('no hint is added to a success', async () => {
    expect(await hints('navigate', { url: `${site.origin}/` })).toEqual([]);
    expect(await hints('read_page', {})).toEqual([]);
    expect(await hints('interact', { action: 'click', query: 'Buy' })).toEqual([]);
  });

  test('a ref of a page that was left leads to another reading', async () => {
    const ref = /\be\d+\b/.exec(await it.text('find', { query: 'Buy' }))?.[0];
    await it.text('navigate', { url: `${site.origin}/login` });
    expect(await hints('interact', { action: 'click', ref })).toEqual([
      expect.stringContaining('read_page'),
    ]);
  });

  test('a missing element on a login page probably needs a login', async () => {
    expect(await hints('interact', { action: 'click', query: 'Orders', timeout_ms: 3000 })).toEqual(
      [expect.stringContaining('login')],
    );
  });

  test('what covers a target is named', async () => {
    await it.text('navigate', { url: `${site.origin}/covered` });
    expect(await hints('interact', { action: 'click', query: 'Buy', timeout_ms: 3000 })).toEqual([
      expect.stringMatching(/read_page \{ref\} \(e\d+\)/),
    ]);
  });

  test('the third read in a row with the same result gets a hint', async () => {
    const looks = [
      await hints('find', { query: 'Buy' }),
      await hints('find', { query: 'Buy' }),
      await hints('find', { query: 'Buy' }),
    ];
    expect(looks).toEqual([[], [], [expect.stringContaining('3 times in a row')]]);
    expect(await hints('find', { query: 'Cookies' })).toEqual([]);
  });

  test('a dialog that blocks is to be answered', async () => {
    await it.text('navigate', { url: `${site.origin}/` });
    await it.reply('interact', { action: 'click', query: 'Ask' });
    expect(await hints('read_page', {})).toEqual([expect.stringContaining('handle_dialog')]);
    await it.reply('handle_dialog', { action: 'accept' });
  });
});

describe('with --no-hints', () => {
  const it = useEngine(['--no-hints']);

  test('a failure has no hint', async () => {
    await it.text('navigate', { url: `${site.origin}/` });
    const { failure, notes } = await it.reply('interact', {
      action: 'click',
      query: 'Nowhere',
      timeout_ms: 3000,
    });
    expect(failure?.code).toBe('element_not_found');
    expect(notes).toEqual([]);
  });
});
