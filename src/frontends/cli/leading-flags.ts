// Finds the command after flags: `openchrome --json state` is `openchrome state --json`. Pure.
import usages from 'tool-usage';
import { listOptions, SHORT_FLAGS } from './cli-options.ts';
import { findCommand } from './program.ts';

/** Whether a command follows the flags; without one, the flags are those of the MCP server. */
export const hasCommand = (argv: readonly string[]): boolean =>
  argv[findCommandIndex(argv)] !== undefined;

/** Moves the flags before the command behind its words. Without a command nothing moves. */
export const moveLeadingFlags = (argv: readonly string[]): readonly string[] => {
  const start = findCommandIndex(argv);
  if (start === 0 || argv[start] === undefined) return argv;
  const [flags, words] = [argv.slice(0, start), argv.slice(start)];
  const end = words.indexOf('--');
  return end < 0 ? [...words, ...flags] : [...words.slice(0, end), ...flags, ...words.slice(end)];
};

/** The position of the first word that is neither a flag nor the value of a flag. */
const findCommandIndex = (argv: readonly string[]): number => {
  let at = 0;
  while (argv[at]?.startsWith('-')) at += takesNextWord(argv[at] ?? '', argv[at + 1]) ? 2 : 1;
  return at;
};

/** A flag that only some commands know takes the next word, unless that word is a command. */
const takesNextWord = (flag: string, next: string | undefined): boolean => {
  if (next === undefined || flag.includes('=')) return false;
  const name = (SHORT_FLAGS[flag] ?? flag).replace(/^--(?:no-)?/, '');
  const option = OPTIONS.find((one) => one.name === name);
  if (option) return option.kind === 'value';
  const setting = usages.config.find((one) => one.flag === `--${name}`);
  return setting ? setting.kind !== 'switch' : !isCommandWord(next);
};

const OPTIONS = listOptions({ crawls: true });

const isCommandWord = (word: string): boolean => {
  const found = findCommand([word]);
  return 'command' in found || found.group.length > 0;
};
