// docs/cli.md: the help of every command, as the command line prints it.
import { createProgram } from '../../src/frontends/cli/program.ts';
import { fence, table } from './markdown.ts';

const COLUMNS = 120;

/** Each failure's own status is in its row of the table. */
const STATUSES: Readonly<Record<string, string>> = {
  0: 'it worked',
  1: 'the tool or the check failed',
  2: 'the arguments are wrong',
  3: 'the engine or Chrome cannot be reached',
};

const nothing = async (): Promise<void> => {};

export const cliPage = (): string => {
  const program = createProgram({ serve: nothing, doctor: nothing, installBrowser: nothing, version: () => {} });
  const sections = [program, ...program.commands].map((command) => {
    command.configureOutput({ getOutHelpWidth: () => COLUMNS, getOutHasColors: () => false });
    const name = command === program ? 'openchrome' : `openchrome ${command.name()}`;
    return `## ${name}\n\n${fence(command.helpInformation().trim())}`;
  });
  return `# Command line

Data goes to stdout, progress and logs to stderr. A failure is the JSON object of [errors.md](errors.md) on stdout, or a sentence on stderr when
stdout is a terminal.

${table(['exit status', 'meaning'], Object.entries(STATUSES))}

${sections.join('\n\n')}`;
};
