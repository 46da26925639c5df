// Tests of the spellings in which a known secret is recognised, and of the work that hostile texts
// cause.
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { findGrowth } from '../../tests/growth.ts';
import { createRedactor } from './redact.ts';
import { SecretSearch } from './secret-search.ts';

const SECRET = "q7/Zx?9&=k+m #42!'()~";
const H = '[redacted]';
const redactor = createRedactor([SECRET, 'Pässwörd-9', 'hunter']);

const search = new SecretSearch([SECRET]);

const everyByte = (text: string, spell: (byte: number) => string): string =>
  [...Buffer.from(text)].map(spell).join('');
const hex = (code: number): string => code.toString(16).padStart(2, '0');
const everyChar = (text: string, spell: (code: number) => string): string =>
  Array.from(text, (char) => spell(char.charCodeAt(0))).join('');
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const base64url = (text: string): string => Buffer.from(text).toString('base64url');
const inForm = (text: string): string => new URLSearchParams({ k: text }).toString().slice(2);

const SPELLINGS: readonly (readonly [name: string, spelling: string])[] = [
  ['as it is', SECRET],
  ['in upper case', SECRET.toUpperCase()],
  ['in lower case', SECRET.toLowerCase()],
  ['encodeURIComponent', encodeURIComponent(SECRET)],
  ['encodeURI', encodeURI(SECRET)],
  ['a form', inForm(SECRET)],
  ['a form in lower case', inForm(SECRET).toLowerCase()],
  ['a form with mixed case of the digits', inForm(SECRET).replace('%2F', '%2f')],
  [
    'a query',
    new URL(`http://a.test/?${new URLSearchParams({ k: SECRET }).toString()}`).search.slice(3),
  ],
  ['every byte as %XX', everyByte(SECRET, (byte) => `%${hex(byte)}`)],
  [
    'every second byte as %XX',
    Array.from(SECRET, (char, i) => (i % 2 ? `%${hex(char.charCodeAt(0))}` : char)).join(''),
  ],
  ['encoded twice', encodeURIComponent(encodeURIComponent(SECRET))],
  ['encoded three times', encodeURIComponent(encodeURIComponent(encodeURIComponent(SECRET)))],
  ['%uXXXX', everyChar(SECRET, (code) => `%u${hex(code).padStart(4, '0')}`)],
  ['JSON', JSON.stringify(SECRET).slice(1, -1)],
  ['JSON with escaped slashes', SECRET.replaceAll('/', String.raw`\/`)],
  [
    'JSON with \\u002f',
    SECRET.replaceAll('/', String.raw`\u002f`).replaceAll('+', String.raw`\u002B`),
  ],
  ['every character as \\uXXXX', everyChar(SECRET, (code) => `\\u${hex(code).padStart(4, '0')}`)],
  ['every character as \\u{X}', everyChar(SECRET, (code) => `\\u{${hex(code)}}`)],
  ['every character as \\xXX', everyChar(SECRET, (code) => `\\x${hex(code)}`)],
  ['JSON in JSON', JSON.stringify(JSON.stringify(`${SECRET}\n`)).slice(3, -6)],
  ['HTML', SECRET.replaceAll('&', '&amp;').replaceAll("'", '&#39;')],
  [
    'HTML with hexadecimal references',
    everyChar(SECRET, (code) => `&#x${hex(code).toUpperCase()};`),
  ],
  ['HTML with decimal references', everyChar(SECRET, (code) => `&#${code};`)],
  ['HTML with padded references', everyChar(SECRET, (code) => `&#000${code};`)],
  [
    'HTML with named references',
    SECRET.replaceAll('&', '&AMP;').replaceAll('/', '&sol;').replaceAll('!', '&excl;'),
  ],
  ['a form in HTML', inForm(SECRET).replaceAll('%', '&#37;')],
  ['HTML in JSON', JSON.stringify(SECRET.replaceAll('/', '&#x2F;')).slice(1, -1)],
  ['base64', base64(SECRET)],
  ['base64url', base64url(SECRET)],
  ['base64 in a form', encodeURIComponent(base64(SECRET))],
  [
    'base64 with escaped slashes',
    base64(SECRET)
      .replaceAll('j', String.raw`\u006a`)
      .replaceAll('/', String.raw`\/`),
  ],
  ['base64 in lines', base64(SECRET).replace(/.{10}/g, '$&\r\n')],
  ['base64 of a form', base64(inForm(SECRET))],
  ['base64 of base64', base64(base64(SECRET))],
  ['hex', Buffer.from(SECRET).toString('hex')],
  ['hex in upper case', Buffer.from(SECRET).toString('hex').toUpperCase()],
  ['hex in mixed case', Buffer.from(SECRET).toString('hex').replace(/f/, 'F')],
  ['hex with colons', everyByte(SECRET, (byte) => `${hex(byte)}:`).slice(0, -1)],
  ['hex with spaces', everyByte(SECRET, (byte) => `${hex(byte)} `).trim()],
  ['hex of base64', Buffer.from(base64(SECRET)).toString('hex')],
  ['soft hyphens', [...SECRET].join('\u00AD')],
  ['zero-width spaces', [...SECRET].join('\u200B')],
  ['joiners and marks of direction', [...SECRET].join('\u200D\u200E\u2060\uFEFF')],
  ['invisible tags', [...SECRET].join('\u{E0041}')],
  ['soft hyphens as references', [...SECRET].join('&shy;')],
  ['zero-width spaces in an address', encodeURIComponent([...SECRET].join('\u200B'))],
  ['halves of characters', [...SECRET].join('\uD800')],
  ['control characters', [...SECRET].join('\u0001')],
];

