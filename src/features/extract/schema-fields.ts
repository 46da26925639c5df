// Flattens a JSON Schema to a list of fields with their names and types.
import { textAt } from '../../core/text.ts';
import { fail } from '../../core/failure.ts';
import { isRecord } from '../../core/json.ts';
import { type Meaning, findMeaning, splitWords } from './words.ts';
import { isUnknownArray } from '../../core/json.ts';

export type RecordSchema = Readonly<Record<string, unknown>>;
export type SchemaType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object';

export interface SchemaField {
  /** `offers.price` has two elements. */
  readonly path: readonly string[];
  readonly words: readonly string[];
  /** Words of the title and description, which count less than the name. */
  readonly about: readonly string[];
  readonly meaning: Meaning | undefined;
  readonly type: SchemaType;
  readonly format: string | undefined;
  readonly schema: RecordSchema;
}

const EXAMPLE =
  '{"type":"object","properties":{"name":{"type":"string"},"price":{"type":"number"}}}';
const MAX_FIELDS = 200;
const MAX_DEPTH = 3;

/** Returns the schema of one record: the `items` schema if the given schema is an array. */
export const findRecordSchema = (
  schema: RecordSchema,
): { schema: RecordSchema; array: boolean } => {
  const items = schema['items'];
  if (findType(schema) === 'array' && isRecord(items)) return { schema: items, array: true };
  return { schema, array: false };
};

export const collectSchemaFields = (schema: RecordSchema): SchemaField[] => {
  const fields = collect(schema, []);
  if (fields.length === 0)
    throw fail('invalid_argument', 'The schema must list the fields to extract.', {
      argument: 'schema',
      hint: `For example ${EXAMPLE}.`,
    });
  return fields.slice(0, MAX_FIELDS);
};

const collect = (schema: RecordSchema, path: readonly string[]): SchemaField[] => {
  const properties = schema['properties'];
  if (!isRecord(properties)) return [];
  return Object.entries(properties).flatMap(([name, inner]) => {
    const own = isRecord(inner) ? inner : {};
    const here = [...path, name];
    const deeper = findType(own) === 'object' && here.length < MAX_DEPTH ? collect(own, here) : [];
    return deeper.length > 0 ? deeper : [buildField(here, own)];
  });
};

const buildField = (path: readonly string[], schema: RecordSchema): SchemaField => {
  const words = splitWords(textAt(path, -1));
  const { title, description, format } = schema;
  const about = [title, description].filter((text) => typeof text === 'string').flatMap(splitWords);
  return {
    path,
    words,
    about,
    meaning: findMeaning(words),
    type: findType(schema),
    format: typeof format === 'string' ? format : undefined,
    schema,
  };
};

/** The first type that is not null: `["number", "null"]` is a number. */
const findType = (schema: RecordSchema): SchemaType => {
  const { type, properties, items, enum: choices } = schema;
  const named = (isUnknownArray(type) ? type.find((one) => one !== 'null') : type) as
    | SchemaType
    | undefined;
  if (named) return named;
  if (properties) return 'object';
  if (items) return 'array';
  const [first] = isUnknownArray(choices) ? choices : [];
  if (typeof first === 'number') return 'number';
  return typeof first === 'boolean' ? 'boolean' : 'string';
};
