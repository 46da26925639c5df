// Recipe files: one YAML file each, in the project folder or per site in the home folder.
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { defined, valueIf } from '../../core/defined.ts';
import type { WorkerPool, WorkerScript } from '../../core/worker-pool.ts';
import { fail, Failure, getErrorMessage } from '../../core/failure.ts';
import { parseUrl } from '../../core/text.ts';
import { ensureFolderNow, openRegularFile } from '../../system/private-files.ts';
import { replaceFile } from '../../system/replace-file.ts';
import type { YamlAnswer } from '../workers/recipe-yaml.ts';
import { invalidRecipe, parseRecipeValue } from './recipe-check.ts';
import type { Recipe } from './recipe-schema.ts';

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

/** A file in a folder of recipes that is not a valid recipe. */
export interface BrokenRecipe {
  readonly path: string;
  readonly problem: string;
}

export interface RecipeListing {
  readonly recipes: readonly RecipeEntry[];
  /** Absent if there is none. */
  readonly broken?: readonly BrokenRecipe[];
}

interface LoadedRecipe {
  readonly recipe: Recipe;
  readonly path: string;
}

interface RecipeFiles {
  /** One recipe per site and name: that of the project if both folders have it. */
  readonly loaded: readonly LoadedRecipe[];
  readonly broken: readonly { readonly path: string; readonly failure: Failure }[];
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

  async list(): Promise<RecipeListing> {
    const { loaded, broken } = await this.#load();
    const problems = broken.map(({ path, failure }) => ({
      path,
      problem: failure.message.replace(`${path} is not a recipe: `, ''),
    }));
    return defined({
      recipes: loaded.map(({ path, recipe: { name, site, description, params, steps } }) => {
        const facts = { params: Object.keys(params), steps: steps.length };
        return defined({ name, site, path, description, ...facts });
      }),
      broken: valueIf(problems.length > 0, problems),
    });
  }

  /** The valid recipes, each with the shortest id that `require` accepts. */
  async loadAll(): Promise<readonly { readonly id: string; readonly recipe: Recipe }[]> {
    const { loaded } = await this.#load();
    const recipes = loaded.map(({ recipe }) => recipe);
    return recipes.map((recipe) => ({ id: chooseId(recipe, recipes), recipe }));
  }

  async #load(paths?: readonly string[]): Promise<RecipeFiles> {
    const byId = new Map<string, LoadedRecipe>();
    const broken: RecipeFiles['broken'][number][] = [];
    for (const path of paths ?? (await this.files())) {
      try {
        const recipe = await load(path, this.#workers);
        const id = `${recipe.site}/${recipe.name}`;
        if (!byId.has(id)) byId.set(id, { recipe, path });
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        broken.push({ path, failure: error });
      }
    }
    return { loaded: [...byId.values()], broken };
  }

  /** Finds NAME or SITE/NAME; the site `here` of the current page selects one of several. */
  async require(id: string, here?: string): Promise<LoadedRecipe> {
    const [, site, name = id] = /^([^/]+)\/([^/]+)$/.exec(id) ?? [];
    const { loaded, broken } = await this.#loadNamed(name);
    const isHere = loaded.some(({ recipe }) => recipe.site === here);
    const wanted = site ?? valueIf(isHere, here);
    const unreadable = broken.find(({ path }) => this.#mayBeOf(path, wanted));
    if (unreadable) throw unreadable.failure;
    const [found, another] = loaded.filter(({ recipe }) => recipe.site === (wanted ?? recipe.site));
    if (another) throw ambiguous(name, loaded);
    if (found) return found;
    const available = (await this.loadAll()).map((one) => one.id);
    throw fail('recipe_not_found', `Unknown recipe "${id.slice(0, 100)}".`, { available });
  }

  /** Recipes with this name, and broken files with this file name. */
  async #loadNamed(name: string): Promise<RecipeFiles> {
    const { loaded, broken } = await this.#load();
    return {
      loaded: loaded.filter(({ recipe }) => recipe.name === name),
      broken: broken.filter(({ path }) => basename(path) === `${name}.yaml`),
    };
  }

  /** A file of the home folder is in the folder of its site. */
  #mayBeOf(path: string, site: string | undefined): boolean {
    const folder = dirname(path);
    return site === undefined || folder === this.#project || basename(folder) === site;
  }

  /**
   * Saves a recipe in the project folder, or in the home folder. Throws if the saved file could not
   * be read again.
   */
  async save(given: Recipe, inProject: boolean): Promise<SavedRecipe> {
    const recipe = parseRecipeValue(given, given.name);
    const text = await formatRecipe(recipe);
    await parseRecipe(text, recipe.name, this.#workers);
    const folder =
      inProject && this.#project !== undefined ? this.#project : join(this.#home, recipe.site);
    const path = join(folder, `${recipe.name}.yaml`);
    const overwritten = await this.#requireOwnFile(path, recipe);
    ensureFolderNow(dirname(path));
    await replaceFile(path, text);
    return { path, overwritten };
  }

  /** Whether the file exists. Throws if it is not a file, or the recipe of another site. */
  async #requireOwnFile(path: string, { name, site }: Recipe): Promise<boolean> {
    const stats = await stat(path).catch(() => undefined);
    if (!stats) return false;
    if (!stats.isFile()) throw invalidRecipe(path, 'it is not a regular file');
    const { loaded } = await this.#load([path]);
    const other = loaded.find(({ recipe }) => recipe.name !== name || recipe.site !== site);
    if (!other) return true;
    const { recipe } = other;
    throw fail(
      'invalid_argument',
      `${path} contains the recipe "${recipe.name}" of ${recipe.site}: choose another name.`,
      { argument: 'name' },
    );
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

export interface SavedRecipe {
  readonly path: string;
  /** The file existed before. */
  readonly overwritten: boolean;
}

/** The site of the recipes for an address. */
export const formatSite = (address: string): string => {
  const host = parseUrl(address)?.hostname ?? '';
  return host.replaceAll(/[^a-zA-Z0-9.-]/g, '-') || 'any';
};

/** The name, with the site if several recipes have the name. */
const chooseId = ({ name, site }: Recipe, all: readonly Recipe[]): string =>
  all.some((one) => one.name === name && one.site !== site) ? `${site}/${name}` : name;

const ambiguous = (name: string, loaded: readonly LoadedRecipe[]): Failure =>
  fail('invalid_argument', `${loaded.length} recipes have the name "${name}".`, {
    hint: 'Name one of the candidates as SITE/NAME, or open a page of its site first.',
    candidates: loaded.map(({ recipe }) => `${recipe.site}/${recipe.name}`),
  });

const load = async (path: string, workers: WorkerPool | undefined): Promise<Recipe> => {
  const text = await readRecipeFile(path).catch((error: unknown) => {
    throw invalidRecipe(path, getErrorMessage(error));
  });
  if (text === undefined) throw fail('recipe_not_found', `The file ${path} does not exist.`);
  return parseRecipe(text, path, workers);
};

const readRecipeFile = async (path: string): Promise<string | undefined> => {
  await using file = await openRegularFile(path, MAX_RECIPE_BYTES);
  return file?.readFile('utf8');
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
  return parseRecipeValue(value, source);
};

const parseHere = async (text: string, source: string): Promise<unknown> => {
  const { parseYaml } = await import('./recipe-yaml.ts');
  try {
    return parseYaml(text);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw invalidRecipe(source, getErrorMessage(error));
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
    onTimeout: () => invalidRecipe(source, 'it takes too long to parse'),
  });
  if ('value' in answer) return answer.value;
  throw fail('recipe_invalid', answer.problem);
};
