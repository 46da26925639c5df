// Rows of the timeline from lines of the journal.
import { describe, expect, it } from 'vitest';
import { countUsage, toCallRow } from './call-rows.ts';

const call = {
  ts: 1_000,
  tool: 'navigate',
  session: 'default',
  args: { url: 'https://shop.example/' },
  durationMs: 5,
  tokens: 7,
  ok: true,
  summary: '{"tabId":"A1","url":"https://shop.example/","title":"A \\"good\\" shop","status":200}',
};

const question = {
  ts: 1_000,
  event: 'approval',
  id: 'k7m2qx',
  session: 'default',
  tabId: 'A1',
  outcome: 'waiting',
  tool: 'interact',
  effect: 'submit',
  host: 'shop.example',
};

describe('a row of the timeline', () => {
  it('of a call that opens a page shows the title of the page', () => {
    expect(toCallRow({ id: '1', entry: call })).toMatchObject({
      tool: 'navigate',
      target: 'https://shop.example/',
      summary: 'A "good" shop',
      ok: true,
    });
  });

  it('of a question is an event with its outcome, not a call that has succeeded', () => {
    const row = toCallRow({ id: '1', entry: question });
    expect(row).toMatchObject({
      event: 'approval',
      target: 'shop.example',
      code: 'waiting',
      summary: 'tool: interact, effect: submit',
    });
    expect(row.tool).toBeUndefined();
    expect(row.ok).toBeUndefined();
  });

  it('is counted as a call only if it is one', () => {
    const lines = [call, question].map((entry) => ({ id: '1', entry }));
    expect(countUsage(lines, 2_000)).toEqual([
      { ts: 0, calls: 1, failed: 0, refused: 0, tokens: { navigate: 7 } },
    ]);
  });
});
