// docs/cli.md: every command with its help, as the command line prints it.
import { ALIASES } from '../../src/frontends/cli/aliases.ts';
import { type Command, nameOf } from '../../src/frontends/cli/command.ts';
import { isToolCommand } from '../../src/frontends/cli/help.ts';
import { commandHelp, commands, groupHelp } from '../../src/frontends/cli/program.ts';
import { code, fence, table } from './markdown.ts';

const COLUMNS = 120;

/** Each failure's own status is in its row of the table of failures. */
const STATUSES: Readonly<Record<string, string>> = {
  0: 'it worked',
  1: 'the tool or the check failed',
  2: 'the arguments are wrong',
  3: 'the engine or Chrome cannot be reached',
  130: 'Ctrl-C: the work was cancelled',
  141: 'whoever read the output went away',
};

/** Every tool can be called by its name; its arguments are in tools.md. */
const isTold = ({ path, hidden }: Command): boolean => !hidden && path[0] !== 'call';

const sectionOf = (command: Command): string => `### ${nameOf(command)}\n\n${fence(commandHelp(command, COLUMNS))}`;

export const cliPage = (): string => {
  const told = commands().filter(isTold);
  const own = told.filter((command) => !isToolCommand(command));
  const derived = told.filter(isToolCommand);
  return `# Command line

A shell has everything that an MCP host has: the commands are the tools, asked of one background daemon that is started when it is
first needed.

- **Output**: data goes to stdout, notes and progress to stderr. On a terminal it is the text that an agent would get; where stdout is
  no terminal it is JSON (\`--format text|json\` says which). A reply that is plain text is a JSON string then: \`jq -r .\` gives it back.
- **Failures** are the JSON object of [errors.md](errors.md) on stdout, or a sentence on stderr when stdout is a terminal.
- **Arguments** of a tool are flags of the same name (\`waitUntil\` is \`--wait-until\`), or one object with \`--json\`. A switch that is on by
  itself is switched off with \`--no-\`. Where a tool has a \`format\` of its own, \`--format\` takes its values too (\`--tool-format\` never
  means ours).
- **A target** is a ref (\`e12\`), CSS (\`#save\`, \`css=button\`) or words (\`Sign in\`, \`text=e12\`).
- **Sessions**: \`--session NAME\` or \`OPENCHROME_SESSION\` names a workspace with tabs of its own.
- **Stored things** (\`output\`, \`tasks list|show|wait|logs\`, \`journal\`, \`browser network --detail\`) need neither daemon nor Chrome.
- **Pictures** without a path are saved in the downloads folder of the home folder; their path is printed.

${table(['exit status', 'meaning'], Object.entries(STATUSES))}

## Overview

${fence(groupHelp([], COLUMNS))}

The short names, and the tools behind them:

${table(
  ['command', 'tool', 'with'],
  ALIASES.map(({ words, tool, takes = '', fixed = {} }) => [
    code(`${words}${takes === '' ? '' : ` ${takes}`}`),
    code(tool),
    Object.keys(fixed).length === 0 || 'code' in fixed ? '' : code(JSON.stringify(fixed)),
  ]),
)}

\`openchrome call <tool>\` calls any tool by its name, with its arguments as flags or as \`--json\`; see [tools.md](tools.md).

## The machine and the server

${own.map(sectionOf).join('\n\n')}

## Tools

${derived.map(sectionOf).join('\n\n')}`;
};
