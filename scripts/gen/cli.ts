// docs/cli.md: every command in a line, and the help of those that are no tools, as the command
// line prints it.
import {
  type Command,
  formatCommandName,
  type ToolCommand,
} from '../../src/frontends/cli/command.ts';
import { isToolCommand, renderCommandHelp } from '../../src/frontends/cli/help.ts';
import { commands, renderHelpOfGroup } from '../../src/frontends/cli/program.ts';
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

/** The flags of the configuration have a page of their own. */
const sectionOf = (command: Command): string =>
  `### ${formatCommandName(command)}\n\n${fence(renderCommandHelp(command, [], COLUMNS))}${command.configured ? '\n\nand every flag of [config.md](config.md).' : ''}`;

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

export const cliPage = (): string => {
  const told = commands().filter(isTold);
  const own = told.filter((command) => !isToolCommand(command));
  const derived = told.filter(isToolCommand);
  return `# Command line

A shell has everything that an MCP host has: the commands are the tools, asked of one background daemon that is started when it is
first needed.

- **Output**: data goes to stdout, notes and progress to stderr. On a terminal it is the text that an agent would get, JSON in it laid out; where
  stdout is no terminal it is JSON (\`--format text|json\` says which). A reply that is plain text is a JSON string then: \`jq -r .\` gives it back.
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

${fence(renderHelpOfGroup([], COLUMNS))}

## The machine and the server

${own.map(sectionOf).join('\n\n')}

## Tools

\`openchrome <command> --help\` shows the arguments of each, with examples; they are those of the tool in [tools.md](tools.md).
\`openchrome call <tool>\` calls any tool by its name.

${table(
  ['command', 'what it does', 'tool'],
  derived.map((command) => [code(usageOf(command)), command.summary, toolOf(command)]),
)}`;
};
