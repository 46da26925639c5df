// `openchrome recipe list|show|run|export`: recipes of the project and of the home folder.
import { resolve } from 'node:path';
import usages from 'tool-usage';
import { fail, Failure } from '../../../core/failure.ts';
import { type RecipeParams, resolveParams } from '../../../features/recipe/recipe-params.ts';
import type { RecipeRun } from '../../../features/recipe/run-recipe.ts';
import { loadUserFile } from '../../../store/files/user-files.ts';
import { formatRecipe, Recipes } from '../../../store/recipes/recipes.ts';
import {
  type CliContext,
  type Command,
  formatCommandName,
  type RunCommand,
  type ToolCommand,
} from '../command.ts';
import { missingWord, requireNoWords, takeSwitches } from '../command-words.ts';
import { type CsvRow, parseCsvTable } from '../csv-table.ts';
import { extendToolCommand } from '../extend-tool-command.ts';
import { printFailureText } from '../failures.ts';
import { type Parsed, parseWords } from '../parse.ts';
import { type Printed, PrintedLines } from '../printed-lines.ts';
import { INTERRUPTED_STATUS, type Terminal } from '../terminal.ts';
import { renderData } from '../view-text.ts';
import { runParsedCommand } from './tool.ts';

type RecipeAction = (
  words: readonly string[],
  context: CliContext,
  command: Command,
) => Promise<number>;

export const run: RunCommand = (words, context, command) => {
  const action = ACTIONS[command.path[1] ?? ''];
  if (!action) throw new Error(`no function for ${formatCommandName(command)}`);
  return action(words, context, command);
};

const openRecipes = ({ wiring }: CliContext): Recipes =>
  new Recipes(wiring.home.recipes, process.cwd());

/** A command that calls the tool with arguments made of its own. */
interface RecipeCall {
  readonly command: ToolCommand;
  readonly parsed: Parsed;
  readonly name: string;
  readonly own: Readonly<Record<string, unknown>>;
  readonly context: CliContext;
}

/** The arguments of the tool that `command` replaces by its own. */
const REPLACED: readonly string[] = [
  ...['run', 'params', 'from_task', 'from_recording', 'from_request'],
  ...['source', 'name', 'show', 'export', 'format', 'project'],
];

const parseCall = (words: readonly string[], context: CliContext, command: Command): RecipeCall => {
  const call = extendToolCommand(command, 'oc_recipe', REPLACED, context);
  const parsed = parseWords(call, words, usages.config);
  const names = ['name', ...command.fields.map(({ name }) => name)];
  const [own, others] = [true, false].map((isOwn) =>
    Object.fromEntries(
      Object.entries(parsed.args).filter(([name]) => names.includes(name) === isOwn),
    ),
  ) as [Record<string, unknown>, Record<string, unknown>];
  const { name } = own;
  if (typeof name !== 'string') throw missingWord(command, 'NAME');
  return { command: call, parsed: { ...parsed, args: others }, name, own, context };
};

const send = (
  { command, parsed, context }: RecipeCall,
  args: Readonly<Record<string, unknown>>,
): Promise<number> =>
  runParsedCommand(command, { ...parsed, args: { ...parsed.args, ...args } }, context);

const runRecipe: RecipeAction = async (words, context, command) => {
  const call = parseCall(words, context, command);
  const { name, own } = call;
  const { param: params = {}, repeat } = own;
  if (typeof repeat === 'string') return repeatRecipe(call, repeat, params as RecipeParams);
  return send(call, { run: name, params });
};

/** One run per row of the table, after all rows have been checked. */
const repeatRecipe = async (
  call: RecipeCall,
  file: string,
  params: RecipeParams,
): Promise<number> => {
  const { name, own, parsed, context } = call;
  const rows = await loadRows(call, file, params);
  const statuses: number[] = [];
  for (const row of rows) {
    const status = await runRow(call, { run: name, params: { ...params, ...row.values } }, row);
    statuses.push(status);
    if (status === INTERRUPTED_STATUS || (status !== 0 && own['keep_going'] !== true)) break;
  }
  if (parsed.format !== 'json') context.terminal.err(describeRuns(statuses, rows.length));
  return Math.max(...statuses);
};

