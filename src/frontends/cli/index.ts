// The `openchrome` command line: runs one command and returns its exit status.
import { findTypo } from '../../core/closest.ts';
import { fail, Failure, toFailure } from '../../core/failure.ts';
import { type CliContext, type Command, formatCommandName, type ToolCommand } from './command.ts';
import { runToolCommand } from './commands/tool.ts';
import { printFailure } from './failures.ts';
import { isToolCommand } from './help.ts';
import { moveLeadingFlags } from './leading-flags.ts';
import {
  renderHelpOfCommand,
  commands,
  findCommand,
  renderHelpOfGroup,
  listFollowingWords,
} from './program.ts';
import { createTerminal, type Terminal } from './terminal.ts';
import type { Wiring } from './wiring.ts';

const HELP_FLAGS = new Set<string>(['--help', '-h']);

export const runCli = async (
  argv: readonly string[],
  wiring: Wiring,
  terminal: Terminal = createTerminal(),
): Promise<number> => {
  try {
    return await runCommand(expandShortcuts(argv), {
      program: { commands, findCommand, listFollowingWords },
      wiring,
      terminal,
      run: runCommand,
    });
  } catch (error) {
    return printFailure(
      error instanceof Failure ? error : await reportDefect(error, terminal),
      terminal,
      { format: argv.includes('--json') ? 'json' : 'text', command: findFailed(argv) },
    );
  }
};

const findFailed = (argv: readonly string[]): Command | undefined => {
  const found = findCommand(expandShortcuts(argv));
  return 'command' in found ? found.command : undefined;
};

/** Loads the log module only when there is something to log. */
const reportDefect = async (error: unknown, terminal: Terminal): Promise<Failure> => {
  const { createLog } = await import('../../core/log.ts');
  const log = createLog({ level: 'error', write: (line) => terminal.err(line.trimEnd()) });
  return toFailure(error, (thrown) => log.defect(thrown));
};

const VERSION_FLAGS = new Set<string>(['--version', '-v']);

/** Maps `--version` and `-v` to the command `version`, and `help COMMAND` to `COMMAND --help`. */
const expandShortcuts = (given: readonly string[]): readonly string[] => {
  const argv = moveLeadingFlags(given);
  const [first = '', ...rest] = argv;
  if (first.startsWith('-') && argv.some((word) => VERSION_FLAGS.has(word)))
    return ['version', ...argv.filter((word) => !VERSION_FLAGS.has(word))];
  return first === 'help' ? [...rest, '--help'] : argv;
};

const runCommand = async (argv: readonly string[], context: CliContext): Promise<number> => {
  const found = findCommand(argv);
  const { terminal } = context;
  if ('group' in found) {
    if (isUnknownTool(found))
      return runToolCommand(unknownTool(found.words), found.words.slice(1), context);
    if (!asksForHelp(found.words) || found.words[0]?.startsWith('-') === false)
      throw unknownCommand(found.group, found.words[0]);
    terminal.out(renderHelpOfGroup(found.group, terminal.columns));
    return 0;
  }
  const { command, words } = found;
  if (asksForHelp(words)) {
    terminal.out(renderHelpOfCommand(command, terminal.columns));
    return 0;
  }
  if (isToolCommand(command)) return runToolCommand(command, words, context);
  const { run } = await command.load();
  return run(words, context, command);
};

/** The daemon decides whether a tool exists: it may run another version than this program. */
const isUnknownTool = ({
  group,
  words: [word],
}: {
  readonly group: readonly string[];
  readonly words: readonly string[];
}): boolean => group[0] === 'call' && word !== undefined && !word.startsWith('-');

const unknownTool = ([tool = '']: readonly string[]): ToolCommand => ({
  path: ['call', tool],
  tool,
  summary: tool,
  positionals: [],
  fields: [],
  fixed: {},
  examples: [],
});

const asksForHelp = (words: readonly string[]): boolean => {
  const end = words.indexOf('--');
  return (end < 0 ? words : words.slice(0, end)).some((word) => HELP_FLAGS.has(word));
};

const unknownCommand = (group: readonly string[], word: string | undefined): Failure => {
  const names = listFollowingWords(group).map(([name]) => name);
  const hint = `Run "${formatCommandName({ path: group })} --help" to see the commands.`;
  if (word === undefined || word.startsWith('-')) {
    const name = formatCommandName({ path: group });
    const message = `${name} needs a command: ${names.join(', ')}.`;
    return fail('invalid_argument', message, { commands: names, hint });
  }
  const meant = findTypo(word, names);
  const message = `There is no command "${[...group, word].join(' ').slice(0, 200)}"`;
  return fail(
    'invalid_argument',
    `${message}${meant === undefined ? '.' : `; did you mean ${[...group, meant].join(' ')}?`}`,
    {
      argument: word.slice(0, 200),
      commands: names,
      hint,
    },
  );
};
