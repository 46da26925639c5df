// oc_recipe: lists, shows, creates, runs and exports recipes.
import { z } from 'zod';
import { compact, defined, ifDefined } from '../../core/defined.ts';
import { fail } from '../../core/failure.ts';
import { getField, isUnknownArray, tryParseJson } from '../../core/json.ts';
import { exportRecipe, RECIPE_EXPORTS } from '../../features/recipe/export-recipe.ts';
import {
  addParams,
  buildRecipe,
  convertRequest,
  listSecretNames,
} from '../../features/recipe/recipe-sources.ts';
import { convertRecordedSteps } from '../../features/recipe/recorded-steps.ts';
import { convertCalls } from '../../features/recipe/task-calls.ts';
import { runRecipe } from '../../features/recipe/run-recipe.ts';
import type { RecordedStep } from '../../features/recording/kept-lines.ts';
import { buildCallValue, InnerEffects } from '../../features/script/inner-call.ts';
import { formatRecipe, formatSite, parseRecipe, Recipes } from '../../store/recipes/recipes.ts';
import type { Recipe, RecipeStep } from '../../store/recipes/recipe-schema.ts';
import type { Context } from '../../toolkit/context.ts';
import { defineTool } from '../../toolkit/define-tool.ts';
import { buildInnerArguments } from '../../toolkit/input-fields.ts';
import {
  listSourceCalls,
  requireRepeatable,
  requireValidSteps,
} from '../../toolkit/recipe-calls.ts';
import { markListedAs, markUndescribed, markUnlisted } from '../../toolkit/tool-description.ts';

const name = z.string().min(1).max(200).optional();

const input = () => ({
  run: markUndescribed(name.describe('Name')),
  params: markListedAs(
    z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
    { type: 'object' },
  ),
  from_task: name,
  from_recording: markUnlisted(name.describe('Folder with recording.json')),
  from_request: name.describe('Key'),
  source: markUnlisted(z.string().max(1_000_000).optional().describe('The YAML text to save')),
  name,
  show: markUnlisted(name.describe('Name of the recipe to show')),
  export: markUnlisted(name.describe('Name of the recipe to export')),
  format: markUnlisted(z.enum(RECIPE_EXPORTS).default('playwright')),
  project: markUnlisted(
    z.boolean().default(false).describe('Save in .openchrome/recipes of the folder'),
  ),
});

type RecipeInput = z.output<z.ZodObject<ReturnType<typeof input>>>;

/** True for calls that list, show or export recipes. */
const isReading = ({
  run,
  source,
  from_task,
  from_recording,
  from_request,
}: RecipeInput): boolean =>
  [run, source, from_task, from_recording, from_request].every((one) => one === undefined);

/** Arguments that each choose what the call does: only one can be given. */
const SOURCES = [
  'run',
  'show',
  'export',
  'source',
  'from_task',
  'from_recording',
  'from_request',
] as const;

export const ocRecipe = defineTool({
  name: 'oc_recipe',
  description:
    'Replay recorded steps without a model: run a recipe with params, or create one (name) from ' +
    'a task or a request. Without arguments: list.',
  help:
    'A step is one of: {open: url}, {action, target: {role, name, …}, value}, {wait: {…}} as in ' +
    'wait_for, {expect: {…}} as in expect, {request: {method, url, json}}, or {call: tool, args} ' +
    'of storage, cookies, emulate, handle_dialog, network and navigate. {{name}} is a parameter. ' +
    'SITE/NAME names a recipe if several sites have the name. All fields: docs/recipes.md.',
  keywords: 'replay macro automation workflow record repeat yaml',
  tier: 1,
  traits: {
    effect: (given) => (isReading(given) ? 'read' : 'act'),
    scope: 'browser',
    observation: (given) => isReading(given),
    duration: 'instant',
    dialog: 'allowed',
    timeoutMs: 300_000,
    makesCalls: true,
    runsPrompts: true,
    scripts: ['params', 'source'],
    large: true,
  },
  input,
  examples: [
    { run: 'approve-invoice', params: { who: 'Ada' } },
    { name: 'order', from_task: '0123456789abcdef' },
  ],
  prepare: (given) => {
    const names = SOURCES.filter((name) => given[name] !== undefined);
    if (names.length > 1)
      throw fail('invalid_argument', `Only one of ${names.join(', ')} can be given.`, {
        argument: names[1],
      });
    return given;
  },
  run: async (given, context) => {
    const { home, workers } = context.services;
    const recipes = new Recipes(home.recipes, context.folder ?? process.cwd(), workers);
    if (given.run !== undefined) return replay(recipes, given, context);
    if (given.show !== undefined) {
      const { recipe, path } = await recipes.require(given.show, findSite(context));
      return { path, source: await formatRecipe(recipe) };
    }
    if (given.export !== undefined) {
      const { recipe } = await recipes.require(given.export, findSite(context));
      return { source: exportRecipe(recipe, given.format) };
    }
    const source = await create(given, context);
    return source ? save(recipes, source, given.project, context) : recipes.list();
  },
  render: (data) => ('source' in data ? String(data.source) : { json: data }),
});

