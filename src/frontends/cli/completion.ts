// Shell completion: commands, options and values; the shell completes file names. Pure.
import usages from 'tool-usage';
import { textIf } from '../../core/text.ts';
import { type CliContext, type Command, type CommandField, formatFieldName } from './command.ts';
import { isToolCommand, listConfig } from './help.ts';
import { type Option, listOptions } from './cli-options.ts';

export interface Completion {
  readonly word: string;
  readonly says: string;
}

type Program = CliContext['program'];

/** Objects of the daemon and of the home folder; `complete` replaces them by their names. */
const LIVE_KINDS = [
  ':tabs',
  ':sessions',
  ':tasks',
  ':handles',
  ':hosts',
  ':logins',
  ':waiting',
] as const;
export type LiveKind = (typeof LIVE_KINDS)[number];

export const isLive = (word: string): word is LiveKind => LIVE_KINDS.includes(word as LiveKind);

/** Arguments whose values are such objects. */
const LIVE_FIELDS: Readonly<Record<string, LiveKind>> = {
  tabId: ':tabs',
  task_id: ':tasks',
  taskId: ':tasks',
  resume_from: ':tasks',
  output_handle: ':handles',
  session: ':sessions',
  login: ':logins',
};

/** Printed instead of completions: the shell script then completes file names. */
export const FILES = ':files';

const ask = (word: string, says = ''): Completion => ({ word, says: says.replace(/\s+/g, ' ') });

/** `words`: everything after `openchrome`; the last word is incomplete. */
export const listCompletions = (
  program: Program,
  words: readonly string[],
): readonly Completion[] => {
  const unfinished = words.at(-1) ?? '';
  const before = words.slice(0, -1);
  return candidates(program, before, unfinished).filter(
    ({ word }) => word === FILES || isLive(word) || word.startsWith(unfinished),
  );
};

const candidates = (
  program: Program,
  before: readonly string[],
  unfinished: string,
): readonly Completion[] => {
  const found = program.findCommand(before);
  if ('group' in found) {
    const words =
      found.words.length > 0
        ? []
        : program.listFollowingWords(found.group).map(([word, says]) => ask(word, says));
    return [...words, ask('--help', 'Print the help')];
  }
  const { command } = found;
  const [flag, inline] =
    unfinished.startsWith('--') && unfinished.includes('=')
      ? splitAtEquals(unfinished)
      : [before.at(-1), undefined];
  const awaited =
    flag !== undefined && flag.startsWith('--') ? valuesFor(command, flag) : undefined;
  if (awaited)
    return inline === undefined
      ? awaited
      : awaited.map(({ word, says }) => ask(word === FILES ? word : `${flag}=${word}`, says));
  if (unfinished.startsWith('-')) return flagsOf(command);
  return [...wordsWithin(program, command, found.words), ...placed(command, found.words)];
};

const splitAtEquals = (text: string): [string, string] => [
  text.slice(0, text.indexOf('=')),
  text.slice(text.indexOf('=') + 1),
];

/** A command name may also be the start of longer ones: `cookies`, `cookies set`. */
const wordsWithin = (program: Program, { path }: Command, words: readonly string[]): Completion[] =>
  words.length > 0 ? [] : program.listFollowingWords(path).map(([word, says]) => ask(word, says));

const flagsOf = (command: Command): Completion[] => [
  ...command.fields.map((field) => ask(flagOf(field), field.describe)),
  ...(isToolCommand(command)
    ? listOptions(command).map(({ name, describe }) => ask(`--${name}`, describe))
    : [ask('--help', 'Print the help')]),
  ...listConfig(command, usages.config).map(({ flag, describe }) => ask(flag, describe)),
];

const flagOf = (field: CommandField): string =>
  `--${textIf(field.kind === 'switch' && field.default === true, 'no-')}${formatFieldName(field)}`;

/** Returns the possible values of a flag; undefined if it takes no value or is unknown. */
const valuesFor = (command: Command, flag: string): Completion[] | undefined => {
  const field = command.fields.find((one) => `--${formatFieldName(one)}` === flag);
  const option = isToolCommand(command)
    ? listOptions(command).find(({ name }) => `--${name}` === flag)
    : undefined;
  if (field?.kind === 'switch' || (!field && option?.kind === 'switch')) return undefined;
  if (field || option) return [...valuesOf(field), ...valuesOf(option)];
  const config = usages.config.find((one) => one.flag === flag);
  return config && config.kind !== 'switch' ? [ask(FILES)] : undefined;
};

const valuesOf = (one: CommandField | Option | undefined): Completion[] => {
  if (!one) return [];
  const live = LIVE_FIELDS[one.name];
  if (live !== undefined) return [ask(live)];
  return 'file' in one && one.file ? [ask(FILES)] : (one.values ?? []).map((value) => ask(value));
};

/** Returns the possible values of the next positional argument. */
const placed = (command: Command, words: readonly string[]): Completion[] => {
  const given = words.filter((word) => !word.startsWith('-')).length;
  const { positionals } = command;
  const positional =
    positionals[given] ?? (positionals.at(-1)?.rest ? positionals.at(-1) : undefined);
  if (positional?.completes !== undefined) return [ask(positional.completes)];
  return valuesOf(command.fields.find(({ name }) => name === positional?.label));
};
