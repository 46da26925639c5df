// The controls of the replay page: marks on the bar, keys, and the layout of a narrow window.
import { describe, expect, it } from 'vitest';
import type { RecordingResult } from '../../src/features/recording/assemble.ts';
import { useEngine, useSite } from '../fixtures.ts';
import { openReplay } from './recordings.ts';

type Layout = Record<string, { top: number; right: number; width: number }>;

const site = useSite({
  '/': `<!doctype html><title>Shop</title><link rel="icon" href="data:,">
    <h1>Shop</h1>
    <label>Name <input name="name"></label>
    <button onclick="this.textContent = 'Bought'">Buy</button>`,
});

describe('the replay page', () => {
  const engine = useEngine();

  const evaluate = async <T>(code: string): Promise<T> =>
    JSON.parse(await engine.text('javascript_tool', { code })) as T;
  const selected = (): Promise<string> =>
    engine.text('javascript_tool', {
      code: 'return document.querySelector("li.now")?.lastChild.textContent ?? "none"',
    });
  const press = (key: string): Promise<string> =>
    engine.text('computer', { action: 'key', text: key });

  const record = async (): Promise<string> => {
    await engine.text('navigate', { url: site.origin });
    await engine.json('recording', { action: 'start' });
    await engine.text('fill_form', { fields: [{ label: 'Name', value: 'Ada' }] });
    await engine.reply('interact', { action: 'click', ref: 'e99999' });
    await engine.text('interact', { action: 'click', query: 'Buy' });
    const { folder } = await engine.json<RecordingResult>('recording', { action: 'stop' });
    await openReplay(engine, site, folder);
    return folder;
  };

  it('has a mark on the bar for each step, and marks the failed step', async () => {
    await record();
    const marks = await evaluate<{ text: string; bad: boolean; left: number }[]>(
      `return JSON.stringify([...document.querySelectorAll('#ticks i')].map((tick) => ({
        text: tick.title, bad: tick.className === 'bad', left: parseFloat(tick.style.left) })))`,
    );
    expect(marks.map(({ bad }) => bad)).toEqual([false, false, true, false]);
    expect(marks[2]?.text).toMatch(/^interact .*"e99999".* failed: [a-z_]+$/);
    expect(marks.every(({ left }) => left >= 0 && left <= 100)).toBe(true);
    expect(marks.map(({ left }) => left)).toEqual(
      marks.map(({ left }) => left).sort((a, b) => a - b),
    );
  });

  it('moves through the steps with the arrow keys and with n and p', async () => {
    await record();
    const last = await selected();
    expect(last).toBe('click button "Buy"');
    await press('ArrowLeft');
    expect(await selected()).toContain('failed:');
    await press('ArrowLeft');
    expect(await selected()).toBe('fill textbox "Name" with "Ada"');
    await press('n');
    await press('ArrowRight');
    expect(await selected()).toBe(last);
    await press('ArrowRight');
    expect(await selected()).toBe(last);
    await press('p');
    expect(await selected()).toContain('failed:');
  });

  it('works in a window of 380 pixels, with the page above the list of steps', async () => {
    await record();
    await engine.text('emulate', { viewport: { width: 380, height: 700 } });
    const readLayout = (): Promise<Layout> =>
      evaluate(
        `return JSON.stringify(Object.fromEntries(['main', 'aside', 'footer', '#player iframe']
          .map((name) => [name, document.querySelector(name).getBoundingClientRect()])))`,
      );
    // The page is scaled in the next frame after the window was resized.
    await expect
      .poll(async () => (await readLayout())['#player iframe']?.right, { timeout: 10_000 })
      .toBeLessThanOrEqual(380);
    const layout = await readLayout();
    expect(await evaluate('return document.documentElement.scrollWidth')).toBe(380);
    for (const { right } of Object.values(layout)) expect(right).toBeLessThanOrEqual(380);
    expect(layout['aside']?.top).toBeGreaterThan(layout['main']?.top ?? Infinity);
    expect(layout['footer']?.top).toBeGreaterThan(layout['aside']?.top ?? Infinity);
    expect(layout['#player iframe']?.width).toBeGreaterThan(250);
  });
});
