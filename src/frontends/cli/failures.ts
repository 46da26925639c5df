// Prints a failure: a sentence with flags and commands on stderr, or the JSON object on stdout.
import { type FailureBody, type FailureCode, FAILURES } from '../../core/failure.ts';
import type { HintReader } from '../../core/hint-text.ts';
import type { OutputFormat } from './cli-options.ts';
import {
  type Command,
  type CommandField,
  formatCommandName,
  formatDashed,
  formatFieldName,
  formatPlain,
  type ToolCommand,
} from './command.ts';
import { INTERRUPTED, INTERRUPTED_STATUS, type Terminal } from './terminal.ts';
import { isRecord } from './view-text.ts';

/** `crawl: "max_pages" must be ...` becomes `--max-pages must be ...`. */
const nameFlags = (message: string, command: ToolCommand): string =>
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

type FailureOnWire = { code: string; message: string; hint?: string } & Readonly<
  Record<string, unknown>
>;

export interface FailureContext {
  readonly format?: OutputFormat | undefined;
  /** The command that failed: messages name its flags. */
  readonly command?: Command | ToolCommand | undefined;
  /** Short ids of tabs, by tabId. */
  readonly tabs?: Readonly<Record<string, string>> | undefined;
}

const MAX_CHOICES = 8;

/** Lists of names that the message or the help already contains. */
const UNLISTED: readonly string[] = ['commands', 'known', 'settings'];

/**
 * Lists the choices (elements, tabs, options) in a failure's details; the message cannot name them
 * all.
 */
const listChoices = (error: FailureOnWire): readonly string[] =>
  Object.entries(error).flatMap(([name, value]) => {
    if (!Array.isArray(value) || value.length === 0 || UNLISTED.includes(name)) return [];
    const more = value.length - MAX_CHOICES;
    return [
      `${name.replaceAll('_', ' ')}:`,
      ...value.slice(0, MAX_CHOICES).map((item) => `  ${formatChoice(item)}`),
      ...(more > 0 ? [`  ... and ${more} more`] : []),
    ];
  });

/** `e3 button "Save"`: simple values in their order. */
const formatChoice = (item: unknown): string =>
  (isRecord(item) ? Object.values(item) : [item])
    .filter((value) => typeof value === 'string' || typeof value === 'number')
    .map(String)
    .join(' ');

const isToolCommand = (command: Command | undefined): command is ToolCommand =>
  command !== undefined && 'tool' in command;

/** The failure with the names of the command line: flags and commands. */
const nameForShell = (error: FailureOnWire, { command }: FailureContext): FailureOnWire => {
  if (error.code !== 'invalid_argument' || !isToolCommand(command)) return error;
  const help = `Run "${formatCommandName(command)} --help" to see its arguments.`;
  return { ...error, message: nameFlags(error.message, command), hint: error.hint ?? help };
};

/** Replaces the ids of tabs by their short ids. */
export const shortenTabIds = (text: string, tabs: Readonly<Record<string, string>> = {}): string =>
  Object.entries(tabs).reduce((shortened, [id, short]) => shortened.replaceAll(id, short), text);

/** `text`: the failure as JSON. Prints it and returns the exit status. */
export const printFailureText = (
  text: string,
  terminal: Terminal,
  context: FailureContext = {},
): number => {
  const error = nameForShell((JSON.parse(text) as { error: FailureOnWire }).error, context);
  if (context.format === 'json') terminal.out(JSON.stringify({ error }));
  else {
    const print = (line: string): void => terminal.err(shortenTabIds(line, context.tabs));
    const code = terminal.paintError('dim', `(${error.code})`);
    print(`${terminal.paintError('red', 'error:')} ${error.message} ${code}`);
    if (error.hint !== undefined) print(`  ${error.hint}`);
    for (const line of listChoices(error)) print(`  ${line}`);
  }
  return Object.hasOwn(FAILURES, error.code) ? FAILURES[error.code as FailureCode].exit : 1;
};

export const printFailure = (
  failure: { render(reader: HintReader): FailureBody },
  terminal: Terminal,
  context?: FailureContext,
): number => {
  const status = printFailureText(JSON.stringify(failure.render('shell')), terminal, context);
  return failure === INTERRUPTED ? INTERRUPTED_STATUS : status;
};
