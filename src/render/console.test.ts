// Rendering of console messages: short lists in order, long ones with similar messages folded.
import { describe, expect, it } from 'vitest';
import { renderConsole } from './console.ts';

const place = { function: '', url: 'http://host/js/app.js', line: 2, column: 7 };
interface Message {
  readonly level: string;
  readonly text: string;
  readonly count: number;
  readonly at: number;
  readonly place: typeof place;
  readonly stack: readonly (typeof place)[];
}
const message = (text: string, level = 'info', line = 2): Message => ({
  level,
  text,
  count: 1,
  at: 0,
  place: { ...place, line },
  stack: [],
});
const list = (lines: Message[]) => ({ lines, cursor: 9, older: 0, dropped: 0 });
const many = (count: number, make: (i: number) => Message) =>
  Array.from({ length: count }, (_, i) => make(i));

describe('a long list', () => {
  it('folds messages that differ only in words with digits, and lists these words', () => {
    const lines = [
      message('ready'),
      ...many(12, (i) => message(`poll ${i % 4} of 12: {id: ${i % 4}, took: ${i * 3}ms}`)),
      ...many(9, (i) => message(`item a${i} failed`, 'error', 5)),
    ];
    expect(renderConsole(list(lines))).toMatchInlineSnapshot(`
      "… similar messages are folded, # marks their differences (fold false: one by one, in order)
      info ready @ js/app.js:2:7
      info poll #1 of 12: {id: #1, took: #2} (x12) @ :2:7 #1=0,1,2,3,0,1,2,3,0,1,2,3 #2=0ms,3ms,6ms,9ms,12ms,15ms,18ms,21ms,24ms,27ms,30ms,33ms
      error item # failed (x9) @ :5:7 #=a0,a1,a2,a3,a4,a5,a6,a7,a8
      cursor 9"
    `);
  });

  it('counts equal messages that other messages separate', () => {
    const lines = many(30, (i) => message(['tick', 'tock'][i % 2] ?? '', 'debug'));
    expect(renderConsole(list(lines))).toMatchInlineSnapshot(`
      "… similar messages are folded, # marks their differences (fold false: one by one, in order)
      debug tick (x15) @ js/app.js:2:7
      debug tock (x15) @ :2:7
      cursor 9"
    `);
  });

  it('has every message as a line of its own if it is not folded', () => {
    const lines = many(30, (i) => message(`poll ${i}`));
    const text = renderConsole(list(lines), false);
    expect(text.split('\n')).toHaveLength(31);
    expect(text).toContain('info poll 29 @ js/app.js:2:7');
  });
});

it('a short list shows every message in order', () => {
  expect(renderConsole(list(many(3, (i) => message(`poll ${i}`))))).toMatchInlineSnapshot(`
    "info poll 0 @ js/app.js:2:7
    info poll 1 @ js/app.js:2:7
    info poll 2 @ js/app.js:2:7
    cursor 9"
  `);
});

it('messages of different levels, places or stacks are not folded together', () => {
  const stack = [{ ...place, line: 40 }];
  const lines = many(24, (i) => ({
    ...message(`poll ${i}`, ['info', 'error'][i % 2], i % 4 < 2 ? 2 : 3),
    stack: i % 8 < 4 ? [] : stack,
  }));
  const text = renderConsole(list(lines));
  expect(text.match(/\(x\d+\)/g)).toEqual(Array.from({ length: 8 }, () => '(x3)'));
});
