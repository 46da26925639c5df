// Creates recipes from steps or from a request, and adds their parameters. Pure.
import { attempt } from '../../core/attempt.ts';
import { defined, valueIf } from '../../core/defined.ts';
import { fail } from '../../core/failure.ts';
import { getField, isRecord, isUnknownArray, tryParseJson } from '../../core/json.ts';
import { parseUrl } from '../../core/text.ts';
import type {
  Recipe,
  RecipeRequest,
  RecipeStep,
  RecipeTarget,
} from '../../store/recipes/recipe-schema.ts';
import { formatSite } from '../../store/recipes/recipes.ts';

export const buildRecipe = (name: string, steps: readonly RecipeStep[]): Recipe => {
  if (steps.length === 0)
    throw fail('recipe_invalid', 'The source has no step that a recipe can repeat.', {
      hint: 'Record at least one navigation or action.',
    });
  const first = steps.map(findAddress).find((url) => url !== undefined);
  return { name, site: formatSite(first ?? ''), params: {}, steps: [...steps] };
};

/** The names of the secrets that the steps enter. */
export const listSecretNames = ({ steps }: Recipe): string[] => {
  const names = JSON.stringify(steps).matchAll(/\$\{(?:SECRET|TOTP):([^}]{1,200})\}/g);
  return [...new Set([...names].map(([, name = '']) => name))];
};

const findAddress = (step: RecipeStep): string | undefined => {
  if ('open' in step) return step.open.includes('://') ? step.open : `https://${step.open}`;
  return 'request' in step ? step.request.url : undefined;
};

/** A captured request as a step, after the page that sent it was opened. */
export const convertRequest = (detail: unknown): RecipeStep[] => {
  const [method, address] = [getField(detail, 'method'), getField(detail, 'url')];
  const url = parseUrl(String(address));
  if (typeof method !== 'string' || !url)
    throw fail('recipe_invalid', 'The request cannot be repeated: it has no address.');
  const sent = getField(detail, 'request');
  const headers = getField(sent, 'headers');
  const [type, referer] = [getField(headers, 'content-type'), getField(headers, 'referer')];
  const status = getField(detail, 'status');
  const query = Object.fromEntries(url.searchParams);
  url.search = '';
  const request = defined({
    method,
    url: url.href,
    query: Object.keys(query).length > 0 ? query : undefined,
    ...convertBody(getField(sent, 'body'), typeof type === 'string' ? type : ''),
    status: typeof status === 'number' ? status : undefined,
  });
  const page = typeof referer === 'string' ? referer : `${url.origin}/`;
  return [{ open: page }, { request }];
};

type RecipeBody = Pick<RecipeRequest, 'json' | 'form' | 'body' | 'headers'>;

const convertBody = (body: unknown, type: string): RecipeBody => {
  if (body === undefined || body === null) return {};
  if (typeof body !== 'string') return isForm(type) ? { form: toTexts(body) } : { json: body };
  if (isForm(type)) return { form: Object.fromEntries(new URLSearchParams(body)) };
  const json = /^application\/(?:[\w.-]{1,50}\+)?json/i.test(type) ? tryParseJson(body) : undefined;
  if (json !== undefined) return { json };
  return defined({ body, headers: type === '' ? undefined : { 'content-type': type } });
};

const isForm = (type: string): boolean => /^application\/x-www-form-urlencoded/i.test(type);

const toTexts = (fields: object): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]));

type ParamValues = Readonly<Record<string, string | number | boolean>>;

/**
 * Replaces values by parameters: `{email: "ada@x.org"}` turns "ada@x.org" into {{email}}. In
 * addresses and in the bodies of requests only whole values are replaced; a value of JSON gives
 * the parameter its type. Throws for a value that no step contains.
 */
export const addParams = (recipe: Recipe, params: ParamValues): Recipe => {
  requireNoHidden(recipe.steps);
  const types = new Map<string, ParamType>();
  const hasRequest = recipe.steps.some((step) => 'request' in step);
  const replacer = new ParamReplacer(params, types, hasRequest);
  const steps = recipe.steps.map((step) => replacer.replaceStep(step));
  const unused = Object.keys(params).find((key) => !types.has(key));
  if (unused !== undefined)
    throw fail('invalid_argument', `No step contains the value of the parameter "${unused}".`, {
      argument: 'params',
    });
  const declared = Object.entries(params).map(([key, value]) => {
    const type = types.get(key) ?? 'string';
    return [key, { type, default: convertDefault(value, type) }];
  });
  return { ...recipe, params: Object.fromEntries(declared) as Recipe['params'], steps };
};

/** The value in the type that the recipe has for it: "2" in a body with the number 2 is 2. */
const convertDefault = (value: ParamValues[string], type: ParamType): ParamValues[string] => {
  if (type === 'string') return String(value);
  return type === 'number' ? Number(value) : String(value) === 'true';
};

/** A value of a query or a form: `2` is a number, `01234` is a text. */
const inferType = (text: string): ParamType => {
  if (text === 'true' || text === 'false') return 'boolean';
  return text !== '' && String(Number(text)) === text ? 'number' : 'string';
};

/** Redacted values cannot be repeated. */
const requireNoHidden = (steps: readonly RecipeStep[]): void => {
  if (!JSON.stringify(steps).includes('[redacted')) return;
  throw fail('recipe_invalid', 'A step contains a secret, which was not recorded.', {
    hint: 'Enter secrets by name (${SECRET:NAME}), or write the recipe by hand.',
  });
};

