// Explains in plain words why a value does not match its schema. Pure.
import { textAt, textIf } from './text.ts';
import type { z } from 'zod';
import { isObject } from './json.ts';

type Issue = z.core.$ZodIssue;
type CheckedSchema = z.core.$ZodType;

/** `must be a whole number from 1 to 500, not 0`. `schema`: the schema of the value, if known. */
export const explainIssue = (issue: Issue, value: unknown, schema?: CheckedSchema): string => {
  const explain = EXPLANATIONS[issue.code] as Explanation<Issue['code']> | undefined;
  return explain ? explain(issue, value, schema) : `is not valid: ${issue.message}`;
};

type Explanation<C extends Issue['code']> = (
  issue: Extract<Issue, { readonly code: C }>,
  value: unknown,
  schema: CheckedSchema | undefined,
) => string;

const EXPLANATIONS: { readonly [C in Issue['code']]?: Explanation<C> } = {
  invalid_type: (issue, value, schema) =>
    `must be ${describeExpected(issue, schema)}, not ${describeType(value)}`,
  invalid_value: ({ values }) =>
    `must be one of ${values.map((one) => JSON.stringify(one)).join(', ')}`,
  too_small: (issue, value, schema) => explainSize(issue, value, schema),
  too_big: (issue, value, schema) => explainSize(issue, value, schema),
  not_multiple_of: ({ divisor }) => `must be a multiple of ${divisor}`,
  unrecognized_keys: ({ keys }) => `has the unknown key ${JSON.stringify(textAt(keys, 0))}`,
  invalid_union: (issue, value) => explainUnion(issue, value),
};

type SizeIssue = Extract<Issue, { readonly code: 'too_small' | 'too_big' }>;

/** The unit of each size that a schema can limit; numbers have none. */
const UNITS: Readonly<Record<string, string>> = {
  string: 'character',
  array: 'entry',
  set: 'entry',
  map: 'entry',
  object: 'entry',
};

const explainSize = (
  issue: SizeIssue,
  value: unknown,
  schema: CheckedSchema | undefined,
): string => {
  const unit = UNITS[issue.origin];
  if (unit === undefined)
    return `must be ${describeRange(issue, schema)}, not ${String(value).slice(0, 50)}`;
  const size = Number(issue.code === 'too_small' ? issue.minimum : issue.maximum);
  if (issue.code === 'too_small' && size === 1) return 'must not be empty';
  const bound = issue.code === 'too_small' ? 'at least' : 'at most';
  return `must have ${bound} ${size} ${size === 1 ? unit : pluralise(unit)}`;
};

const pluralise = (noun: string): string =>
  noun.endsWith('y') ? `${noun.slice(0, -1)}ies` : `${noun}s`;

interface NumberLimits {
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly above?: number;
  readonly isWhole?: boolean;
}

const describeExpected = (
  { expected }: Extract<Issue, { readonly code: 'invalid_type' }>,
  schema: CheckedSchema | undefined,
): string => (expected === 'number' ? describeNumber(readLimits(schema)) : nameType(expected));

const describeRange = (issue: SizeIssue, schema: CheckedSchema | undefined): string => {
  const limits = readLimits(schema);
  if (issue.code === 'too_big')
    return describeNumber({ ...limits, maximum: Number(issue.maximum) });
  const bound = Number(issue.minimum);
  return describeNumber(
    issue.inclusive
      ? { ...limits, minimum: bound }
      : { ...limits, minimum: undefined, above: bound },
  );
};

/** `a whole number from 1 to 500`. */
const describeNumber = ({ minimum, maximum, above, isWhole }: NumberLimits): string => {
  const noun = isWhole ? 'a whole number' : 'a number';
  if (minimum !== undefined && maximum !== undefined)
    return `${noun} from ${minimum} to ${maximum}`;
  const bounds = [
    textIf(above !== undefined, `above ${above}`),
    textIf(minimum !== undefined, `at least ${minimum}`),
    textIf(maximum !== undefined, `at most ${maximum}`),
  ].filter((bound) => bound !== '');
  return [noun, ...bounds].join(', ');
};

/** The limits of a number, also if the argument is optional or has a default. */
const readLimits = (schema: CheckedSchema | undefined): NumberLimits => {
  if (schema === undefined) return {};
  const { innerType } = schema._zod.def as { readonly innerType?: CheckedSchema };
  if (innerType) return readLimits(innerType);
  const { minValue, maxValue, isInt } = schema as Partial<z.ZodNumber>;
  return { minimum: findBound(minValue), maximum: findBound(maxValue), isWhole: isInt === true };
};

/** Undefined for a number without a limit: whole numbers have the largest safe ones. */
const findBound = (limit: number | null | undefined): number | undefined =>
  typeof limit === 'number' && Math.abs(limit) < Number.MAX_SAFE_INTEGER ? limit : undefined;

/** `must be a string or an array`: the types that the alternatives accept. */
const explainUnion = (
  { errors, message }: Extract<Issue, { readonly code: 'invalid_union' }>,
  value: unknown,
): string => {
  const types = errors.flatMap(([first]) =>
    first?.code === 'invalid_type' && first.path.length === 0 ? [nameType(first.expected)] : [],
  );
  if (types.length === errors.length && types.length > 0)
    return `must be ${[...new Set(types)].join(' or ')}, not ${describeType(value)}`;
  const deepest = errors.flat().toSorted((a, b) => b.path.length - a.path.length)[0];
  if (deepest === undefined) return `is not valid: ${message}`;
  return explainIssue(deepest, findPart(value, deepest.path));
};

const findPart = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((part, key) => (isObject(part) ? Reflect.get(part, key) : undefined), value);

const TYPE_NAMES: Readonly<Record<string, string>> = {
  int: 'a whole number',
  boolean: 'true or false',
  null: 'null',
};

const nameType = (type: string): string =>
  TYPE_NAMES[type] ?? (/^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`);

/** Only the type: the value can be long or secret. */
const describeType = (value: unknown): string => {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return 'a boolean';
  return nameType(Array.isArray(value) ? 'array' : typeof value);
};