const createCall =
  (context: Context) =>
  (name: string, args: object): ReturnType<Context['services']['call']> => {
    const tool = context.services.tools.find((one) => one.name === name);
    const isInTab = tool && Object.hasOwn(tool.input.shape, 'tabId');
    return context.services.call({
      name,
      arguments: buildInnerArguments(
        tool,
        isInTab ? { ...args, ...defined({ tabId: context.tabId }) } : args,
        context,
      ),
      session: context.session.name,
      folder: context.folder,
      signal: context.signal,
      elicit: context.elicit,
    });
  };

const replay = async (
  recipes: Recipes,
  { run = '', params = {} }: RecipeInput,
  context: Context,
): Promise<object> => {
  const { recipe } = await recipes.require(run, findSite(context));
  requireValidSteps(recipe, context.services.tools);
  const effects = new InnerEffects();
  const steps: string[] = [];
  context.explainFailure(() => effects.explainFailure(steps, context.session));
  const inner = createCall(context);
  const call: typeof inner = (tool, args) => effects.observe(inner(tool, args));
  const done = await runRecipe(recipe, params, {
    call,
    repeat: async (name, args) => {
      requireRepeatable(context.services.tools, name, args);
      return call(name, args);
    },
    onStep: (step, count, total) => {
      steps.push(step);
      context.progress({ done: count, total, message: run });
    },
  });
  for (const line of done.healed) context.note(`[healed: ${line}]`);
  return done;
};

/** The site of the current page, if a tab is open. */
const findSite = ({ session, tabId }: Context): string | undefined => {
  const tab = tabId === undefined ? session.current : session.tabs.get(tabId);
  return ifDefined(tab, ({ url }) => formatSite(url));
};

interface NewRecipe {
  readonly recipe: Recipe;
  /** Recorded steps that the recipe does not contain. */
  readonly leftOut?: readonly string[];
}

const save = async (
  recipes: Recipes,
  { recipe, leftOut }: NewRecipe,
  inProject: boolean,
  { services, note }: Context,
): Promise<object> => {
  requireValidSteps(recipe, services.tools);
  const { path, overwritten } = await recipes.save(recipe, inProject);
  const secrets = listSecretNames(recipe);
  const missing = secrets.filter((one) => services.secrets.every((known) => known.name !== one));
  for (const secret of missing)
    note(
      `[the recipe needs the secret ${secret}, which is not defined: start the server with ` +
        '--secrets FILE that contains it, or change its name in the recipe]',
    );
  return {
    saved: path,
    name: recipe.name,
    steps: recipe.steps.length,
    ...compact({ overwritten, secrets, left_out: leftOut }),
  };
};

/** The recipe that the arguments describe; undefined if they describe none. */
const create = async (given: RecipeInput, context: Context): Promise<NewRecipe | undefined> => {
  if (given.source !== undefined)
    return { recipe: await parseSource(given.source, given.name, context) };
  const source = await collectSteps(given, context);
  if (!source) return undefined;
  if (given.name === undefined)
    throw fail('invalid_argument', 'A new recipe needs "name".', { argument: 'name' });
  const recipe = addParams(buildRecipe(given.name, source.steps), given.params ?? {});
  return defined({ recipe, leftOut: source.leftOut });
};

interface SourceSteps {
  readonly steps: readonly RecipeStep[];
  readonly leftOut?: readonly string[];
}

const parseSource = async (
  source: string,
  name: string | undefined,
  { services }: Context,
): Promise<Recipe> => {
  const recipe = await parseRecipe(source, 'source', services.workers);
  if (name === undefined || name === recipe.name) return recipe;
  throw fail('invalid_argument', `"name" is "${name}", but the source names "${recipe.name}".`, {
    argument: 'name',
  });
};

const collectSteps = async (
  { from_task, from_recording, from_request }: RecipeInput,
  context: Context,
): Promise<SourceSteps | undefined> => {
  if (from_task !== undefined)
    return { steps: convertCalls(await listSourceCalls(from_task, context.services)) };
  if (from_recording !== undefined) return loadRecording(from_recording, context);
  if (from_request === undefined) return undefined;
  const reply = await createCall(context)('network', { detail: from_request, raw: true });
  if (reply.failure) throw reply.failure;
  return { steps: convertRequest(buildCallValue(reply)) };
};

const loadRecording = async (folder: string, { allowFile }: Context): Promise<SourceSteps> => {
  const { loadUserFile } = await import('../../store/files/user-files.ts');
  const path = await allowFile(`${folder}/recording.json`);
  const steps = getField(tryParseJson(await loadUserFile(path)), 'steps');
  if (!isUnknownArray(steps))
    throw fail('recipe_invalid', `${path} is not the JSON file of a recording.`, {
      hint: 'Record with exports: ["json"].',
    });
  return convertRecordedSteps(steps as RecordedStep[]);
};
