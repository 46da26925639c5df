// Parses the words after a command that does not call a tool.
import { findClosest } from '../../core/closest.ts';
import { fail } from '../../core/failure.ts';
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

/** Takes `--NAME VALUE` and `--NAME=VALUE` out of the words, as often as they occur. */
export const takeValues = (
  name: string,
  words: readonly string[],
): { readonly values: readonly string[]; readonly rest: readonly string[] } => {
  const flag = `--${name}`;
  const values: string[] = [];
  const rest: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (word.startsWith(`${flag}=`)) values.push(word.slice(flag.length + 1));
    else if (word === flag) values.push(requireNext(flag, words[++at]));
    else rest.push(word);
  }
  return { values, rest };
};

const requireNext = (flag: string, word: string | undefined): string => {
  if (word === undefined)
    throw fail('invalid_argument', `${flag} needs a value.`, { argument: flag });
  return word;
};
