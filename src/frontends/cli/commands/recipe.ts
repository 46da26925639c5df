// `openchrome recipe list|show|run|edit|export`: recipes of the project and of the home folder.
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { fail, Failure } from '../../../core/failure.ts';
import { loadUserFile } from '../../../store/files/user-files.ts';
import { formatRecipe, Recipes } from '../../../store/recipes/recipes.ts';
import { parseValue } from '../argument-values.ts';
import { takeSwitches, takeValues } from '../command-words.ts';
import { type CliContext, type Command, formatCommandName, type RunCommand } from '../command.ts';
import { INTERRUPTED_STATUS } from '../terminal.ts';

/** Parses CSV with a header line into records, with quotes and line breaks in quotes. Pure. */
export const parseCsvRows = (text: string): Record<string, string>[] => {
  const [names = [], ...rows] = splitRows(text).filter((row) => row.some((cell) => cell !== ''));
  return rows.map((row) => Object.fromEntries(names.map((name, i) => [name.trim(), row[i] ?? ''])));
};

const splitRows = (text: string): string[][] => {
  const rows: string[][] = [[]];
  let [cell, quoted] = ['', false];
  const endCell = (): void => {
    rows.at(-1)?.push(cell);
    cell = '';
  };
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (quoted && character === '"' && text.charAt(at + 1) === '"') cell += text.charAt(at++);
    else if (character === '"') quoted = !quoted;
    else if (quoted) cell += character;
    else if (character === ',') endCell();
    else if (character === '\n') {
      endCell();
      rows.push([]);
    } else if (character !== '\r') cell += character;
  }
  if (quoted) throw fail('invalid_argument', 'The table has a quote that is not closed.');
  endCell();
  return rows;
};

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

const callRecipes = (args: object, rest: readonly string[], context: CliContext): Promise<number> =>
  context.run(['call', 'oc_recipe', '--args', JSON.stringify(args), ...rest], context);

const takeName = (
  words: readonly string[],
  command: Command,
): { readonly name: string; readonly rest: readonly string[] } => {
  const at = words.findIndex((word) => !word.startsWith('-'));
  const name = words[at];
  if (name === undefined)
    throw fail('invalid_argument', `${formatCommandName(command)} needs NAME.`, {
      argument: 'name',
    });
  return { name, rest: words.toSpliced(at, 1) };
};

const runOnce: RecipeAction = async (words, context, command) => {
  const { values: files, rest: others } = takeValues('repeat', words);
  const { values, rest: more } = takeValues('param', others);
  const params = parseValue({ name: 'param', kind: 'object' }, values) as object;
  const [file] = files;
  if (file !== undefined) return runRows(file, params, more, context, command);
  const { name, rest } = takeName(more, command);
  return callRecipes({ run: name, params }, rest, context);
};

/** One run per row; stops at the first row that fails. */
const runRows = async (
  file: string,
  params: object,
  words: readonly string[],
  context: CliContext,
  command: Command,
): Promise<number> => {
  const keepsGoing = words.includes('--keep-going');
  const { name, rest } = takeName(
    words.filter((word) => word !== '--keep-going'),
    command,
  );
  let worst = 0;
  for (const row of parseCsvRows(await loadUserFile(resolve(file)))) {
    const status = await callRecipes({ run: name, params: { ...params, ...row } }, rest, context);
    if (status === INTERRUPTED_STATUS || (status !== 0 && !keepsGoing)) return status;
    worst = Math.max(worst, status);
  }
  return worst;
};

const edit: RecipeAction = async (words, { terminal, wiring }, command) => {
  const { name } = takeName(words, command);
  const recipes = new Recipes(wiring.home.recipes, process.cwd());
  const path = await findOrCreate(recipes, name);
  const editor = process.env['VISUAL'] ?? process.env['EDITOR'];
  if (editor === undefined || !terminal.interactive) {
    terminal.out(path);
    return 0;
  }
  const { status } = spawnSync(editor, [path], { stdio: 'inherit' });
  await recipes.require(name); // reports what is wrong with the file
  return status ?? 1;
};

const findOrCreate = async (recipes: Recipes, name: string): Promise<string> => {
  try {
    return (await recipes.require(name)).path;
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'recipe_not_found') throw error;
    const steps = [{ open: 'https://example.com/' }];
    const recipe = { name, site: 'example.com', params: {}, steps };
    return (await recipes.save(recipe, false)).path;
  }
};

const exportOne: RecipeAction = (words, context, command) => {
  const { values, rest: others } = takeValues('to', words);
  const { name, rest } = takeName(others, command);
  const [format = 'playwright'] = values;
  return callRecipes({ export: name, format }, rest, context);
};

/** The file is printed unchanged, without the daemon. */
const show: RecipeAction = async (words, { terminal, wiring }, command) => {
  const { on, rest } = takeSwitches(command, words);
  const { name } = takeName(rest, command);
  const { recipe } = await new Recipes(wiring.home.recipes, process.cwd()).require(name);
  terminal.out(on.has('json') ? JSON.stringify(recipe) : (await formatRecipe(recipe)).trimEnd());
  return 0;
};

const list: RecipeAction = async (words, { terminal, wiring }, command) => {
  const { on } = takeSwitches(command, words);
  const found = await new Recipes(wiring.home.recipes, process.cwd()).list();
  const { recipes, broken = [] } = found;
  if (on.has('json')) terminal.out(JSON.stringify(recipes));
  else if (recipes.length === 0) terminal.out('There is no recipe.');
  else
    for (const { name, site, params, steps } of recipes)
      terminal.out(`${name}  ${site}  ${steps} steps  ${params.join(', ')}`.trimEnd());
  for (const { path, problem } of broken) terminal.err(`${path}: ${problem}`);
  return 0;
};

const ACTIONS: Readonly<Record<string, RecipeAction>> = {
  list,
  show,
  run: runOnce,
  edit,
  export: exportOne,
};
