// Checks records against the JSON Schema that asked for them.
import { z } from 'zod';
import { fail } from '../../core/failure.ts';
import type { JsonSchema } from './fields.ts';

export interface FieldError {
  /** The number of the record, from 0. */
  readonly item: number;
  readonly field: string;
  readonly message: string;
}

/** A repetition of a repetition can take for ever on a text that almost fits. */
const SLOW_PATTERN = /\([^()]*[+*}][^()]*\)\s*[+*{]/;

export const createValidator = (schema: JsonSchema): ((record: unknown, item: number) => FieldError[]) => {
  refuseSlowPatterns(schema);
  const checked = build(typed(schema) as JsonSchema);
  return (record, item) => {
    const { error } = checked.safeParse(record);
    return (error?.issues ?? []).map(({ path, message }) => ({ item, field: path.join('.'), message }));
  };
};

/** Who lists properties means an object, whether or not it says so. */
const typed = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(typed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, typed(value)]));
  return 'properties' in inner && !('type' in inner) ? { type: 'object', ...inner } : inner;
};

const build = (schema: JsonSchema): z.ZodType => {
  try {
    return z.fromJSONSchema(schema);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw fail('invalid_argument', `The schema cannot be used: ${why.slice(0, 200)}`, { argument: 'schema' });
  }
};

const refuseSlowPatterns = (schema: unknown): void => {
  if (Array.isArray(schema)) for (const part of schema) refuseSlowPatterns(part);
  if (typeof schema !== 'object' || schema === null) return;
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'pattern' && typeof value === 'string' && SLOW_PATTERN.test(value))
      throw fail('invalid_argument', `The pattern ${value.slice(0, 100)} could take for ever: a repetition stands inside of another.`, {
        argument: 'schema',
      });
    refuseSlowPatterns(value);
  }
};
