// Recipes as MCP prompts: listed with their parameters, and rendered as the request to run them.
import { defined } from '../../core/defined.ts';
import { fail } from '../../core/failure.ts';
import { textIf } from '../../core/text.ts';
import type { WorkerPool } from '../../core/worker-pool.ts';
import type { Recipe } from '../../store/recipes/recipe-schema.ts';
import { watchRecipes } from '../../store/recipes/recipe-watch.ts';
import { Recipes } from '../../store/recipes/recipes.ts';
import { resolveParams } from './recipe-params.ts';

interface PromptArgument {
  readonly name: string;
  readonly description?: string;
  readonly required: boolean;
}

export interface Prompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly PromptArgument[];
}

interface PromptMessage {
  readonly role: 'user';
  readonly content: { readonly type: 'text'; readonly text: string };
}

export interface RenderedPrompt {
  readonly description: string;
  readonly messages: readonly PromptMessage[];
}

/** The recipes of a home folder and of the client's folder. */
export class RecipePrompts {
  readonly #home: string;
  readonly #tool: string | undefined;

  readonly #workers: WorkerPool;

  /** `tool`: the tool that runs recipes; undefined if the owner has disabled it. */
  constructor(home: string, tool: string | undefined, workers: WorkerPool) {
    this.#home = home;
    this.#tool = tool;
    this.#workers = workers;
  }

  async list(folder: string): Promise<readonly Prompt[]> {
    if (this.#tool === undefined) return [];
    const recipes = await this.#open(folder).loadAll();
    return recipes.map(({ id, recipe }) => ({
      name: id,
      title: `Run ${recipe.name} on ${recipe.site}`,
      description: describeRecipe(recipe),
      arguments: Object.entries(recipe.params).map(([name, param]) =>
        defined({
          name,
          description: describeParam(param),
          required: param.default === undefined,
        }),
      ),
    }));
  }

  /**
   * Throws if the recipe is missing, or if an argument is missing or invalid. The text contains no
   * step, because steps contain names of elements, which the page has chosen.
   */
  async render(
    name: string,
    given: Readonly<Record<string, string>>,
    folder: string,
  ): Promise<RenderedPrompt> {
    if (this.#tool === undefined) throw fail('recipe_not_found', 'Recipes are disabled.');
    const { recipe } = await this.#open(folder).require(name);
    const params = resolveParams(recipe, given);
    const call = JSON.stringify({ run: name, params });
    const text =
      `Run the recipe "${recipe.name}" (${count(recipe.steps.length, 'step')} on ${recipe.site}): call ` +
      `${this.#tool} ${call}. Report the result and every healed step. If the recipe stops, report ` +
      'the step, the reason and the steps that are done; do not repeat steps that may have had ' +
      'an effect.';
    return {
      description: describeRecipe(recipe),
      messages: [{ role: 'user', content: { type: 'text', text } }],
    };
  }

  /** Known values of a parameter that start with the given text. */
  async complete(
    name: string,
    parameter: string,
    start: string,
    folder: string,
  ): Promise<readonly string[]> {
    const { recipe } = await this.#open(folder).require(name);
    const param = Object.hasOwn(recipe.params, parameter) ? recipe.params[parameter] : undefined;
    return param ? listValues(param).filter((value) => value.startsWith(start)) : [];
  }

  watch(folder: string, onChange: () => void): Promise<Disposable> {
    return watchRecipes(this.#open(folder), onChange);
  }

  #open(folder: string): Recipes {
    return new Recipes(this.#home, folder, this.#workers);
  }
}

type RecipeParam = Recipe['params'][string];

const count = (number: number, noun: string): string =>
  `${number} ${noun}${textIf(number !== 1, 's')}`;

const describeRecipe = ({ description, site, steps }: Recipe): string =>
  description ?? `Repeats ${count(steps.length, 'recorded step')} on ${site}.`;

const describeParam = ({ type, default: value, description }: RecipeParam): string => {
  const fallback = value === undefined ? '' : `, default ${JSON.stringify(value)}`;
  return `${description === undefined ? '' : `${description} `}(${type}${fallback})`;
};

const listValues = ({ type, default: value, values = [] }: RecipeParam): readonly string[] => {
  const known = type === 'boolean' ? ['true', 'false'] : values.map(String);
  const first = value === undefined ? [] : [String(value)];
  return [...new Set([...first, ...known])];
};
