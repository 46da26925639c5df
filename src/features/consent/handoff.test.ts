// Tests of the removal of typed text from reports.
import { expect, it } from 'vitest';
import { TypedText } from './handoff.ts';

const redact = (typed: readonly string[], text: string): string => {
  const values = new TypedText();
  for (const value of typed) values.add(value);
  return values.redact(text);
};

it.each([
  [['Grace Hopper'], 'Welcome, grace', 'Welcome, [typed]'],
  [['Grace Hopper'], 'https://a.test/u/Grace%20Hopper', 'https://a.test/u/[typed]'],
  [['4', '47', '471', '4711'], 'Code 4711', 'Code [typed]'],
  [['Zoë'], 'https://a.test/Zo%C3%AB/x', 'https://a.test/[typed]/x'],
  [['a.*b'], 'a.*b axxb', '[typed] axxb'],
  [['x'], 'x stays', 'x stays'],
  [[], 'no text', 'no text'],
])('after %j was typed, %j is reported as %j', (typed, text, expected) => {
  expect(redact(typed, text)).toBe(expected);
});

it('a hostile title takes linear time', () => {
  expect(redact(['aa'], 'a'.repeat(100_000))).toHaveLength(50_000 * '[typed]'.length);
});
