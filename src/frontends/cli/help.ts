// Renders the help of a command, of a command group, and of the program. Pure.
import { listIf } from '../../core/collections.ts';
import { isObject } from '../../core/json.ts';
import { textIf } from '../../core/text.ts';
import type { ConfigUsage, UsageKind } from '../../toolkit/usage.ts';
import {
  type Command,
  type CommandField,
  formatDashed,
  formatCommandName,
  formatFieldName,
  type Positional,
  type ToolCommand,
} from './command.ts';
import { type Option, listOptions } from './cli-options.ts';
import { wrapParagraph, wrapText } from './text-layout.ts';

export type HelpRow = readonly [name: string, text: string];

const PLACEHOLDERS: Readonly<Record<UsageKind, string>> = {
  text: 'TEXT',
  texts: 'TEXT',
  number: 'N',
  switch: '',
  scalar: 'VALUE',
  list: 'TEXT',
  numbers: 'N,N',
  object: 'NAME=TEXT|NAME:=JSON',
  json: 'JSON',
  any: 'JSON|TEXT',
};

export const isToolCommand = (command: Command): command is ToolCommand => 'tool' in command;

export const renderCommandHelp = (
  command: Command,
  config: readonly ConfigUsage[],
  columns: number,
): string => {
  const isTool = isToolCommand(command);
  const listed = command.fields.filter(
    ({ name, unlisted }) => !unlisted && !command.positionals.some(({ label }) => label === name),
  );
  const own = listed.filter(({ name }) => !isEverywhere(name));
  const everywhere = listed.filter(({ name }) => isEverywhere(name));
  return joinSections([
    renderUsage(command, columns),
    wrapParagraph(command.description ?? `${command.summary}.`, columns),
    renderRows('Arguments', command.positionals.map(positionalRow(command)), columns),
    renderRows(
      'Options',
      [...own.map(fieldRow), ...listConfig(command, config).map(configRow)],
      columns,
    ),
    isTool ? renderRows('Common options', commonRows(command, own, everywhere), columns) : '',
    renderExamples(command.examples, columns),
    isTool ? wrapParagraph(describeOtherArguments(command), columns) : '',
  ]);
};

/** The configuration flags that apply to a command. */
export const listConfig = (
  { configured = [] }: Command,
  config: readonly ConfigUsage[],
): readonly ConfigUsage[] =>
  configured === true ? config : config.filter(({ flag }) => configured.includes(flag));

const commonRows = (
  command: ToolCommand,
  own: readonly CommandField[],
  everywhere: readonly CommandField[],
): HelpRow[] => [
  ...everywhere.map(fieldRow),
  ...listOptions(command)
    .filter(({ unlisted }) => !unlisted)
    .filter(({ name }) => !own.some((field) => formatFieldName(field) === name))
    .map(optionRow),
];

const describeOtherArguments = ({ tool, path, fields, within }: ToolCommand): string => {
  if (path[0] === 'call' || within !== undefined || !fields.some(({ unlisted }) => unlisted))
    return '';
  return `All arguments: "openchrome call ${tool} --help".`;
};

/** The commands of a group, with or without a title. */
export interface HelpSection {
  readonly title: string;
  readonly rows: readonly HelpRow[];
}

export const renderGroupHelp = (
  path: readonly string[],
  summary: string,
  sections: readonly HelpSection[],
  examples: readonly string[],
  columns: number,
): string => {
  const word = path.length === 0 ? '[command]' : '<command>';
  const width = nameWidth(sections.flatMap(({ rows }) => rows));
  return joinSections([
    wrapParagraph(`Usage: ${formatCommandName({ path })} ${word} [options]`, columns),
    wrapParagraph(summary, columns),
    ...sections.map(({ title, rows }) => renderRows(title, rows, columns, width)),
    renderExamples(examples, columns),
    wrapParagraph(
      `"${formatCommandName({ path })} <command> --help" describes a command.`,
      columns,
    ),
  ]);
};

const renderUsage = (command: Command, columns: number): string => {
  const places = command.positionals.map((positional) => {
    const inside = `${placeName(positional, command.fields)}${textIf(positional.rest, '...')}`;
    return positional.required ? `<${inside}>` : `[${inside}]`;
  });
  const [first = '', ...more] = wrapText(
    ['Usage:', formatCommandName(command), ...places, '[options]'].join(' '),
    columns - 2,
  );
  return [first, ...more.map((line) => `  ${line}`)].join('\n');
};

/** The name of a positional argument; a tab is `tab`, not `tab-id`. */
const placeName = ({ label }: Positional, fields: readonly CommandField[]): string => {
  const field = fields.find(({ name }) => name === label);
  return field ? formatFieldName(field) : formatDashed(label);
};

