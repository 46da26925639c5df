// Parses the words after a command into tool arguments and options of the command line. Pure.
import { findClosest } from '../../core/closest.ts';
import { compact, defined } from '../../core/defined.ts';
import { fail, type Failure } from '../../core/failure.ts';
import { isRecord } from '../../core/json.ts';
import { matchGroups, textIf } from '../../core/text.ts';
import type { ConfigUsage } from '../../toolkit/usage.ts';
import { parseFieldPair, parseValue } from './argument-values.ts';
import { FORMATS, listOptions, type OutputFormat, SHORT_FLAGS } from './cli-options.ts';
import {
  type CommandField,
  formatCommandName,
  formatDashed,
  formatFieldName,
  formatPlain,
  type Positional,
  type ToolCommand,
} from './command.ts';

export interface Parsed {
  readonly args: Record<string, unknown>;
  readonly format?: OutputFormat;
  readonly session?: string;
  /** Arguments as one JSON object, or `-` for stdin. */
  readonly json?: string;
  /** The words before they were assigned to arguments. */
  readonly words: readonly string[];
  readonly follow: boolean;
  /** Draw the picture in the terminal. */
  readonly show: boolean;
  /** The folder or file of `--out`. */
  readonly out?: string;
  /** Configuration flags, unparsed. */
  readonly flags: readonly string[];
}

export const parseWords = (
  command: ToolCommand,
  words: readonly string[],
  config: readonly ConfigUsage[],
): Parsed => {
  const sorted = sortWords(command, words, config);
  const given: Record<string, unknown> = {};
  for (const [field, texts] of sorted.fields) given[field.name] = parseValue(field, texts);
  const elsewhere =
    sorted.options.has('args') || (command.within !== undefined && command.within.name in given);
  placeWords(command, sorted.words, given, elsewhere);
  const { options } = sorted;
  return defined({
    args: argumentsOf(command, given),
    words: sorted.words,
    format: options.has('json') ? 'json' : parseFormat(options.get('format')),
    session: options.get('session'),
    json: options.get('args'),
    follow: options.has('follow'),
    show: options.has('show'),
    out: options.get('out'),
    flags: sorted.flags,
  });
};

/** Merges the arguments given as JSON; named and positional arguments take precedence. */
export const mergeJson = (
  { within, fixed }: ToolCommand,
  args: Record<string, unknown>,
  text: string,
): Record<string, unknown> => {
  const json = parseObject(text);
  if (within === undefined) return { ...json, ...args, ...fixed };
  return { ...args, [within.name]: { ...json, ...(args[within.name] as object) } };
};

const parseObject = (text: string): Record<string, unknown> => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw fail(
      'invalid_argument',
      `--args is not valid JSON: ${error instanceof Error ? error.message : ''}`,
      { argument: 'args' },
      error,
    );
  }
  if (isRecord(value)) return value;
  throw fail('invalid_argument', '--args must be one JSON object.', { argument: 'args' });
};

interface Sorted {
  readonly words: string[];
  readonly fields: Map<CommandField, string[]>;
  readonly options: Map<string, string>;
  readonly flags: string[];
}

/**
 * Sorts each word: an argument's value, an option of the command line, a configuration flag, or a
 * positional word.
 */
const sortWords = (
  command: ToolCommand,
  words: readonly string[],
  config: readonly ConfigUsage[],
): Sorted => {
  const sorted: Sorted = { words: [], fields: new Map(), options: new Map(), flags: [] };
  const queue = [...words];
  for (let word = queue.shift(); word !== undefined; word = queue.shift()) {
    if (word === '--') {
      sorted.words.push(...queue);
      break;
    }
    if (!word.startsWith('-') || word === '-' || /^-\d/.test(word)) sorted.words.push(word);
    else takeFlag(command, config, word, queue, sorted);
  }
  return sorted;
};

const takeFlag = (
  command: ToolCommand,
  config: readonly ConfigUsage[],
  word: string,
  queue: string[],
  sorted: Sorted,
): void => {
  const { flag, inline } = splitFlag(SHORT_FLAGS[word] ?? word);
  const value = (): string => inline ?? queue.shift() ?? missingValue(flag);
  const name = formatPlain(flag.slice(2));
  const option = listOptions(command).find((candidate) => formatPlain(candidate.name) === name);
  const [field, negated] = findField(command, name);
  if (option && !(field && isOwnFormat(field, inline ?? queue[0])))
    return void sorted.options.set(option.name, option.kind === 'switch' ? 'true' : value());
  if (field) {
    const text = isSwitch(field, queue[0]) ? (inline ?? String(!negated)) : value();
    return void sorted.fields.set(field, [...(sorted.fields.get(field) ?? []), text]);
  }
  const known = config.find(
    (one) => one.flag === flag || (one.kind === 'switch' && `--no-${one.flag.slice(2)}` === flag),
  );
  if (!known) throw unknownFlag(command, flag, config);
  if (SERVER_FLAGS.has(known.flag)) throw serverFlag(known.flag);
  sorted.flags.push(word, ...(known.kind !== 'switch' && inline === undefined ? [value()] : []));
};

