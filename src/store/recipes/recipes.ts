// Recipe files: one YAML file each, in the project folder or per site in the home folder.
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { defined } from '../../core/defined.ts';
import type { WorkerPool, WorkerScript } from '../../core/worker-pool.ts';
import { fail, type Failure, getErrorMessage } from '../../core/failure.ts';
import { ensureFolderNow, openRegularFile } from '../../system/private-files.ts';
import { replaceFile } from '../../system/replace-file.ts';
import type { YamlAnswer } from '../workers/recipe-yaml.ts';
import { Recipe } from './recipe-schema.ts';

const MAX_RECIPE_BYTES = 1024 * 1024;
/** The folder inside a project. */
const PROJECT_FOLDER = join('.openchrome', 'recipes');

export interface RecipeEntry {
  readonly name: string;
  readonly site: string;
  readonly path: string;
  readonly description?: string;
  readonly params: readonly string[];
  readonly steps: number;
}

interface LoadedRecipe {
  readonly recipe: Recipe;
  readonly path: string;
}

export class Recipes {
  readonly #home: string;
  readonly #project: string | undefined;

  readonly #workers: WorkerPool | undefined;

  /**
   * `folder`: the client's folder, whose recipes take precedence. `workers`: threads for long
   * recipes; a process that does nothing else needs none.
   */
  constructor(home: string, folder: string | undefined, workers?: WorkerPool) {
    this.#workers = workers;
    this.#home = home;
    this.#project = folder === undefined ? undefined : join(folder, PROJECT_FOLDER);
  }

  /** Recipes that cannot be read are left out; `require` explains the reason. */
  async list(): Promise<RecipeEntry[]> {
    const loaded = await this.#loadAll();
    return loaded.map(({ path, recipe: { name, site, description, params, steps } }) =>
      defined({ name, site, path, description, params: Object.keys(params), steps: steps.length }),
    );
  }

  /** The recipes of `list`. */
  async loadAll(): Promise<Recipe[]> {
    return (await this.#loadAll()).map(({ recipe }) => recipe);
  }

  async #loadAll(): Promise<LoadedRecipe[]> {
    const byName = new Map<string, LoadedRecipe>();
    for (const path of await this.files()) {
      const recipe = await load(path, this.#workers).catch(() => undefined);
      if (recipe && !byName.has(recipe.name)) byName.set(recipe.name, { recipe, path });
    }
    return [...byName.values()];
  }

  /** The recipe and its file; throws if there is none, or if it is invalid. */
  async require(name: string): Promise<LoadedRecipe> {
    for (const path of await this.files())
      if (basename(path) === `${name}.yaml`)
        return { recipe: await load(path, this.#workers), path };
    const all = await this.#loadAll();
    const found = all.find(({ recipe }) => recipe.name === name);
    if (found) return found;
    const available = all.map(({ recipe }) => recipe.name);
    throw fail('recipe_not_found', `Unknown recipe "${name.slice(0, 100)}".`, { available });
  }

  /** Saves a recipe: in the project folder if it exists, otherwise in the home folder. */
  async save(given: Recipe, inProject: boolean): Promise<string> {
    const recipe = parse(given, given.name);
    const folder =
      inProject && this.#project !== undefined ? this.#project : join(this.#home, recipe.site);
    const path = join(folder, `${recipe.name}.yaml`);
    ensureFolderNow(dirname(path));
    await replaceFile(path, await formatRecipe(recipe));
    return path;
  }

  /** The paths of all recipe files; those of the project first. */
  async files(): Promise<string[]> {
    const project = this.#project === undefined ? [] : await listYaml(this.#project);
    const sites = await listNames(this.#home);
    const own = await Promise.all(sites.map((site) => listYaml(join(this.#home, site))));
    return [...project, ...own.flat()];
  }

  /** The folders that contain or will contain recipe files. */
  async folders(): Promise<string[]> {
    const sites = await listNames(this.#home);
    const own = [this.#home, ...sites.map((site) => join(this.#home, site))];
    return this.#project === undefined ? own : [this.#project, ...own];
  }
}

/** A missing folder has no recipes. */
const listNames = (folder: string): Promise<string[]> =>
  readdir(folder).then(
    (names) => names.sort(),
    () => [],
  );

const listYaml = async (folder: string): Promise<string[]> =>
  (await listNames(folder))
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => join(folder, name));

const load = async (path: string, workers: WorkerPool | undefined): Promise<Recipe> => {
  const file = await openRegularFile(path, MAX_RECIPE_BYTES);
  if (!file) throw fail('recipe_not_found', `The file ${path} does not exist.`);
  try {
    return await parseRecipe(await file.readFile('utf8'), path, workers);
  } finally {
    await file.close();
  }
};

export const formatRecipe = async (recipe: Recipe): Promise<string> => {
  const { formatYaml } = await import('./recipe-yaml.ts');
  return formatYaml(recipe);
};

/** The library needs up to 10 ms for a text of this length, whatever it contains. */
const MAX_INLINE_CHARS = 4 * 1024;
const PARSE_MS = 5_000;

const SCRIPT: WorkerScript = {
  name: 'recipe-yaml',
  loadSource: async () => (await import('worker-script:recipe-yaml')).default,
  maxHeapMb: 128,
};

export const parseRecipe = async (
  text: string,
  source: string,
  workers?: WorkerPool,
): Promise<Recipe> => {
  const value =
    workers && text.length > MAX_INLINE_CHARS
      ? await parseInThread(text, source, workers)
      : await parseHere(text, source);
  return parse(value, source);
};

const parseHere = async (text: string, source: string): Promise<unknown> => {
  const { parseYaml } = await import('./recipe-yaml.ts');
  try {
    return parseYaml(text);
  } catch (error) {
    if (isFailure(error)) throw error;
    throw invalid(source, getErrorMessage(error));
  }
};

/** Some texts with many errors take seconds. */
const parseInThread = async (
  text: string,
  source: string,
  workers: WorkerPool,
): Promise<unknown> => {
  const answer = await workers.run<YamlAnswer>(SCRIPT, text, {
    timeoutMs: PARSE_MS,
    onTimeout: () => invalid(source, 'it takes too long to parse'),
  });
  if ('value' in answer) return answer.value;
  throw fail('recipe_invalid', answer.problem);
};

const isFailure = (error: unknown): boolean => error instanceof Error && error.name === 'Failure';

const parse = (value: unknown, source: string): Recipe => {
  const { data, error } = Recipe.safeParse(value);
  if (data) return data;
  const [issue] = error.issues;
  throw invalid(source, `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}`);
};

const invalid = (source: string, reason: string): Failure =>
  fail('recipe_invalid', `${source} is not a recipe: ${reason}.`);