/** Arguments common to all tools are listed after the tool's own. */
const isEverywhere = (name: string): boolean =>
  ['tabId', 'taskId', 'timeout_ms', 'output_mode', 'output_inline_limit_bytes'].includes(name);

const TARGET = "A ref (e12), CSS ('#save', css=button) or words (Sign in, text=e12)";

const positionalRow =
  ({ fields }: Command) =>
  (positional: Positional): HelpRow => {
    const { label, as, describe } = positional;
    const field = fields.find(({ name }) => name === label);
    const text = as === 'target' ? TARGET : field && describeMeaning(field);
    return [placeName(positional, fields), describe ?? text ?? ''];
  };

const fieldRow = (field: CommandField): HelpRow => {
  const { kind, values } = field;
  const name = formatFieldName(field);
  if (kind === 'switch')
    return [field.default === true ? `--no-${name}` : `--${name}`, describeMeaning(field)];
  const placeholder = values && !hasManyValues(field) ? values.join('|') : PLACEHOLDERS[kind];
  return [`--${name} ${formatPlaceholder(field, placeholder)}`, describeMeaning(field)];
};

const formatPlaceholder = ({ name, values, types, file }: CommandField, usual: string): string => {
  if (/(?:_ms|Ms)$/.test(name)) return '<TIME>';
  if (file) return '<FILE>';
  if (name === 'tabId') return '<TAB>';
  if (types?.includes('boolean') && !values) return '[=NAME]';
  return `<${usual}>`;
};

const MANY_CHARACTERS = 24;

const hasManyValues = ({ values = [] }: CommandField): boolean =>
  values.join('|').length > MANY_CHARACTERS;

const describeMeaning = (field: CommandField): string => {
  const { describe = '', kind, values = [], default: standard } = field;
  const isListed = hasManyValues(field) && !describe.includes(', ');
  const facts = [
    textIf(isListed, `one of ${values.join(', ')}`),
    textIf(kind === 'list', 'repeatable'),
    standard === undefined || kind === 'switch' || isEmpty(standard)
      ? ''
      : `default ${JSON.stringify(standard)}`,
  ].filter((fact) => fact !== '');
  return [describe, textIf(facts.length > 0, `(${facts.join('; ')})`)]
    .filter((part) => part !== '')
    .join(' ');
};

const isEmpty = (value: unknown): boolean => isObject(value) && Object.keys(value).length === 0;

const optionRow = ({ name, kind, placeholder, describe }: Option): HelpRow => [
  kind === 'switch' ? `--${name}` : `--${name} <${placeholder}>`,
  describe,
];

const configRow = ({ flag, kind, placeholder, describe }: ConfigUsage): HelpRow => [
  kind === 'switch' ? flag : `${flag} <${placeholder}>`,
  kind === 'list' ? `${describe} (repeatable)` : describe,
];

const joinSections = (parts: readonly string[]): string =>
  parts.filter((part) => part !== '').join('\n\n');

const renderExamples = (examples: readonly string[], columns: number): string => {
  if (examples.length === 0) return '';
  const lines = examples.flatMap((example) =>
    wrapText(example, columns - 4).map((line, i) => `${i === 0 ? '  ' : '    '}${line}`),
  );
  return `Examples:\n${lines.join('\n')}`;
};

/** Longer names get a line of their own. */
const MAX_NAME_WIDTH = 26;
/** With less space beside the names, the texts are below them. */
const MIN_TEXT_WIDTH = 24;

const nameWidth = (rows: readonly HelpRow[]): number =>
  Math.max(0, ...rows.map(([name]) => name.length).filter((length) => length <= MAX_NAME_WIDTH));

const renderRows = (
  title: string,
  rows: readonly HelpRow[],
  columns: number,
  width = nameWidth(rows),
): string => {
  if (rows.length === 0) return '';
  const isNarrow = columns - width - 4 < MIN_TEXT_WIDTH;
  const indent = ' '.repeat(isNarrow ? 6 : width + 4);
  const lines = rows.flatMap(([name, text]) => {
    const texts = text === '' ? [] : wrapText(text, columns - indent.length);
    if (isNarrow || name.length > width)
      return [
        ...wrapText(name, columns - 2).map((line) => `  ${line}`),
        ...texts.map((line) => `${indent}${line}`),
      ];
    const [first = '', ...more] = texts;
    return [`  ${name.padEnd(width)}  ${first}`, ...more.map((line) => `${indent}${line}`)];
  });
  return [...listIf(title !== '', `${title}:`), ...lines.map((line) => line.trimEnd())].join('\n');
};