const describeRuns = (statuses: readonly number[], total: number): string => {
  const succeeded = statuses.filter((status) => status === 0).length;
  const left = total - statuses.length;
  const rest = left === 0 ? '' : `; ${left} ${left === 1 ? 'was' : 'were'} not run`;
  return `${succeeded} of ${total} rows succeeded${rest}.`;
};

/** Throws if the recipe would reject the values of a row. */
const loadRows = async (
  { name, context }: RecipeCall,
  file: string,
  params: RecipeParams,
): Promise<readonly CsvRow[]> => {
  const { names, rows } = parseCsvTable(await loadUserFile(resolve(file)), file);
  const { recipe } = await openRecipes(context).require(name);
  const known = Object.keys(recipe.params);
  const unknown = names.find((one) => !known.includes(one));
  if (unknown !== undefined)
    throw fail(
      'invalid_argument',
      `${file}: the recipe "${name}" has no parameter "${unknown.slice(0, 100)}".`,
      { argument: 'repeat', known, hint: `Each column is a parameter: ${known.join(', ')}` },
    );
  for (const { line, values } of rows)
    try {
      resolveParams(recipe, { ...params, ...values });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const { code, message, details } = error;
      throw fail(code, `${file}: Line ${line}: ${message}`, details);
    }
  return rows;
};

const runRow = async (
  call: RecipeCall,
  args: Readonly<Record<string, unknown>>,
  { line }: CsvRow,
): Promise<number> => {
  const { parsed, context, command } = call;
  const { terminal } = context;
  const lines = new PrintedLines(terminal);
  const status = await send(
    { ...call, parsed: { ...parsed, format: 'json' }, context: { ...context, terminal: lines } },
    args,
  );
  const printed = lines.describe(status);
  if (parsed.format === 'json') terminal.out(JSON.stringify({ line, ...printed }));
  else printRow(printed, line, terminal, command);
  return status;
};

const printRow = (
  { result, error, notes = [] }: Printed,
  line: number,
  terminal: Terminal,
  command: ToolCommand,
): void => {
  for (const note of notes) terminal.err(note);
  if (error === undefined) terminal.out(renderResult(line, result as RecipeRun));
  else {
    terminal.err(`Line ${line}:`);
    printFailureText(JSON.stringify({ error }), terminal, { command });
  }
};

const renderResult = (line: number, { steps, result }: RecipeRun): string => {
  const done = `Line ${line}: ${steps} ${steps === 1 ? 'step' : 'steps'}`;
  return result === undefined ? done : `${done}\n${renderData(result, Infinity)}`;
};

const exportRecipe: RecipeAction = (words, context, command) => {
  const call = parseCall(words, context, command);
  return send(call, { export: call.name, format: call.own['to'] ?? 'playwright' });
};

/** The file is printed unchanged, without the daemon. */
const show: RecipeAction = async (words, context, command) => {
  const { on, rest } = takeSwitches(command, words);
  const [name, ...more] = rest;
  if (name === undefined) throw missingWord(command, 'NAME');
  requireNoWords(command, more);
  const { recipe } = await openRecipes(context).require(name);
  context.terminal.out(
    on.has('json') ? JSON.stringify(recipe) : (await formatRecipe(recipe)).trimEnd(),
  );
  return 0;
};

const list: RecipeAction = async (words, context, command) => {
  const { on, rest } = takeSwitches(command, words);
  requireNoWords(command, rest);
  const { terminal } = context;
  const { recipes, broken = [] } = await openRecipes(context).list();
  if (on.has('json')) terminal.out(JSON.stringify(recipes));
  else if (recipes.length === 0) terminal.out('There is no recipe.');
  else
    for (const { name, site, params, steps } of recipes)
      terminal.out(
        `${name}  ${site}  ${steps} ${steps === 1 ? 'step' : 'steps'}  ${params.join(', ')}`.trimEnd(),
      );
  for (const { path, problem } of broken) terminal.err(`${path}: ${problem}`);
  return 0;
};

const ACTIONS: Readonly<Record<string, RecipeAction>> = {
  list,
  show,
  run: runRecipe,
  export: exportRecipe,
};