type ParamType = Recipe['params'][string]['type'];
const PARAM_TYPES = ['string', 'number', 'boolean'] as const;

type ActionStep = Extract<RecipeStep, { action: string }>;

class ParamReplacer {
  readonly #params: readonly (readonly [string, string])[];
  readonly #given: ParamValues;
  readonly #types: Map<string, ParamType>;
  readonly #infers: boolean;

  /** `infers`: a value in an address has the type of its text, not that of the given value. */
  constructor(params: ParamValues, types: Map<string, ParamType>, infers: boolean) {
    this.#infers = infers;
    this.#given = params;
    this.#types = types;
    this.#params = Object.entries(params)
      .map(([key, value]) => [key, String(value)] as const)
      .filter(([, value]) => value !== '');
  }

  replaceStep(step: RecipeStep): RecipeStep {
    if ('open' in step) return { ...step, open: this.#replaceAddress(step.open) };
    if ('action' in step) return this.#replaceAction(step);
    if ('call' in step) return { call: step.call, args: this.#replaceValues(step.args) };
    if (!('request' in step)) return this.#replaceTexts(step) as RecipeStep;
    const { url, query, form, json, ...rest } = step.request;
    const request = defined({
      ...rest,
      url: this.#replaceAddress(url),
      query: query && this.#replaceFields(query),
      form: form && this.#replaceFields(form),
      json: json === undefined ? undefined : this.#replaceValues(json),
    });
    return { request };
  }

  /** The action and the role are words of the format. */
  #replaceAction({ action, target, ...rest }: ActionStep): RecipeStep {
    const kept = target && this.#replaceTarget(target);
    return { ...(this.#replaceTexts(rest) as object), action, ...defined({ target: kept }) };
  }

  /**
   * The element of another value is in another row and has other neighbours: a row that contains
   * the value becomes `near`, and the other facts that identify the recorded element are left out.
   */
  #replaceTarget({ role, row, order, within, attributes, ...texts }: RecipeTarget): RecipeTarget {
    const found = this.#replaceTexts(texts) as RecipeTarget;
    const replacedRow = row === undefined ? undefined : this.#replaceWords(row);
    if (replacedRow !== row) {
      const [near] = MARK.exec(replacedRow ?? '') ?? [];
      return defined({ role, name: found.name, near });
    }
    if (found.name !== texts.name) return defined({ ...found, role });
    return defined({ ...found, role, row, order, within, attributes });
  }

  /** Replaces whole values at any depth. */
  #replaceValues<T>(value: T): T {
    const replace = (inner: unknown): unknown => {
      if (isUnknownArray(inner)) return inner.map(replace);
      if (isRecord(inner)) return mapRecord(inner, replace);
      return this.#replaceValue(inner);
    };
    return replace(value) as T;
  }

  /** Replaces whole values of a query or a form. */
  #replaceFields(fields: Readonly<Record<string, string>>): Record<string, string> {
    const replace = (value: string): string => this.#replaceWhole(value, inferType(value));
    return Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [name, replace(value)]),
    );
  }

  #replaceWhole(text: string, type?: ParamType): string {
    const found = this.#params.find(([, wanted]) => wanted === text);
    if (!found) return text;
    this.#note(found[0], type);
    return `{{${found[0]}}}`;
  }

  #replaceValue(value: unknown): unknown {
    const type = PARAM_TYPES.find((one) => one === typeof value);
    const found = type && this.#params.find(([, wanted]) => wanted === String(value));
    if (!found) return value;
    this.#note(found[0], type);
    return `{{${found[0]}}}`;
  }

  /** Whole parts of the path and whole values of the query. */
  #replaceAddress(address: string): string {
    const parts = address.split(/([/?&=#])/);
    const infer = (text: string): ParamType | undefined => valueIf(this.#infers, inferType(text));
    return parts
      .map((part) => {
        const decoded = attempt(() => decodeURIComponent(part), part);
        const replaced = this.#replaceWhole(decoded, infer(decoded));
        return replaced === decoded ? part : replaced;
      })
      .join('');
  }

  /** Texts that contain a value as a word. */
  #replaceTexts(value: unknown): unknown {
    if (isUnknownArray(value)) return value.map((one) => this.#replaceTexts(one));
    if (isRecord(value)) return mapRecord(value, (one) => this.#replaceTexts(one));
    return typeof value === 'string' ? this.#replaceWords(value) : value;
  }

  #replaceWords(text: string): string {
    return this.#params.reduce((out, [key, wanted]) => {
      const parts = splitAtWord(out, wanted);
      if (parts.length > 1) this.#note(key);
      return parts.join(`{{${key}}}`);
    }, text);
  }

  #note(key: string, type = typeof this.#given[key] as ParamType): void {
    const known = this.#types.get(key);
    this.#types.set(key, known === undefined || known === type ? type : 'string');
  }
}

const mapRecord = (
  record: Readonly<Record<string, unknown>>,
  map: (value: unknown) => unknown,
): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));

const MARK = /\{\{\w{1,64}\}\}/;
const WORD_CHAR = /[\p{L}\p{N}_]/u;

/** The texts around each place where `word` is not a part of a longer word. */
const splitAtWord = (text: string, word: string): string[] => {
  const parts: string[] = [];
  let start = 0;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
    const end = at + word.length;
    const isPart = WORD_CHAR.test(text.charAt(at - 1)) || WORD_CHAR.test(text.charAt(end));
    if (isPart || text.slice(at - 2, at) === '{{') continue;
    parts.push(text.slice(start, at));
    start = end;
  }
  return [...parts, text.slice(start)];
};
