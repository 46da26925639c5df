// Validates extracted records against the JSON Schema of the call.
import { runInNewContext } from 'node:vm';
import { fromJSONSchema, type z } from 'zod';
import { fail } from '../../core/failure.ts';
import type { RecordSchema } from './schema-fields.ts';

export interface FieldError {
  /** Index of the record, from 0. */
  readonly item: number;
  readonly field: string;
  readonly message: string;
}

/** Detects nested quantifiers such as `(a+)+`, which can backtrack exponentially. */
const SLOW_PATTERN = /\([^()]*[+*}][^()]*\)\s*[+*{]/;

const MAX_PATTERN_CHARS = 1000;

/** Time limit for all patterns of a schema on one record. */
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

/** Adds `type: "object"` to every schema that has `properties` but no type. */
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
 * Runs the patterns in a separate VM context first, because only there a slow one can be stopped
 * by a timeout.
 */
const refuseIfSlow = (patterns: readonly string[], record: unknown): void => {
  const texts = textsIn(record);
  try {
    const code =
      'for (const pattern of patterns) { const e = new RegExp(pattern); ' +
      'for (const text of texts) e.test(text); }';
    runInNewContext(code, { patterns, texts }, { timeout: PATIENCE_MS });
  } catch (error) {
    // other errors, such as an invalid pattern, are reported by the validator
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
