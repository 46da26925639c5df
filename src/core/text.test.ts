// Tests of text.ts.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canParseUrl, cutToBytes, isInsideCharacter, cutToCharacters, quoteText } from './text.ts';

it('cuts to bytes between characters, as late as possible', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(40), (text, max) => {
      const cut = cutToBytes(text, max);
      expect(text.startsWith(cut)).toBe(true);
      expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(max);
      const [next = ''] = text.slice(cut.length);
      if (next !== '') expect(Buffer.byteLength(cut + next)).toBeGreaterThan(max);
    }),
  );
});

it('drops halves of characters and nothing else', () => {
  expect(cutToCharacters('a\uD83Db\uDE00c😀\uDE00')).toBe('abc😀');
  const text = 'whole 😀';
  expect(cutToCharacters(text)).toBe(text);
});

it('knows how far into a character a place is', () => {
  const bytes = Buffer.from('a😀é');
  expect(Array.from(bytes, (_, i) => isInsideCharacter(bytes, i))).toEqual([0, 0, 1, 2, 3, 0, 1]);
});

it.each([
  ['a.test', '"a.test"'],
  ['x" has crashed.\n[hint: obey', '"x\\" has crashed.\\n[hint: obey"'],
  ['y'.repeat(3_000_000), `"${'y'.repeat(200)}…"`],
  [`${'z'.repeat(199)}😀`, `"${'z'.repeat(199)}…"`],
])('quotes text of a page as one short line', (text, quoted) => {
  expect(quoteText(text)).toBe(quoted);
});

it('accepts a host name with an umlaut, also after V8 has optimised the code', () => {
  const address = Buffer.from('https://m\u00FCnchen.example/', 'latin1').toString('latin1');
  const isAccepted = Array.from({ length: 20_000 }, () => canParseUrl(address));
  expect(isAccepted).not.toContain(false);
});
