// A command that calls a tool and has arguments of its own, such as `recipe run`.
import {
  type CliContext,
  type Command,
  type CommandField,
  formatCommandName,
  type ToolCommand,
} from './command.ts';
import { isToolCommand } from './help.ts';

/**
 * The arguments of `command`, and those of the tool without `replaced`. The command's own arguments
 * are parsed as well; it must replace them before the call.
 */
export const extendToolCommand = (
  command: Command,
  tool: string,
  replaced: readonly string[],
  { program }: CliContext,
): ToolCommand => {
  const found = program.findCommand(['call', tool]);
  if (!('command' in found) || !isToolCommand(found.command))
    throw new Error(`${formatCommandName(command)} calls the unknown tool ${tool}`);
  const { data: _, ...call } = found.command;
  const words = command.positionals.map(({ label }): CommandField => ({
    name: label,
    kind: 'text',
  }));
  const own = [...command.fields, ...words];
  const names = [...replaced, ...own.map(({ name }) => name)];
  const fields = [...own, ...call.fields.filter(({ name }) => !names.includes(name))];
  return { ...call, ...command, fields };
};
