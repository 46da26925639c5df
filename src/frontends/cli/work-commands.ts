// Commands for scripts, recipes, recordings and workers: arguments and help. `commands/` runs them.
import {
  type CommandField,
  JSON_SWITCH,
  defineCommand,
  type OwnCommand,
  type Positional,
} from './command.ts';

interface RecipeCommand {
  readonly words: string;
  readonly load?: OwnCommand['load'];
  readonly summary: string;
  readonly positionals: readonly Positional[];
  readonly fields: readonly CommandField[];
  readonly examples: readonly string[];
}

const RECIPE_NAME: Positional = {
  label: 'name',
  as: 'field',
  required: true,
  rest: false,
  describe: 'The name of the recipe',
};

const loadRecipeCommand: OwnCommand['load'] = () => import('./commands/recipe.ts');

const RECIPE_COMMANDS: readonly RecipeCommand[] = [
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
    positionals: [RECIPE_NAME],
    fields: [JSON_SWITCH],
    examples: ['openchrome recipe show order'],
  },
  {
    words: 'recipe run',
    summary: 'Replay a recipe, once or for each row of a table',
    positionals: [RECIPE_NAME],
    fields: [
      { name: 'param', kind: 'object', describe: 'The value of a parameter, as often as needed' },
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
    load: () => import('./commands/recipe-edit.ts'),
    summary: 'Open the file of a recipe in $EDITOR, or create it',
    positionals: [RECIPE_NAME],
    fields: [],
    examples: ['openchrome recipe edit order'],
  },
  {
    words: 'recipe export',
    summary: 'Print a recipe as a Playwright test or a Puppeteer script',
    positionals: [RECIPE_NAME],
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

export const WORK_COMMANDS: readonly OwnCommand[] = [
  defineCommand(
    'run',
    'work',
    'Run a JavaScript file that calls tools, with one function per tool',
    () => import('./commands/run.ts'),
    {
      description:
        'The code is the body of an async function: await navigate({url}), loops, conditions and ' +
        'return. args contains the values of --arg: NAME=TEXT is a text, NAME:=JSON any value. ' +
        'log() prints to stderr. Other options are those of "openchrome call script".',
      positionals: [
        {
          label: 'file',
          as: 'field',
          required: true,
          rest: false,
          describe: 'The file; - reads the code from stdin',
        },
      ],
      fields: [
        {
          name: 'arg',
          kind: 'object',
          describe: 'A text, or a value as JSON (count:=2), as often as needed',
        },
        { name: 'timeout_ms', kind: 'number', flag: 'timeout', describe: 'Deadline (2 minutes)' },
        JSON_SWITCH,
      ],
      examples: ['openchrome run prices.js --arg city=Oslo', 'openchrome run - < check.js'],
    },
  ),
  defineCommand(
    'batch',
    'work',
    'Run many commands in one process: one per line, results as JSON lines',
    () => import('./commands/run.ts'),
    {
      description:
        'Each line is a command ("click Sign in"), a JSON array of words, or ' +
        '{"tool": NAME, "args": {...}}. Prints one line of JSON per command: {line, ok, result} ' +
        'or {line, ok, error}. Stops at the first command that fails.',
      positionals: [
        {
          label: 'file',
          as: 'field',
          required: false,
          rest: false,
          describe: 'The file with the commands (default: stdin)',
        },
      ],
      fields: [
        { name: 'keep_going', kind: 'switch', describe: 'Continue after a command that failed' },
      ],
      examples: ['openchrome batch steps.txt', 'openchrome batch --keep-going < steps.txt'],
    },
  ),
  ...RECIPE_COMMANDS.map(({ words, summary, load = loadRecipeCommand, ...more }) =>
    defineCommand(words, 'work', summary, load, more),
  ),
  defineCommand(
    'record open',
    'work',
    'Open the replay of a recording',
    () => import('./commands/record-open.ts'),
    {
      positionals: [
        {
          label: 'folder',
          as: 'field',
          required: false,
          rest: false,
          describe: 'The folder of the recording (default: the newest in the home folder)',
        },
      ],
      fields: [JSON_SWITCH],
      examples: ['openchrome record open', 'openchrome record open login-recording'],
    },
  ),
  defineCommand(
    'evidence verify',
    'work',
    'Check an evidence bundle against its hashes',
    () => import('./commands/evidence-verify.ts'),
    {
      positionals: [
        {
          label: 'file',
          as: 'field',
          required: true,
          rest: false,
          describe: 'The .tar.gz file of the bundle',
        },
      ],
      fields: [JSON_SWITCH],
      examples: ['openchrome evidence verify bundle.tar.gz'],
    },
  ),
  defineCommand(
    'workers',
    'work',
    'List the live processes of a cluster, their load and their current work',
    () => import('./commands/workers.ts'),
    { configured: ['--cluster', '--log-level'], fields: [JSON_SWITCH] },
  ),
];