describe('a known secret is recognised', () => {
  it.each(SPELLINGS)('spelled as %s', (_, spelling) => {
    for (const [before, after] of [
      ['', ''],
      ['x: ', ' y'],
      ['<a href="/?k=', '">'],
      ['日本語 ', ' é'],
    ] as const) {
      expect(redactor.text(`${before}${spelling}${after}`)).toBe(`${before}${H}${after}`);
      expect(redactor.data({ a: [`${before}${spelling}${after}`] })).toEqual({
        a: [`${before}${H}${after}`],
      });
    }
  });

  it.each(['a', 'ab', 'abc', 'ada:', 'a longer beginning: '])(
    'in base64 that begins with %j',
    (before) => {
      for (const encode of [base64, base64url]) {
        for (const after of ['', '1', '22', '333', ' and a longer end']) {
          const coded = encode(`${before}${SECRET}${after}`);
          const shown = redactor.text(`x=${coded}; y`);
          expect(shown).toContain(H);
          expect(shown.length).toBeLessThan(`x=${coded}; y`.length);
          expect(Buffer.from(shown.slice(2), 'base64').toString()).not.toContain('Zx?9');
        }
      }
    },
  );

  it('if digits precede its base64 or hex without a border', () => {
    for (const before of ['A', 'AB', 'ABC', 'path/', '0', 'ab1']) {
      expect(redactor.text(`${before}${base64('hunter and')}`)).toContain(H);
      expect(redactor.text(`${before}${Buffer.from('hunter').toString('hex')}`)).toContain(H);
    }
  });

  it('if it has letters outside ASCII', () => {
    for (const spelling of [
      'Pässwörd-9',
      'PÄSSWÖRD-9',
      encodeURIComponent('Pässwörd-9'),
      'P&#228;sswörd-9',
      String.raw`P\u00E4ssw\u00f6rd-9`,
    ])
      expect(redactor.text(`é ${spelling} é`)).toBe(`é ${H} é`);
  });

  it('if it contains escapes itself', () => {
    const odd = createRedactor([String.raw`a%2Fb\nc&amp;d+e`]);
    for (const spelling of [
      String.raw`a%2Fb\nc&amp;d+e`,
      encodeURIComponent(String.raw`a%2Fb\nc&amp;d+e`),
      'a/b\nc&d%20e',
      'a%2fb%0ac%26d e',
    ])
      expect(odd.text(`x ${spelling} y`)).toBe(`x ${H} y`);
  });

  it('inside a string that looks like a picture', () => {
    const letters = 'A'.repeat(4096);
    for (const [, spelling] of SPELLINGS)
      expect(redactor.data({ data: `${letters} ${spelling}` }).data).toBe(`${letters} ${H}`);
    expect(redactor.data({ data: `${letters}${base64(SECRET)}` }).data).toContain(H);
    expect(redactor.data({ data: `${letters} Bearer abc123DEF456ghi7` }).data).toBe(
      `${letters} Bearer ${H}`,
    );
  });

  it('in any mix of spellings of its characters', () => {
    const spell = [
      (char: string) => char,
      (char: string) => `%${hex(char.charCodeAt(0))}`,
      (char: string) => `%25${hex(char.charCodeAt(0))}`,
      (char: string) => `\\u00${hex(char.charCodeAt(0))}`,
      (char: string) => `&#${char.charCodeAt(0)};`,
      (char: string) => `\u00AD${char}`,
    ];
    fc.assert(
      fc.property(
        fc.array(fc.nat(spell.length - 1), { minLength: SECRET.length, maxLength: SECRET.length }),
        (choices) => {
          const text = Array.from(SECRET, (char, i) => spell[choices[i] ?? 0]?.(char)).join('');
          expect(redactor.text(`<${text}>`)).toBe(`<${choices[0] === 5 ? '\u00AD' : ''}${H}>`);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('without a change to the text around it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (before, after) => {
        const [found] = search.find(`${before}${SECRET}${after}`);
        expect(found?.[0]).toBeLessThanOrEqual(before.length);
        expect(found?.[1]).toBeGreaterThanOrEqual(before.length + SECRET.length);
        expect((found?.[1] ?? 0) - (found?.[0] ?? 0)).toBeLessThan(SECRET.length + 20);
      }),
      { numRuns: 300 },
    );
  });
});

test('texts without a secret are returned as they are', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      expect(search.find(text)).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

describe('hostile texts take linear time', () => {
  const many = createRedactor([
    SECRET,
    ...Array.from({ length: 200 }, (_, i) => `aaaaaaaaaaaaaaaaaaaa${i}`),
  ]);

  it.each([
    ['percent signs', '%25'],
    ['nested escapes', '%2525252F'],
    ['ampersands', '&'],
    ['references without an end', '&#x&#00000'],
    ['backslashes', '\\'],
    ['beginnings of many secrets', 'a'],
    ['a secret over and over', encodeURIComponent(SECRET)],
    ['base64 of base64', base64(base64('aaaaaaaaaaaaaaaaaaaa'))],
    ['hex of hex', Buffer.from('61616161').toString('hex')],
    ['digits with gaps', '0 '],
    ['line ends', 'a\n'],
    ['soft hyphens', '\u00AD'],
    ['halves of characters', '\uD800'],
    ['letters outside ASCII', '情報'],
  ])('%s', (_, part) => {
    expect(findGrowth((text) => many.text(text), part)).toBeUndefined();
  });
});
