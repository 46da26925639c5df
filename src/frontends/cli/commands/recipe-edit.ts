// `openchrome recipe edit`: opens the file of a recipe in the user's editor, or creates it.
import { spawnSync } from 'node:child_process';
import { basename, dirname } from 'node:path';
import { fail, Failure } from '../../../core/failure.ts';
import { loadUserFile, deleteUserFile } from '../../../store/files/user-files.ts';
import { parseRecipe, Recipes } from '../../../store/recipes/recipes.ts';
import type { RunCommand } from '../command.ts';
import { missingWord, requireNoWords } from '../command-words.ts';

export const run: RunCommand = async ([name, ...more], { terminal, wiring }, command) => {
  if (name === undefined) throw missingWord(command, 'NAME');
  requireNoWords(command, more);
  const recipes = new Recipes(wiring.home.recipes, process.cwd());
  const existing = await findFile(recipes, name, terminal.interactive);
  const path = existing ?? (await createStub(recipes, name));
  const editor = findEditor();
  if (editor === undefined || !terminal.interactive) {
    terminal.out(path);
    return 0;
  }
  const stub = existing === undefined ? await loadUserFile(path) : undefined;
  try {
    runEditor(editor, path);
  } finally {
    if (stub !== undefined && (await loadUserFile(path)) === stub) {
      await deleteUserFile(path);
      terminal.err('The new recipe was not changed, and is not saved.');
    }
  }
  await parseRecipe(await loadUserFile(path), path); // reports what is wrong with the file
  return 0;
};

/** The file of a recipe, also of an invalid one; undefined if a new one can be created. */
const findFile = async (
  recipes: Recipes,
  name: string,
  canCreate: boolean,
): Promise<string | undefined> => {
  try {
    return (await recipes.require(name)).path;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const broken = await findBroken(recipes, name);
    if (error.code === 'recipe_invalid' && broken !== undefined) return broken;
    if (error.code !== 'recipe_not_found') throw error;
    if (canCreate) return undefined;
    const hint = 'Run this command in a terminal to create the recipe.';
    throw fail(error.code, error.message, { ...error.details, hint });
  }
};

const findBroken = async (recipes: Recipes, name: string): Promise<string | undefined> => {
  const { broken = [] } = await recipes.list();
  return broken.find(({ path }) => basename(path) === `${basename(name)}.yaml`)?.path;
};

/** `name`: NAME or SITE/NAME. */
const createStub = async (recipes: Recipes, name: string): Promise<string> => {
  const site = name.includes('/') ? dirname(name) : 'example.com';
  const steps = [{ open: `https://${site}/` }];
  return (await recipes.save({ name: basename(name), site, params: {}, steps }, false)).path;
};

/** A command with options, such as `code --wait`; an empty variable counts as not set. */
const findEditor = (): string | undefined =>
  process.env['VISUAL'] || process.env['EDITOR'] || undefined;

/** Throws if the editor does not start, or reports a failure. */
const runEditor = (editor: string, path: string): void => {
  const { status, error } =
    process.platform === 'win32'
      ? spawnSync(`${editor} "${path}"`, { stdio: 'inherit', shell: true })
      : spawnSync('sh', ['-c', `${editor} "$1"`, 'sh', path], { stdio: 'inherit' });
  if (status === 0) return;
  const reason = error?.message ?? (status === null ? 'was ended' : `ended with status ${status}`);
  throw fail('invalid_argument', `The editor "${editor.slice(0, 200)}" ${reason}.`, {
    argument: 'EDITOR',
    hint: `Set VISUAL or EDITOR to a command that exists; the file is ${path}.`,
  });
};
