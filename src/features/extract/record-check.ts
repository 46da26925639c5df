// Checks records against a JSON Schema. Pure; also runs in a worker thread.
import { fromJSONSchema, type z } from 'zod';
import { fail, getErrorMessage } from '../../core/failure.ts';
import { isObject } from '../../core/json.ts';
import type { RecordSchema } from './schema-fields.ts';

export interface FieldError {
  /** Index of the record, from 0. */
  readonly item: number;
  readonly field: string;
  readonly message: string;
}

export const buildRecordCheck = (
  schema: RecordSchema,
): ((records: readonly unknown[]) => FieldError[]) => {
  const checked = buildType(addObjectTypes(schema) as RecordSchema);
  return (records) =>
    records.flatMap((record, item) =>
      (checked.safeParse(record).error?.issues ?? []).map(({ path, message }) => ({
        item,
        field: path.join('.'),
        message,
      })),
    );
};

/** Adds `type: "object"` to every schema that has `properties` but no type. */
const addObjectTypes = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(addObjectTypes);
  if (!isObject(schema)) return schema;
  const inner = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, addObjectTypes(value)]),
  );
  return 'properties' in inner && !('type' in inner) ? { type: 'object', ...inner } : inner;
};

const buildType = (schema: RecordSchema): z.ZodType => {
  try {
    return fromJSONSchema(schema);
  } catch (error) {
    const why = getErrorMessage(error);
    throw fail('invalid_argument', `The schema cannot be used: ${why.slice(0, 200)}`, {
      argument: 'schema',
    });
  }
};
