// The parameters of a recipe: checks given values, and fills them into steps. Pure.
import { fail } from '../../core/failure.ts';
import { listSecretReferences } from '../../core/secret-references.ts';
import { isRecord, isUnknownArray } from '../../core/json.ts';
import type { Recipe, RecipeStep } from '../../store/recipes/recipe-schema.ts';

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
const ONLY_MARK = /^\{\{(\w{1,64})\}\}$/;

const fillText = (
  text: string,
  params: RecipeParams,
  encode = (value: string): string => value,
): string =>
  text.replace(MARK, (mark, name: string) =>
    Object.hasOwn(params, name) ? encode(String(params[name])) : mark,
  );

/** Replaces `{{name}}` in all texts of a value. */
const fillTexts = <T>(value: T, params: RecipeParams): T => {
  const fill = (inner: unknown): unknown => {
    if (typeof inner === 'string') return fillText(inner, params);
    if (isUnknownArray(inner)) return inner.map(fill);
    return isRecord(inner) ? mapValues(inner, fill) : inner;
  };
  return fill(value) as T;
};

const mapValues = (
  record: Readonly<Record<string, unknown>>,
  map: (value: unknown) => unknown,
): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));

/** A text that is only a mark becomes the value with its type. */
const fillJson = (value: unknown, params: RecipeParams): unknown => {
  if (isUnknownArray(value)) return value.map((one) => fillJson(one, params));
  if (isRecord(value)) return mapValues(value, (one) => fillJson(one, params));
  if (typeof value !== 'string') return value;
  const [, name] = ONLY_MARK.exec(value) ?? [];
  if (name !== undefined && Object.hasOwn(params, name)) return params[name];
  return fillText(value, params);
};

/** A value inside of an address is encoded; an address that is only a mark is not. */
const fillAddress = (address: string, params: RecipeParams): string =>
  ONLY_MARK.test(address)
    ? fillText(address, params)
    : fillText(address, params, encodeURIComponent);

/** Fills the parameters into a step. */
const fillParams = (step: RecipeStep, params: RecipeParams): RecipeStep => {
  if ('open' in step) return { ...fillTexts(step, params), open: fillAddress(step.open, params) };
  if ('call' in step)
    return { call: step.call, args: fillJson(step.args, params) as Record<string, unknown> };
  if (!('request' in step)) return fillTexts(step, params);
  const { url, json, ...texts } = step.request;
  const request = { ...fillTexts(texts, params), url: fillAddress(url, params) };
  return { request: json === undefined ? request : { ...request, json: fillJson(json, params) } };
};

/**
 * The steps with their parameters. A given value may not add a reference to a secret: only those
 * that the recipe itself contains are resolved.
 */
export const fillSteps = (recipe: Recipe, given: RecipeParams): RecipeStep[] => {
  const params = resolveParams(recipe, given);
  const isWritten = ([key, value]: readonly [string, ParamValue]): boolean => {
    const { default: own, values = [] } = recipe.params[key] ?? {};
    return [own, ...values].some((one) => one === value);
  };
  const written = Object.fromEntries(Object.entries(params).filter(isWritten));
  return recipe.steps.map((raw) => {
    const step = fillParams(raw, params);
    if (listSecretReferences(step).join() === listSecretReferences(fillParams(raw, written)).join())
      return step;
    throw fail('secret_not_allowed_here', 'The value of a parameter contains a secret.', {
      argument: 'params',
      hint: 'Write the reference into the recipe itself.',
    });
  });
};
