// Tests of instructions.ts.
import { expect, it } from 'vitest';
import { COMMON_FIELDS, formatArgumentName, OUTPUT_FIELDS } from '../../toolkit/input-fields.ts';
import { INSTRUCTIONS } from './instructions.ts';

it('is short enough for the limit of hosts', () => {
  expect(Buffer.byteLength(INSTRUCTIONS)).toBeLessThan(2048);
});

it.each(Object.keys({ ...COMMON_FIELDS, ...OUTPUT_FIELDS }).map(formatArgumentName))(
  'explains %s, which no listed schema does',
  (field) => {
    expect(INSTRUCTIONS).toMatch(new RegExp(`\\b${field}\\b`));
  },
);
