// Checks records against the JSON Schema that asked for them.
import { runInNewContext } from 'node:vm';
import { fromJSONSchema, type z } from 'zod';
import { fail } from '../../core/failure.ts';
import type { RecordSchema } from './schema-fields.ts';

export interface FieldError {
  /** The number of the record, from 0. */
  readonly item: number;
  readonly field: string;
  readonly message: string;
}

/**
 * A repetition of a repetition can take for ever on a text that almost fits; the usual form of it
 * is known at sight.
 */
const SLOW_PATTERN = /\([^()]*[+*}][^()]*\)\s*[+*{]/;

const MAX_PATTERN_CHARS = 1000;

/** How long the patterns of a schema may take on one record. */
const PATIENCE_MS = 250;

export const createValidator = (
  schema: RecordSchema,
): ((record: unknown, item: number) => FieldError[]) => {
  const patterns = patternsIn(schema);
  for (const pattern of patterns)
    if (pattern.length > MAX_PATTERN_CHARS || SLOW_PATTERN.test(pattern)) throw tooSlow(pattern);
  const checked = build(typed(schema) as RecordSchema);
  return (record, item) => {
    if (patterns.length > 0) refuseIfSlow(patterns, record);
    const { error } = checked.safeParse(record);
    return (error?.issues ?? []).map(({ path, message }) => ({
      item,
      field: path.join('.'),
      message,
    }));
  };
};

/** Who lists properties means an object, whether or not it says so. */
const typed = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(typed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, typed(value)]),
  );
  return 'properties' in inner && !('type' in inner) ? { type: 'object', ...inner } : inner;
};

const build = (schema: RecordSchema): z.ZodType => {
  try {
    return fromJSONSchema(schema);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw fail('invalid_argument', `The schema cannot be used: ${why.slice(0, 200)}`, {
      argument: 'schema',
    });
  }
};

const patternsIn = (schema: unknown): string[] => {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) => [
    ...(key === 'pattern' && typeof value === 'string' ? [value] : []),
    ...(key === 'patternProperties' && typeof value === 'object' && value !== null
      ? Object.keys(value)
      : []),
    ...patternsIn(value),
  ]);
};

/**
 * An expression can take for ever on a text of the page; tried first in a context of its own, which
 * alone can be stopped.
 */
const refuseIfSlow = (patterns: readonly string[], record: unknown): void => {
  const texts = textsIn(record);
  try {
    const code =
      'for (const pattern of patterns) { const e = new RegExp(pattern); for (const text of texts) e.test(text); }';
    runInNewContext(code, { patterns, texts }, { timeout: PATIENCE_MS });
  } catch (error) {
    // what else is wrong with it is said elsewhere
    if ((error as { code?: unknown }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') return;
    throw tooSlow(patterns.join(' '));
  }
};

const tooSlow = (pattern: string): Error =>
  fail('invalid_argument', `The pattern ${pattern.slice(0, 100)} could take forever.`, {
    argument: 'schema',
    hint: 'Write it without repetitions of repetitions, or leave it out.',
  });

const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [name, ...textsIn(member)]);
};
