// docs/cli.md: one line per command, and the help of the commands that do not call a tool.
import {
  type Command,
  formatCommandName,
  type ToolCommand,
} from '../../src/frontends/cli/command.ts';
import { isToolCommand, renderCommandHelp } from '../../src/frontends/cli/help.ts';
import { commands, renderHelpOfGroup } from '../../src/frontends/cli/program.ts';
import { type Section, SECTIONS } from '../../src/frontends/cli/verbs/verb.ts';
import { code, fence, table } from './markdown.ts';

const COLUMNS = 100;

/** Each failure's own status is in its row of the table of failures. */
const STATUSES: Readonly<Record<string, string>> = {
  0: 'success',
  1:
    'the command failed, or its answer is no: `find` without a match, `validate` with problems, ' +
    '`form` with a field that failed, `tasks wait` of a failed or cancelled task, a crawl whose ' +
    'start page could not be loaded',
  2: 'wrong arguments',
  3: 'the engine or Chrome cannot be reached',
  130: 'interrupted with Ctrl-C',
  141: 'the reader of the output has ended',
};

/** Every tool can be called by its name; its arguments are in tools.md. */
const isTold = ({ path, hidden }: Command): boolean => !hidden && path[0] !== 'call';

/** The flags of the configuration have a page of their own. */
const describeConfig = ({ configured }: Command): string => {
  if (configured === undefined) return '';
  if (configured === true) return '\n\nand every flag of [config.md](config.md).';
  return `\n\nand these flags of [config.md](config.md): ${configured.map(code).join(', ')}.`;
};

const sectionOf = (command: Command): string => {
  const help = fence(renderCommandHelp(command, [], COLUMNS));
  return `### ${formatCommandName(command)}\n\n${help}${describeConfig(command)}`;
};

const usageOf = (command: Command): string =>
  (renderCommandHelp(command, [], COLUMNS).split('\n')[0] ?? '').replace(
    /^Usage: openchrome | \[options\]$/g,
    '',
  );

const toolOf = ({ tool, fixed }: ToolCommand): string => {
  const shown =
    Object.keys(fixed).length === 0 || 'code' in fixed ? '' : ` ${JSON.stringify(fixed)}`;
  return code(`${tool}${shown}`);
};

const describeSection = (section: Section, all: readonly ToolCommand[]): string => {
  const rows = all
    .filter((command) => command.section === section)
    .map((command) => [code(usageOf(command)), command.summary, toolOf(command)]);
  const title = SECTIONS[section];
  return rows.length === 0
    ? ''
    : `### ${title}\n\n${table(['command', 'what it does', 'tool'], rows)}`;
};

export const cliPage = (): string => {
  const told = commands().filter(isTold);
  const own = told.filter((command) => !isToolCommand(command));
  const derived = told.filter(isToolCommand);
  const sections = (Object.keys(SECTIONS) as Section[])
    .map((section) => describeSection(section, derived))
    .filter((text) => text !== '');
  return `# Command line

Every command uses one background process (the daemon) with one Chrome. The first command starts
it; it ends with \`openchrome daemon stop\` or after an hour without work. Tabs and logins stay
between commands.

- **Output** is text, on a terminal and in a pipe: \`u=$(openchrome get url)\` has no quotes, and
  \`openchrome get text > page.md\` is the text of the page. Lists are tables. \`--json\` prints
  JSON for every command; \`call\` and \`extract\` print their data as JSON by default. Notes,
  progress and failures go to stderr.
- **Failures** are a sentence with a code and a hint on stderr. With \`--json\` they are the object
  of [errors.md](errors.md) on stdout.
- **A target** is a ref (\`e12\`), CSS (\`'#save'\`, \`css=button\`) or words (\`Sign in\`,
  \`text=e12\`). Words need no quotes.
- **Arguments** of a tool are flags (\`waitUntil\` is \`--wait-until\`); \`--args JSON\` sets the
  whole input, \`--args -\` reads it from stdin. A switch that is on by default is switched off with
  \`--no-\`. Times are written as \`500ms\`, \`30s\` or \`2m\`.
- **Tabs** have short ids (\`t1\`), which \`--tab\` accepts. A task is named by the first characters
  of its id.
- **Sessions**: \`--session NAME\` or \`OPENCHROME_SESSION\` selects a session with its own tabs.
- **Paths** are relative to the current folder and may be anywhere.
- **Stored results** (\`output\`, \`tasks\`, \`journal\`, \`network --detail\`) need neither daemon
  nor Chrome.
- \`openchrome browser VERB\` is an older form of \`openchrome VERB\` and still works.

${table(['exit status', 'meaning'], Object.entries(STATUSES))}

## Overview

${fence(renderHelpOfGroup([], COLUMNS))}

## Verbs

\`openchrome <command> --help\` lists the options of each command, with examples.

${sections.join('\n\n')}

## Other commands

${own.map(sectionOf).join('\n\n')}`;
};
