// Tests of describe.ts.
import { expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from './define-tool.ts';
import {
  buildInputSchema,
  markListedAs,
  buildListedSchema,
  buildTitle,
  markUnlisted,
} from './tool-description.ts';

const tool = (name: string, input: z.ZodRawShape) =>
  defineTool({
    name,
    description: 'For a test.',
    tier: 1,
    traits: {
      effect: 'read',
      scope: 'none',
      observation: true,
      duration: 'instant',
      dialog: 'allowed',
      timeoutMs: 1000,
    },
    input: () => input,
    examples: [],
    run: () => 'done',
  });

it('lists only the arguments that a caller can set', () => {
  const schema = buildInputSchema(
    tool('read_page', {
      mode: z.enum(['ax', 'dom']).default('ax').describe('How to read'),
      depth: z.number().int().min(0).optional(),
      url: z.string().min(1),
      mail: z.email().optional(),
      headers: z.record(z.string(), z.string()).optional(),
      fields: z.array(z.strictObject({ ref: z.string(), kind: z.literal('text') })).optional(),
    }),
  );
  expect(schema).toEqual({
    type: 'object',
    properties: {
      mode: { type: 'string', enum: ['ax', 'dom'], default: 'ax', description: 'How to read' },
      depth: { type: 'integer' },
      url: { type: 'string' },
      mail: { type: 'string', format: 'email' },
      headers: { type: 'object', additionalProperties: { type: 'string' } },
      fields: {
        type: 'array',
        items: {
          type: 'object',
          properties: { ref: { type: 'string' }, kind: { type: 'string', const: 'text' } },
          required: ['ref', 'kind'],
        },
      },
    },
    required: ['url'],
  });
});

it('describes the input of the caller, not the parsed input of the tool', () => {
  const schema = buildInputSchema(
    tool('x', {
      count: z.string().transform(Number),
      when: z.preprocess((value) => value, z.date()).optional(),
    }),
  );
  expect(schema).toMatchObject({
    properties: { count: { type: 'string' }, when: {} },
    required: ['count'],
  });
});

it('shows less in the list than in the full schema', () => {
  const one = tool('x', {
    patience: markUnlisted(z.number().default(5).describe('How long')),
    fields: z.array(
      z.object({ value: markListedAs(z.union([z.string(), z.number()]), { type: 'string' }) }),
    ),
  });
  const fields = (value: object): object => ({
    type: 'array',
    items: { type: 'object', properties: { value }, required: ['value'] },
  });
  expect(buildListedSchema(one)).toEqual({
    type: 'object',
    properties: { fields: fields({ type: 'string' }) },
    required: ['fields'],
  });
  expect(buildInputSchema(one)).toEqual({
    type: 'object',
    properties: {
      patience: { type: 'number', default: 5, description: 'How long' },
      // some clients know one type for a value only
      fields: fields({ anyOf: [{ type: 'string' }, { type: 'number' }] }),
    },
    required: ['fields'],
  });
});

it('makes a schema once', () => {
  const once = tool('x', { a: z.string() });
  expect(buildInputSchema(once)).toBe(buildInputSchema(once));
});

it('describes a tool without arguments as an empty object', () => {
  expect(buildInputSchema(tool('x', {}))).toEqual({ type: 'object', properties: {} });
});

it.each([
  ['read_page', 'Read page'],
  ['oc_task_wait', 'Task wait'],
])('titles %s as "%s"', (name, title) => {
  expect(buildTitle(tool(name, {}))).toBe(title);
});
