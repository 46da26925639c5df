// Parses a body as JSON and resolves paths in it: `$.data.items[0]`, `$["odd name"]`, `items[*].id`.
import { attempt } from '../core/attempt.ts';
import { compareLikeness } from '../core/closest.ts';
import { defined, valueIf, ifDefined } from '../core/defined.ts';
import { fail, type Failure } from '../core/failure.ts';
import { isObject, isRecord, isUnknownArray, parseJson } from '../core/json.ts';

const EVERY = Symbol('every element');

type PathStep = string | number | typeof EVERY;

const STEP =
  /\.?([A-Za-z_$][\w$-]*)|\[(-?\d+)\]|\[("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\]|\.?\[?(\*)\]?/y;

const parseJsonPath = (path: string): readonly PathStep[] => {
  const text = path.trim().replace(/^\$/, '');
  const steps: PathStep[] = [];
  STEP.lastIndex = 0;
  while (STEP.lastIndex < text.length) {
    const at = STEP.lastIndex;
    const found = STEP.exec(text);
    if (!found || found[0] === '')
      throw fail(
        'invalid_argument',
        `"path" cannot be parsed at ${JSON.stringify(text.slice(at, at + 40))}.`,
        {
          argument: 'path',
          hint: 'Use the form $.data.items[0] or $["odd name"]; [*] matches every element.',
        },
      );
    steps.push(toStep(found));
  }
  return steps;
};

const toStep = ([, name, index, quoted]: RegExpExecArray): PathStep => {
  if (name !== undefined) return name;
  if (index !== undefined) return Number(index);
  if (quoted === undefined) return EVERY;
  return quoted.slice(1, -1).replace(/\\(.)/g, '$1');
};

/**
 * Returns the value at the path; throws a failure that reports the part of the path that exists.
 */
export const getAtPath = (value: unknown, path: string): unknown =>
  walk(value, parseJsonPath(path), '$');

const walk = (value: unknown, steps: readonly PathStep[], at: string): unknown => {
  const [step, ...rest] = steps;
  if (step === undefined) return value;
  if (step === EVERY) return every(value, rest, at);
  const next = child(value, step);
  if (next === undefined) throw nothingThere(value, step, at);
  return walk(next.value, rest, typeof step === 'number' ? `${at}[${step}]` : `${at}.${step}`);
};

/** Omits elements in which the rest of the path does not exist, unless it exists in none. */
const every = (value: unknown, rest: readonly PathStep[], at: string): unknown[] => {
  if (!isObject(value)) throw nothingThere(value, EVERY, at);
  const found: unknown[] = [];
  let failure: unknown;
  for (const [name, item] of Object.entries(value)) {
    try {
      found.push(walk(item, rest, `${at}[${name}]`));
    } catch (error) {
      failure ??= error;
    }
  }
  if (found.length === 0 && failure !== undefined) throw failure as Error;
  return found;
};

/** The index of a step in an array; negative numbers count from the end, -1 if it is a name. */
const toIndex = (step: string | number, length: number): number => {
  if (typeof step === 'number') return step < 0 ? length + step : step;
  return /^\d+$/.test(step) ? Number(step) : -1;
};

const child = (value: unknown, step: string | number): { readonly value: unknown } | undefined => {
  if (isUnknownArray(value)) {
    const index = toIndex(step, value.length);
    return valueIf(index >= 0 && index < value.length, { value: value[index] });
  }
  if (!isObject(value) || !Object.hasOwn(value, step)) return undefined;
  return { value: value[step] };
};

const MAX_NAMES = 20;

const describeValue = (value: unknown): string => {
  if (Array.isArray(value)) return `an array of ${value.length}`;
  return value === null ? 'null' : `a ${typeof value}`;
};

const nothingThere = (value: unknown, step: PathStep, at: string): Failure => {
  const wanted = step === EVERY ? '[*]' : JSON.stringify(step);
  const names = isRecord(value) ? Object.keys(value) : undefined;
  const what = names ? 'an object' : describeValue(value);
  return fail(
    'invalid_argument',
    `The body has no value at ${at} ${wanted}: ${at} is ${what}.`,
    defined({
      argument: 'path',
      exists: at,
      names: ifDefined(names, (names) =>
        compareLikeness(wanted, names.slice(0, 1000)).slice(0, MAX_NAMES),
      ),
      hint: 'Use a path from the shape of the body.',
    }),
  );
};

// Parses a body as JSON; undefined if it is not JSON or would lose number precision.

export interface JsonBody {
  readonly value: unknown;
}

/** Deeper data is shown as text, so that recursive code does not overflow the stack. */
const MAX_DEPTH = 100;

const BACKSLASH = 0x5c;
const QUOTE = 0x22;

const JSON_TYPE =
  /^(?:application|text)\/(?:[\w.+-]+\+)?(?:json|x-json|json5|graphql-response\+json)\b/i;

const isJsonType = (contentType: string): boolean => JSON_TYPE.test(contentType);

/**
 * Also parses other content types, because many APIs send JSON as text/plain; there, only objects
 * and arrays count as JSON.
 */
export const parseJsonBody = (text: string, contentType: string): JsonBody | undefined => {
  const bare = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  if (!isJsonType(contentType) && !/^\s*[[{]/.test(bare)) return undefined;
  if (isTooDeep(bare)) return undefined;
  return attempt(() => ({ value: parseJson(bare) }));
};

/** How the nesting depth changes at a character. */
const NESTING = new Map([
  [0x5b, 1], // [
  [0x7b, 1], // {
  [0x5d, -1], // ]
  [0x7d, -1], // }
]);

/** Checked before parsing, because a value with a million levels takes long to collect. */
const isTooDeep = (text: string): boolean => {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) i = findStringEnd(text, i + 1) - 1;
    else if (code >= 0x5b) depth += NESTING.get(code) ?? 0;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
};

/** A number with so many digits that parsing would change it. */
const LONG_NUMBER =
  /(?:^|[[:,\s])-?\d{16,}(?:[\s,.\]}eE]|$)|(?:^|[[:,\s])-?\d[\d.]{17,}|\d[eE]\+?\d{3}/;

/** Whether parsing and serialising the text keeps all numbers. Most texts pass the first test. */
export const keepsNumbers = (text: string): boolean =>
  !LONG_NUMBER.test(text) || !LONG_NUMBER.test(removeStrings(text));

/** JSON with every string empty. One pass, also over text that is not JSON. */
const removeStrings = (text: string): string => {
  const rest: string[] = [];
  let from = 0;
  for (let open = text.indexOf('"'); open !== -1; open = text.indexOf('"', from)) {
    rest.push(text.slice(from, open));
    from = findStringEnd(text, open + 1);
  }
  rest.push(text.slice(from));
  return rest.join('""');
};

/** The position after the closing quote; the end of the text if there is none. */
const findStringEnd = (text: string, from: number): number => {
  for (let i = from; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) return i + 1;
    if (code === BACKSLASH) i++;
  }
  return text.length;
};
