// The `recipe` commands: their arguments and help; commands/recipe.ts runs them.
import type { CommandField, Positional } from './command.ts';

interface RecipeCommand {
  readonly words: string;
  readonly summary: string;
  readonly positionals: readonly Positional[];
  readonly fields: readonly CommandField[];
  readonly examples: readonly string[];
}

const JSON_SWITCH: CommandField = { name: 'json', kind: 'switch', describe: 'Print JSON' };

const NAME: Positional = {
  label: 'name',
  as: 'field',
  required: true,
  rest: false,
  describe: 'The name of the recipe',
};

export const RECIPE_COMMANDS: readonly RecipeCommand[] = [
  {
    words: 'recipe list',
    summary: 'List the recipes of the project and of the home folder',
    positionals: [],
    fields: [JSON_SWITCH],
    examples: ['openchrome recipe list'],
  },
  {
    words: 'recipe show',
    summary: 'Print the file of a recipe',
    positionals: [NAME],
    fields: [JSON_SWITCH],
    examples: ['openchrome recipe show order'],
  },
  {
    words: 'recipe run',
    summary: 'Replay a recipe, once or for each row of a table',
    positionals: [NAME],
    fields: [
      { name: 'param', kind: 'object', describe: 'NAME=VALUE, as often as needed' },
      {
        name: 'repeat',
        kind: 'text',
        file: true,
        describe: 'A CSV file: one run per row, its columns are parameters',
      },
      { name: 'keep_going', kind: 'switch', describe: 'Continue after a row that failed' },
      JSON_SWITCH,
    ],
    examples: [
      'openchrome recipe run order --param email=ada@x.org',
      'openchrome recipe run order --repeat customers.csv',
    ],
  },
  {
    words: 'recipe edit',
    summary: 'Open the file of a recipe in $EDITOR, or create it',
    positionals: [NAME],
    fields: [],
    examples: ['openchrome recipe edit order'],
  },
  {
    words: 'recipe export',
    summary: 'Print a recipe as a Playwright test or a Puppeteer script',
    positionals: [NAME],
    fields: [
      {
        name: 'to',
        kind: 'text',
        values: ['playwright', 'puppeteer'],
        describe: 'The library (default: playwright)',
      },
    ],
    examples: ['openchrome recipe export order > order.spec.ts'],
  },
];
