// Renders the help of a command, of a command group, and of the program. Pure.
import type { ConfigUsage, UsageKind, UsageField } from '../../toolkit/usage.ts';
import {
  type Command,
  formatDashed,
  formatCommandName,
  type Positional,
  type ToolCommand,
} from './command.ts';
import { type Option, listOptions } from './cli-options.ts';

type HelpRow = readonly [name: string, text: string];

const PLACEHOLDERS: Readonly<Record<UsageKind, string>> = {
  text: 'TEXT',
  texts: 'TEXT',
  number: 'N',
  switch: '',
  scalar: 'VALUE',
  list: 'TEXT',
  numbers: 'N,N',
  object: 'JSON|NAME=VALUE',
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
  const own = command.fields.filter(({ name }) => !isEverywhere(name));
  const everywhere = command.fields.filter(({ name }) => isEverywhere(name));
  return sections([
    `Usage: ${usageLine(command)}`,
    description(command),
    rows(
      'Arguments',
      command.positionals.map((positional) => positionalRow(positional, command.fields)),
      columns,
    ),
    rows(
      'Options',
      [...own.map(fieldRow), ...(command.configured ? config.map(configRow) : [])],
      columns,
    ),
    isTool
      ? rows(
          'Options of every command',
          [
            ...everywhere.map(fieldRow),
            ...listOptions(command)
              .filter(({ name }) => !own.some((field) => formatDashed(field.name) === name))
              .map(optionRow),
          ],
          columns,
        )
      : '',
    isTool && command.stored !== true
      ? 'Flags of the configuration ("openchrome serve --help") hold for the daemon that is ' +
        'started where none runs.'
      : '',
    command.examples.length > 0
      ? `Examples:\n${command.examples.map((line) => `  ${line}`).join('\n')}`
      : '',
  ]);
};

export const renderGroupHelp = (
  path: readonly string[],
  says: string,
  entries: readonly HelpRow[],
  examples: readonly string[],
  columns: number,
): string => {
  const word = path.length === 0 ? '[command]' : '<command>';
  return sections([
    `Usage: ${formatCommandName({ path })} ${word} [options]`,
    says,
    rows('Commands', entries, columns),
    examples.length > 0 ? `Examples:\n${examples.map((line) => `  ${line}`).join('\n')}` : '',
    `Run "${formatCommandName({ path })} <command> --help" for more about one.`,
  ]);
};

const usageLine = (command: Command): string => {
  const places = command.positionals.map(({ label, required, rest }) => {
    const inside = `${formatDashed(label)}${rest ? '...' : ''}`;
    return required ? `<${inside}>` : `[${inside}]`;
  });
  return [formatCommandName(command), ...places, '[options]'].join(' ');
};

/** Arguments common to all tools are listed after the tool's own. */
const isEverywhere = (name: string): boolean =>
  ['taskId', 'timeout_ms', 'output_mode', 'output_inline_limit_bytes'].includes(name);

const description = ({ summary, description: more }: Command): string =>
  more === undefined || more.startsWith(summary)
    ? `${more ?? summary}${more === undefined ? '.' : ''}`
    : `${summary}.\n\n${more}`;

const positionalRow = (
  { label, as, describe }: Positional,
  fields: readonly UsageField[],
): HelpRow => {
  if (as === 'target')
    return [
      formatDashed(label),
      'A ref (e12), CSS (#save, css=button) or words ("Sign in", text=e12)',
    ];
  if (as === 'slot') return [formatDashed(label), label === 'selector' ? 'CSS' : 'Its name'];
  const field = fields.find(({ name }) => name === label);
  return [formatDashed(label), describe ?? (field ? meaning(field) : '')];
};

const fieldRow = (field: UsageField): HelpRow => {
  const { name, kind, values } = field;
  const flag = `--${formatDashed(name)}`;
  if (kind === 'switch')
    return [field.default === true ? `--no-${formatDashed(name)}` : flag, meaning(field)];
  const placeholder = values ? values.join('|') : PLACEHOLDERS[kind];
  return [`${flag} <${placeholder.length > 40 ? 'NAME' : placeholder}>`, meaning(field)];
};

const meaning = ({ describe = '', kind, values, default: standard }: UsageField): string => {
  const listed = values && values.join('|').length > 40 ? `one of ${values.join(', ')}` : '';
  const repeated = kind === 'list' ? 'repeatable' : '';
  const given =
    standard === undefined || kind === 'switch' || isEmpty(standard)
      ? ''
      : `default ${JSON.stringify(standard)}`;
  const facts = [listed, repeated, given].filter((fact) => fact !== '').join('; ');
  return [describe, facts === '' ? '' : `(${facts})`].filter((part) => part !== '').join(' ');
};

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

const optionRow = ({ name, kind, placeholder, describe }: Option): HelpRow => [
  kind === 'switch' ? `--${name}` : `--${name} <${placeholder}>`,
  describe,
];

const configRow = ({ flag, kind, placeholder, describe }: ConfigUsage): HelpRow => [
  kind === 'switch' ? flag : `${flag} <${placeholder}>`,
  kind === 'list' ? `${describe} (repeatable)` : describe,
];

const sections = (parts: readonly string[]): string =>
  parts.filter((part) => part !== '').join('\n\n');

/** Longer names get a line of their own. */
const NAME_WIDTH = 30;

const rows = (title: string, entries: readonly HelpRow[], columns: number): string => {
  if (entries.length === 0) return '';
  const width = Math.min(NAME_WIDTH, Math.max(...entries.map(([name]) => name.length)));
  const indent = ' '.repeat(width + 4);
  const lines = entries.flatMap(([name, text]) => {
    const wrapped = wrap(text, Math.max(30, columns - indent.length));
    const head =
      name.length > width
        ? [`  ${name}`, ...(text === '' ? [] : [`${indent}${wrapped[0] ?? ''}`])]
        : [`  ${name.padEnd(width)}  ${wrapped[0] ?? ''}`];
    return [...head, ...wrapped.slice(1).map((line) => `${indent}${line}`)].map((line) =>
      line.trimEnd(),
    );
  });
  return `${title}:\n${lines.join('\n')}`;
};

const wrap = (text: string, width: number): string[] => {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
};
