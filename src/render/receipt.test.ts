// Receipts as text: one short line, the weightiest effect first, and never more than was seen.
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import type { Effects } from '../core/receipt.ts';
import { renderReceipt } from './receipt.ts';

const HERE = 'https://shop.test/cart';
const button = { ref: 'e5', role: 'button', name: 'Save' };
const line = (effects: Effects, more: object = {}): string =>
  renderReceipt({ did: 'clicked', target: button, effects, waitedMs: 112.4, ...more }, HERE);

describe('a receipt', () => {
  it('reports that no effect was seen', () =>
    expect(line({})).toBe('clicked e5 button "Save"; no effect seen within 112 ms'));

  it('makes no claim beyond the known effects', () =>
    expect(line({}, { sure: true })).toBe('clicked e5 button "Save"'));

  it('lists all observed effects in one line', () =>
    expect(
      line({
        url: { from: HERE, to: 'https://shop.test/done?x=1' },
        requests: {
          count: 2,
          pending: 1,
          failed: [{ method: 'POST', url: 'https://shop.test/api', status: 500 }],
        },
        announcements: [{ role: 'alert', text: 'Saved' }],
        changes: 14,
        focus: { ref: 'e9', role: 'textbox', name: 'Name' },
      }),
    ).toBe(
      'clicked e5 button "Save"; url -> /done?x=1; 2 requests (1 failed: POST /api 500; 1 unanswered); alert "Saved"; 14 DOM changes; focus e9 textbox "Name"',
    ));

  it('writes out the addresses of other sites', () =>
    expect(line({ url: { from: HERE, to: 'https://pay.test/' } })).toContain(
      'url -> https://pay.test/',
    ));

  it.each<[Effects, string]>([
    [
      { url: { from: HERE, to: `${HERE}/slow`, state: 'pending' } },
      'url -> /cart/slow (no response yet)',
    ],
    [
      { url: { from: HERE, to: 'http://x.test/', state: 'failed', error: 'net::ERR_FAILED' } },
      'load of http://x.test/ failed: net::ERR_FAILED',
    ],
    [{ newTabs: [{ tabId: 'AB12', url: 'https://shop.test/help' }] }, 'new tab AB12 /help'],
    [{ dialog: { kind: 'confirm', message: 'Sure?' } }, 'confirm dialog "Sure?"'],
    [{ downloads: [{ id: 'd1', file: 'a.csv' }] }, 'download d1 "a.csv"'],
    [{ states: ['checked', 'not disabled'] }, 'now checked, not disabled'],
    [{ value: '' }, 'now empty'],
    [{ value: 'a "b"' }, String.raw`value "a \"b\""`],
    [{ tabClosed: true }, 'the tab closed'],
    [{ requests: { count: 1, pending: 1, failed: [] } }, '1 request (unanswered)'],
  ])('puts %j as %s', (effects, text) =>
    expect(line(effects)).toBe(`clicked e5 button "Save"; ${text}`),
  );

  it('of a plain click costs at most 40 tokens', () => {
    const plain = line({
      requests: { count: 1, pending: 0, failed: [] },
      announcements: [{ role: 'status', text: 'Saved as 7' }],
      changes: 14,
    });
    expect(encode(plain).length).toBeLessThanOrEqual(40);
  });
});
