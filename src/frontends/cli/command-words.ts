// Parses the words after a command that does not call a tool.
import { findClosest } from '../../core/closest.ts';
import { fail, type Failure } from '../../core/failure.ts';
import { type Command, formatDashed, formatCommandName } from './command.ts';

/** Returns the command's own switches and the remaining words. */
export const takeSwitches = (
  { fields }: Command,
  words: readonly string[],
): { readonly on: ReadonlySet<string>; readonly rest: readonly string[] } => {
  const flags = new Map(fields.map(({ name }) => [`--${formatDashed(name)}`, name]));
  const on = new Set(words.flatMap((word) => flags.get(word) ?? []));
  return { on, rest: words.filter((word) => !flags.has(word)) };
};

/** Throws if there is a word: the command takes none. */
export const requireNoWords = (command: Command, words: readonly string[]): void => {
  const [word] = words;
  if (word === undefined) return;
  const meant = findClosest(
    word,
    command.fields.map(({ name }) => `--${formatDashed(name)}`),
  );
  const end = meant === undefined ? '.' : `; did you mean ${meant}?`;
  throw fail('invalid_argument', `${formatCommandName(command)} does not know "${word}"${end}`, {
    argument: word,
    hint: `Run "${formatCommandName(command)} --help" to see what it takes.`,
  });
};

export const missingWord = (command: Command, label: string): Failure =>
  fail('invalid_argument', `${formatCommandName(command)} needs ${label}.`, {
    argument: label.toLowerCase(),
    hint: `For example: ${command.examples[0] ?? `${formatCommandName(command)} --help`}`,
  });
