// Resolves paths in a JSON value: `$.data.items[0]`, `$["odd name"]`, `items[*].id`.
import { defined } from '../core/defined.ts';
import { compareLikeness } from '../core/closest.ts';
import { fail, type Failure } from '../core/failure.ts';
import { isObject, isRecord, isUnknownArray } from '../core/json.ts';

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
export const drill = (value: unknown, path: string): unknown =>
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
    return index >= 0 && index < value.length ? { value: value[index] } : undefined;
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
      names: names ? compareLikeness(wanted, names.slice(0, 1000)).slice(0, MAX_NAMES) : undefined,
      hint: 'Use a path from the shape of the body.',
    }),
  );
};
