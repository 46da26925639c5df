// The words behind a command that is no call of a tool.
import { findClosest } from '../../core/closest.ts';
import { fail } from '../../core/failure.ts';
import { type Command, formatDashed, formatCommandName } from './command.ts';

/** The command's own switches among the words, and what is left. */
export const takeSwitches = (
  { fields }: Command,
  words: readonly string[],
): { readonly on: ReadonlySet<string>; readonly rest: readonly string[] } => {
  const flags = new Map(fields.map(({ name }) => [`--${formatDashed(name)}`, name]));
  const on = new Set(words.flatMap((word) => flags.get(word) ?? []));
  return { on, rest: words.filter((word) => !flags.has(word)) };
};

/** Fails for any word: the command takes none. */
export const requireNoWords = (command: Command, words: readonly string[]): void => {
  const [word] = words;
  if (word === undefined) return;
  const meant = findClosest(
    word,
    command.fields.map(({ name }) => `--${formatDashed(name)}`),
  );
  throw fail(
    'invalid_argument',
    `${formatCommandName(command)} does not know "${word}"${meant === undefined ? '.' : `; did you mean ${meant}?`}`,
    {
      argument: word,
      hint: `Run "${formatCommandName(command)} --help" to see what it takes.`,
    },
  );
};
