// The JSON form of replies that are texts: the same data, without secrets, for programs.
import { describe, expect, it } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';

const site = useSite({
  '/': `<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>Shop</title>
    <h1>Shop</h1><label>Email <input value="ada@example.com"></label>
    <p>api_key=sk_live_0123456789abcdefghijklmn</p>
    <button onclick="document.querySelector('h1').textContent = 'Paid'">Pay</button></html>`,
});
const browser = useEngine();

const dataOf = async (name: string, args: object = {}): Promise<unknown> =>
  (await browser.reply(name, args)).data;

describe('the JSON form', () => {
  it('of read_page contains the lines of the outline with their refs', async () => {
    await browser.text('navigate', { url: site.origin });
    expect(await dataOf('read_page')).toMatchObject({
      state: { url: `${site.origin}/`, mode: 'ax' },
      mode: 'ax',
      lines: [
        { depth: 0, kind: 'heading', role: '1', name: 'Shop' },
        { kind: 'control', ref: 'e1', role: 'textbox', name: 'Email', current: 'ada@example.com' },
        { kind: 'text', name: 'api_key=[redacted]' },
        { kind: 'control', ref: 'e2', role: 'button', name: 'Pay' },
      ],
    });
  });

  it('of read_page in other modes contains their structure', async () => {
    expect(await dataOf('read_page', { mode: 'markdown' })).toMatchObject({
      mode: 'markdown',
      body: expect.stringContaining('# Shop'),
    });
    expect(await dataOf('read_page', { mode: 'dom' })).toMatchObject({
      mode: 'dom',
      tree: { children: expect.any(Array) },
    });
    expect(await dataOf('read_page', { mode: 'css', selector: 'h1' })).toMatchObject({
      mode: 'css',
      element: { ref: expect.any(String), label: 'h1' },
    });
  });

  it('of an action contains its receipt and the changes of the page', async () => {
    const args = { action: 'click', query: 'Pay', returnAfterState: 'diff' };
    expect(await dataOf('interact', args)).toMatchObject({
      state: { mode: 'diff' },
      receipt: { did: expect.stringContaining('clicked') },
      after: {
        mode: 'diff',
        changes: expect.arrayContaining([{ sign: '+', text: '# Paid', place: expect.any(String) }]),
      },
    });
  });

  it('of wait_for contains the conditions', async () => {
    expect(await dataOf('wait_for', { text: 'Paid', loadState: 'load' })).toEqual({
      reached: [
        { condition: 'text', wanted: 'Paid' },
        { condition: 'loadState', state: 'load' },
      ],
      waitedMs: expect.any(Number),
    });
  });

  it('of a screenshot contains its size and not the image', async () => {
    expect(await dataOf('page_screenshot')).toEqual({
      mimeType: 'image/png',
      width: expect.any(Number),
      height: expect.any(Number),
      scale: expect.any(Number),
    });
  });
});
