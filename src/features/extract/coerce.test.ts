// Tests of how texts of a page become values.
import { describe, expect, it } from 'vitest';
import { coerce, parseNumber } from './coerce.ts';
import { collectSchemaFields } from './schema-fields.ts';

const as = (schema: object, text: string, more: object = {}): unknown => {
  const [field] = collectSchemaFields({ properties: { value: schema } });
  return field && coerce(field, { text, ...more });
};

describe('numbers', () => {
  it.each([
    ['42', 42],
    ['1,234.56', 1234.56],
    ['1.234,56 €', 1234.56],
    ['$1,299', 1299],
    ['1 234,5', 1234.5],
    ["CHF 1'234.50", 1234.5],
    ['0,5', 0.5],
    ['0.125', 0.125],
    ['7,5 cm', 7.5],
    ['1.250,5 g', 1250.5],
    ['1.000.000', 1_000_000],
    ['-3', -3],
    ['−3.5°', -3.5],
    ['4.5 out of 5', 4.5],
    ['12 %', 12],
    ['from 99.00 to 120.00', 99],
  ])('%s is %d', (text, number) => {
    expect(parseNumber({ text })).toBe(number);
  });

  it.each(['', 'on request', '-'])('%j is not a number', (text) => {
    expect(parseNumber({ text })).toBeUndefined();
  });

  it('of an integer are whole', () => {
    expect(as({ type: 'integer' }, '12 pieces')).toBe(12);
    expect(as({ type: 'integer' }, '12.5')).toBeUndefined();
  });
});

it.each([
  [{ type: 'boolean' }, 'Yes', true],
  [{ type: 'boolean' }, 'https://schema.org/OutOfStock', false],
  [{ type: 'boolean' }, 'perhaps', undefined],
  [{ type: 'array', items: { type: 'string' } }, 'red, green | blue', ['red', 'green', 'blue']],
  [{ type: 'array', items: { type: 'number' } }, '1; 2; x', [1, 2]],
  [{ type: 'string', format: 'date' }, 'May 12, 2026', '2026-05-12'],
  [{ type: 'string', format: 'date' }, '2026-05-12T23:30:00+02:00', '2026-05-12'],
  [{ type: 'string', format: 'date-time' }, '2026-05-12T10:00:00Z', '2026-05-12T10:00:00.000Z'],
  [{ type: 'string', format: 'date' }, 'someday', undefined],
  [{ type: 'string', format: 'email' }, 'Write to ada@example.test!', 'ada@example.test'],
  [{ enum: ['Red', 'Light green'] }, 'light-GREEN', 'Light green'],
  [{ enum: ['Red'] }, 'blue', 'blue'],
  [{ type: ['number', 'null'] }, '5', 5],
])('%j of %j is %j', (schema, text, value) => {
  expect(as(schema, text)).toEqual(value);
});

it('an address is taken from the link, a time from the machine-readable one', () => {
  expect(as({ type: 'string', format: 'uri' }, 'More', { url: 'https://a.test/' })).toBe(
    'https://a.test/',
  );
  expect(as({ type: 'string', format: 'date' }, 'yesterday', { when: '2026-05-12' })).toBe(
    '2026-05-12',
  );
});
