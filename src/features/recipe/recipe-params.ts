// The parameters of a recipe: checks given values, and fills them into steps. Pure.
import { fail } from '../../core/failure.ts';
import { isRecord, isUnknownArray } from '../../core/json.ts';
import type { Recipe } from '../../store/recipes/recipe-schema.ts';

type ParamValue = string | number | boolean;
export type RecipeParams = Readonly<Record<string, ParamValue>>;
type RecipeParam = Recipe['params'][string];

/** Checks the names, types and values of the parameters, and adds the defaults. */
export const resolveParams = ({ name, params }: Recipe, given: RecipeParams): RecipeParams => {
  const unknown = Object.keys(given).find((key) => !Object.hasOwn(params, key));
  const known = Object.keys(params);
  if (unknown !== undefined)
    throw fail('invalid_argument', `The recipe "${name}" has no parameter "${unknown}".`, {
      argument: 'params',
      known,
    });
  const values = Object.entries(params).map(([key, param]) => {
    const value = given[key] ?? param.default;
    if (value === undefined)
      throw fail('invalid_argument', `The recipe "${name}" needs the parameter "${key}".`, {
        argument: 'params',
        known,
      });
    return [key, convertValue(key, value, param)] as const;
  });
  return Object.fromEntries(values);
};

const CONVERSIONS: Readonly<
  Record<RecipeParam['type'], (value: ParamValue) => ParamValue | undefined>
> = {
  string: String,
  number: (value) => parseNumber(String(value)),
  boolean: (value) => ({ true: true, false: false })[String(value)],
};

/** An empty text is not the number zero. */
const parseNumber = (text: string): number | undefined => {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : undefined;
};

const convertValue = (
  key: string,
  value: ParamValue,
  { type, values: allowed }: RecipeParam,
): ParamValue => {
  const converted = CONVERSIONS[type](value);
  if (converted === undefined)
    throw fail('invalid_argument', `The parameter "${key}" must be a ${type}.`, {
      argument: 'params',
    });
  if (allowed && !allowed.some((one) => String(one) === String(converted)))
    throw fail('invalid_argument', `The parameter "${key}" does not have one of its values.`, {
      argument: 'params',
      values: allowed,
    });
  return converted;
};

const MARK = /\{\{(\w{1,64})\}\}/g;

/** Replaces `{{name}}` in all texts of a step. */
export const fillParams = <T>(value: T, params: RecipeParams): T => {
  const fill = (inner: unknown): unknown => {
    if (typeof inner === 'string')
      return inner.replace(MARK, (mark, name: string) =>
        Object.hasOwn(params, name) ? String(params[name]) : mark,
      );
    if (isUnknownArray(inner)) return inner.map(fill);
    if (!isRecord(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).map(([key, one]) => [key, fill(one)]));
  };
  return fill(value) as T;
};