/** Settings of MCP servers: a command would ignore them. */
const SERVER_FLAGS: ReadonlySet<string> = new Set([
  '--http',
  '--host',
  '--token',
  '--allow-host',
  '--allow-origin',
  '--shared',
  '--slim',
  '--all-tools',
  '--structured-content',
]);

const serverFlag = (flag: string): Failure =>
  fail('invalid_argument', `${flag} is a setting of the MCP server, not of a command.`, {
    argument: flag,
    hint: `Use it with "openchrome serve ${flag}".`,
  });

const splitFlag = (word: string): { readonly flag: string; readonly inline?: string } => {
  const at = word.indexOf('=');
  return at < 0 ? { flag: word } : { flag: word.slice(0, at), inline: word.slice(at + 1) };
};

/** A flag without a value; a field that also takes texts has one only if it is unmistakable. */
const isSwitch = (field: CommandField, next = ''): boolean =>
  field.kind === 'switch' ||
  (field.kind === 'scalar' &&
    field.types?.includes('boolean') === true &&
    !/^(?:true|false)$/.test(next) &&
    field.values?.includes(next) !== true);

/**
 * Finds a field by its flag or its name; a switch also by `no-NAME`; one that has the name of a
 * command-line option by `tool-NAME`.
 */
const findField = (
  { fields }: ToolCommand,
  name: string,
): [field: CommandField | undefined, isNegated: boolean] => {
  const byName = (wanted: string): CommandField | undefined =>
    fields.find((field) => formatPlain(formatFieldName(field)) === wanted) ??
    fields.find((field) => formatPlain(field.name) === wanted);
  const direct = byName(name) ?? (name.startsWith('tool') ? byName(name.slice(4)) : undefined);
  if (direct) return [direct, false];
  const negated = name.startsWith('no') ? byName(name.slice(2)) : undefined;
  return negated?.kind === 'switch' ? [negated, true] : [undefined, false];
};

/** `--format` with text or json is our option; other values belong to the tool. */
const isOwnFormat = (field: CommandField, value: string | undefined): boolean =>
  value !== undefined &&
  !FORMATS.includes(value as OutputFormat) &&
  field.values?.includes(value) === true;

const parseFormat = (text: string | undefined): OutputFormat | undefined => {
  if (text === undefined) return undefined;
  if (FORMATS.includes(text as OutputFormat)) return text as OutputFormat;
  throw fail('invalid_argument', `--format must be one of ${FORMATS.join(', ')}, not "${text}".`, {
    argument: 'format',
  });
};

const missingValue = (flag: string): never => {
  throw fail('invalid_argument', `${flag} needs a value.`, { argument: flag });
};

const unknownFlag = (
  command: ToolCommand,
  flag: string,
  config: readonly ConfigUsage[],
): Failure => {
  const own = [...command.fields, ...listOptions(command)].map(
    (one) => `--${formatFieldName(one)}`,
  );
  const near =
    findClosest(flag, own) ??
    findClosest(
      flag,
      config.map((one) => one.flag),
    );
  return fail(
    'invalid_argument',
    `${formatCommandName(command)} has no option ${flag}${near ? `; did you mean ${near}?` : '.'}`,
    defined({
      argument: flag,
      ...compact({ closest: near }),
      hint: `Run "${formatCommandName(command)} --help" to see the options.`,
    }),
  );
};

/** Assigns positional words to arguments, skipping those given by name. */
const placeWords = (
  command: ToolCommand,
  words: readonly string[],
  given: Record<string, unknown>,
  givenElsewhere: boolean,
): void => {
  const left = [...words];
  for (const positional of command.positionals) {
    if (isGiven(positional, given)) continue;
    const texts = positional.rest ? left.splice(0) : left.splice(0, 1);
    if (texts.length > 0) place(command, positional, texts, given);
    else if (positional.required && !givenElsewhere) throw missing(command, positional);
  }
  if (left[0] !== undefined) throw unexpectedWord(command, left[0]);
};

const unexpectedWord = (command: ToolCommand, word: string): Failure => {
  const name = formatCommandName(command);
  const hint = word.startsWith('{')
    ? "--json prints JSON; pass a tool's input with --args JSON."
    : `Run "${name} --help" to see its arguments.`;
  return fail('invalid_argument', `${name} does not take the argument "${word.slice(0, 100)}".`, {
    argument: word.slice(0, 100),
    hint,
  });
};

