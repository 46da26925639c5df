// Tests of the plain explanations of schema errors.
import { expect, it } from 'vitest';
import { z } from 'zod';
import { explainIssue } from './issue-text.ts';

const explain = (schema: z.ZodType, value: unknown): string => {
  const issue = schema.safeParse(value).error?.issues[0];
  return issue ? explainIssue(issue, value, schema) : 'valid';
};

it.each<[z.ZodType, unknown, string]>([
  [z.number().int().min(1).max(500).default(20), 0, 'must be a whole number from 1 to 500, not 0'],
  [
    z.number().int().min(1).max(500).optional(),
    900,
    'must be a whole number from 1 to 500, not 900',
  ],
  [z.number().int().min(1), 0, 'must be a whole number, at least 1, not 0'],
  [z.number().max(5), 6, 'must be a number, at most 5, not 6'],
  [z.number().positive(), 0, 'must be a number, above 0, not 0'],
  [z.number().int(), 1.5, 'must be a whole number, not a number'],
  [z.number().min(1).max(5), '3', 'must be a number from 1 to 5, not a string'],
  [z.string(), 3, 'must be a string, not a number'],
  [z.string().min(1), '', 'must not be empty'],
  [z.string().max(3), 'abcd', 'must have at most 3 characters'],
  [z.array(z.string()).max(1), ['a', 'b'], 'must have at most 1 entry'],
  [z.enum(['a', 'b']), 'c', 'must be one of "a", "b"'],
  [z.boolean(), 'x', 'must be true or false, not a string'],
  [z.strictObject({}), { x: 1 }, 'has the unknown key "x"'],
  [z.union([z.string(), z.array(z.string())]), 5, 'must be a string or an array, not a number'],
  [z.union([z.string(), z.array(z.string())]), [5], 'must be a string, not a number'],
])('%# is explained in plain words', (schema, value, text) => {
  expect(explain(schema, value)).toBe(text);
});
