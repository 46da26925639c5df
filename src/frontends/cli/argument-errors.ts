// Names flags and commands in the message of a rejected argument, where MCP names the tool. Pure.
import {
  type CommandField,
  formatCommandName,
  formatDashed,
  formatFieldName,
  formatPlain,
  type ToolCommand,
} from './command.ts';

/** `crawl: "max_pages" must be ...` becomes `--max-pages must be ...`. */
export const nameFlags = (message: string, command: ToolCommand): string =>
  withoutTool(message, command).replace(
    /"([A-Za-z_][\w.]{0,60})"/g,
    (quoted, argument: string) => findFlag(argument, command) ?? quoted,
  );

/** The tool whose arguments the command takes. */
const findToolName = ({ tool, within, path }: ToolCommand): string =>
  within === undefined ? tool : (path.at(-1) ?? tool);

/** `tabs {action: "select"} needs "tabId"`: the command has a fixed action. */
const ACTION = /^ \{action: "[a-z_]{1,20}"\}/;

const withoutTool = (message: string, command: ToolCommand): string => {
  const tool = findToolName(command);
  if (message.startsWith(`${tool}: `)) return message.slice(tool.length + 2);
  const rest = message.slice(tool.length);
  return message.startsWith(tool) && /^ [a-z{]/.test(rest)
    ? `${formatCommandName(command)}${rest.replace(ACTION, '')}`
    : message;
};

/** `fields.0.value` is a part of the argument `fields`. */
const findFlag = (argument: string, command: ToolCommand): string | undefined => {
  const [name = '', ...parts] = argument.split('.');
  const wanted = formatPlain(name);
  const field = command.fields.find((one) => formatPlain(one.name) === wanted);
  if (!field) return undefined;
  const inside = parts.length === 0 ? '' : ` (${parts.join('.')})`;
  return `${formatArgument(field, command)}${inside}`;
};

const TARGETS: readonly string[] = ['ref', 'selector', 'query'];

const formatArgument = (field: CommandField, { positionals }: ToolCommand): string => {
  const place = positionals.find(
    ({ label, as }) => label === field.name || (as === 'target' && TARGETS.includes(field.name)),
  );
  return place ? `<${formatDashed(place.label)}>` : `--${formatFieldName(field)}`;
};