const isGiven = ({ as, label }: Positional, given: object): boolean =>
  as === 'target' ? 'ref' in given || 'selector' in given || 'query' in given : label in given;

const place = (
  command: ToolCommand,
  { as, label, rest }: Positional,
  texts: readonly string[],
  given: Record<string, unknown>,
): void => {
  const text = texts.join(' ');
  if (as === 'target') Object.assign(given, parseTarget(command, text));
  else if (as === 'pairs') given[label] = texts.map(parseFieldPair);
  else {
    const field = command.fields.find(({ name }) => name === label) as CommandField;
    const several = rest && (field.kind === 'list' || field.file === true);
    given[label] = parseValue(field, several ? texts : [text]);
  }
};

const parseTarget = (command: ToolCommand, text: string): Record<string, string> => {
  const takesWords = command.fields.some(({ name }) => name === 'query');
  const { field, value } = parseTargetWord(text);
  const isWords = field === 'query' && !text.startsWith('text=');
  if (isWords && isTagSelector(text) && !(takesWords && command.elementFact === undefined))
    return { selector: text };
  if (command.fields.some(({ name }) => name === field)) return { [field]: value };
  const known = ['ref', 'selector'].filter((one) =>
    command.fields.some(({ name }) => name === one),
  );
  const words = text.slice(0, 100);
  const find = `openchrome find ${words}`;
  throw fail(
    'invalid_argument',
    `${formatCommandName(command)} takes ${known.join(' or ')}, not words: "${words}".`,
    { argument: 'target', hint: `Find it first: ${find}; write CSS as css=…` },
  );
};

const missing = (command: ToolCommand, { label, as }: Positional): Failure => {
  const forms = textIf(as === 'target', ': a ref, CSS or words');
  const name = formatDashed(label);
  return fail('invalid_argument', `${formatCommandName(command)} needs <${name}>${forms}.`, {
    argument: label,
    hint:
      command.examples[0] === undefined
        ? `Run "${formatCommandName(command)} --help".`
        : `For example: ${command.examples[0]}`,
  });
};

const argumentsOf = (
  { fixed, within, defaults }: ToolCommand,
  given: Record<string, unknown>,
): Record<string, unknown> => {
  if (within === undefined) return { ...defaults, ...given, ...fixed };
  const split = (isBeside: boolean): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(given).filter(([name]) => within.beside.includes(name) === isBeside),
    );
  const { [within.name]: whole, ...beside } = split(true);
  return {
    ...fixed,
    ...beside,
    [within.name]: { ...(whole as object | undefined), ...split(false) },
  };
};

interface PointedAt {
  readonly field: 'ref' | 'selector' | 'query';
  readonly value: string;
}

const TAGS = new Set(
  (
    'a article aside audio b blockquote body button canvas caption code dd details dialog div dl ' +
    'dt em fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hr html i iframe ' +
    'img input label legend li link main meta meter nav ol optgroup option output p picture pre ' +
    'progress q script section select small source span strong style sub summary sup svg table ' +
    'tbody td template textarea tfoot th thead time title tr track u ul video'
  ).split(' '),
);

/** A tag followed by syntax that only CSS has: `input[name=q]`, `div.card`, `li:first-child`. */
const TAGGED = /^([a-z][a-z0-9]*)(?:[#.[][\w-]|::?[a-z-]+)/;

/** The prefixes `css=`, `text=` and `ref=` set the kind explicitly. */
const parseTargetWord = (text: string): PointedAt => {
  const [, kind, said = ''] = matchGroups(/^(css|text|ref)=(.+)$/s, text);
  if (kind === 'css') return { field: 'selector', value: said };
  if (kind === 'ref') return { field: 'ref', value: said };
  if (kind === 'text') return { field: 'query', value: said };
  if (/^e\d+$/.test(text)) return { field: 'ref', value: text };
  return { field: looksLikeCss(text) ? 'selector' : 'query', value: text };
};

const looksLikeCss = (text: string): boolean =>
  /^[#.][A-Za-z_-][\w-]*|^\[[\w-]+|^\*$| > /.test(text) || TAGS.has(TAGGED.exec(text)?.[1] ?? '');

/** Tags, and CSS after each of them: `li`, `ul li`, `table td.total`. Most are also words. */
const isTagSelector = (text: string): boolean =>
  text.split(/[\s,>+~]+/).every((part) => TAGS.has(part) || TAGS.has(TAGGED.exec(part)?.[1] ?? ''));
