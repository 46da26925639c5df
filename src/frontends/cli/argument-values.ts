// Parses a command-line argument into the value that a tool expects. Pure.
import { attempt } from '../../core/attempt.ts';
import { fail, type Failure } from '../../core/failure.ts';
import { isRecord } from '../../core/json.ts';
import { matchGroups } from '../../core/text.ts';
import type { UsageKind, UsageField } from '../../toolkit/usage.ts';
import { type CommandField, formatFieldName } from './command.ts';

/** `Email=ada@x.org` or `e5=ada@x.org`: one field of a form. */
export const parseFieldPair = (text: string): Readonly<Record<string, unknown>> => {
  const at = text.indexOf('=');
  if (at < 1)
    throw fail('invalid_argument', `"${text.slice(0, 100)}" is not LABEL=VALUE.`, {
      argument: 'fields',
      hint: 'Quote it if the label or the value has spaces: "First name=Ada".',
    });
  const [name, value] = [text.slice(0, at).trim(), text.slice(at + 1)];
  const isBox = value === 'true' || value === 'false';
  return { [/^e\d+$/.test(name) ? 'ref' : 'label']: name, value: isBox ? value === 'true' : value };
};

type ParseArgument = (field: UsageField, texts: readonly string[]) => unknown;

/** For arguments with one value: the last occurrence wins. */
const last =
  (read: (field: UsageField, text: string) => unknown): ParseArgument =>
  (field, texts) =>
    read(field, texts.at(-1) ?? '');

/** `texts`: one entry per occurrence of the argument. */
export const parseValue = (field: UsageField, texts: readonly string[]): unknown =>
  READERS[field.kind](field, texts);

const wrong = (field: CommandField, must: string): Failure =>
  fail('invalid_argument', `--${formatFieldName(field)} must be ${must}.`, {
    argument: field.name,
  });

const oneOf = (field: UsageField, text: string): string => {
  if (field.values && !field.values.includes(text))
    throw wrong(field, `one of ${field.values.join(', ')}, not "${text}"`);
  return text;
};

const UNITS_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;

/** `500ms`, `30s`, `2m` or `1h`, for arguments in milliseconds. */
const parseDurationMs = ({ name }: UsageField, text: string): number | undefined => {
  const [, amount, unit] = matchGroups(/^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)$/, text);
  if (unit === undefined || !/(?:_ms|Ms)$/.test(name)) return undefined;
  return Math.round(Number(amount) * UNITS_MS[unit as keyof typeof UNITS_MS]);
};

const asNumber = (field: UsageField, text: string): number => {
  const number = parseDurationMs(field, text) ?? Number(text);
  if (text.trim() === '' || Number.isNaN(number)) throw wrong(field, `a number, not "${text}"`);
  return number;
};

const asSwitch = (field: UsageField, text: string): boolean => {
  if (/^(?:true|on|yes|1)$/i.test(text)) return true;
  if (/^(?:false|off|no|0)$/i.test(text)) return false;
  throw wrong(field, `on or off, not "${text}"`);
};

const asScalar = ({ types = [] }: UsageField, text: string): unknown => {
  if (types.includes('null') && text === 'null') return null;
  if (types.includes('boolean') && /^(?:true|false)$/.test(text)) return text === 'true';
  const numeric = types.includes('number') || types.includes('integer');
  return numeric && text.trim() !== '' && !Number.isNaN(Number(text)) ? Number(text) : text;
};

/** Values of an enum may also be given in one text: `image,font`. */
const asList = (field: UsageField, texts: readonly string[]): string[] => {
  const [first = ''] = texts;
  const json = texts.length === 1 && first.startsWith('[') ? jsonIn(first) : undefined;
  if (Array.isArray(json)) return json as string[];
  return field.values
    ? texts.flatMap((text) => text.split(',')).map((text) => oneOf(field, text.trim()))
    : [...texts];
};

const numbersIn = (field: UsageField, texts: readonly string[]): number[] =>
  texts
    .join(',')
    .replace(/^\[|\]$/g, '')
    .split(',')
    .map((text) => asNumber(field, text));

/** JSON objects, NAME=TEXT and NAME:=JSON, as often as needed; later values win. */
const asObject = (field: UsageField, texts: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(
    texts.flatMap((text) =>
      text.trimStart().startsWith('{')
        ? Object.entries(requireObject(field, parseJson(field, text)))
        : [parsePair(field, text)],
    ),
  );

/** `code=007` is the text "007", and `count:=7` the number 7. */
const parsePair = (field: UsageField, text: string): readonly [string, unknown] => {
  const [, name, mark, value] = matchGroups(/^([^=]+?)(:?=)(.*)$/s, text);
  if (name === undefined || value === undefined)
    throw wrong(field, `a JSON object, NAME=TEXT or NAME:=JSON, not "${text.slice(0, 100)}"`);
  return [name, mark === '=' ? value : parseJson(field, value)];
};

const requireObject = (field: UsageField, value: unknown): Record<string, unknown> => {
  if (isRecord(value)) return value;
  throw wrong(field, 'a JSON object');
};

const parseJson = (field: UsageField, text: string): unknown => {
  const value = jsonIn(text);
  if (value === undefined) throw wrong(field, `JSON, not "${text.slice(0, 100)}"`);
  return value;
};

const asAny = (text: string): unknown => {
  const value = jsonIn(text);
  return value === undefined ? text : value;
};

const jsonIn = (text: string): unknown => attempt(() => JSON.parse(text));

const READERS: Readonly<Record<UsageKind, ParseArgument>> = {
  text: last(oneOf),
  texts: (_, texts) => (texts.length > 1 ? texts : (texts[0] ?? '')),
  number: last(asNumber),
  switch: last(asSwitch),
  scalar: last(asScalar),
  list: asList,
  numbers: numbersIn,
  object: asObject,
  json: last(parseJson),
  any: last((_, text) => asAny(text)),
};
