// An engine without a browser: a handful of tools that do on purpose what real ones do by chance.
import { z } from 'zod';
import type { Config } from '../../src/core/config.ts';
import { fail, Failure, toFailure } from '../../src/core/failure.ts';
import { createLog } from '../../src/core/log.ts';
import { abortable } from '../../src/core/time.ts';
import type { CallRequest, Reply } from '../../src/pipeline/call.ts';
import type { Engine } from '../../src/pipeline/engine.ts';
import type { Progress } from '../../src/toolkit/context.ts';
import { defineTool, type Tool } from '../../src/toolkit/define-tool.ts';

interface FixtureContext {
  readonly signal: AbortSignal;
  readonly progress: (progress: Progress) => void;
  readonly note: (line: string) => void;
}

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const TRAITS = {
  effect: 'read',
  scope: 'none',
  observation: true,
  duration: 'instant',
  dialog: 'allowed',
  timeoutMs: 30_000,
} as const;

/** `aborts` receives the codes with which endless calls were aborted. */
const createTools = (aborts: string[]): Tool[] => [
  defineTool({
    name: 'echo',
    description: 'Says what it was told. Not for sums: use sum.',
    tier: 1,
    traits: { ...TRAITS, core: true },
    input: () => ({
      text: z.string().describe('What to say'),
      times: z.number().int().min(1).default(1),
    }),
    examples: [{ text: 'hello' }],
    run: ({ text, times }) => text.repeat(times),
    render: (text) => text,
  }),
  defineTool({
    name: 'sum',
    description: 'Adds two numbers.',
    tier: 1,
    traits: { ...TRAITS, effect: 'act', scope: 'browser' },
    input: () => ({ a: z.number(), b: z.number() }),
    examples: [{ a: 1, b: 2 }],
    run: ({ a, b }) => ({ sum: a + b }),
  }),
  defineTool({
    name: 'picture',
    description: 'Shows a picture and leaves two notes.',
    tier: 1,
    traits: TRAITS,
    input: () => ({}),
    examples: [{}],
    run: (_, context) => {
      (context as unknown as FixtureContext).note('the first note\nis one line');
      (context as unknown as FixtureContext).note('the second note');
      return 'A pixel.';
    },
    render: (text) => ({ text, images: [{ data: PIXEL, mimeType: 'image/png' }] }),
  }),
  defineTool({
    name: 'misplace',
    description: 'Names a tab that is not there.',
    tier: 1,
    traits: TRAITS,
    input: () => ({}),
    examples: [{}],
    run: () => {
      throw fail('tab_not_found', 'There is no such tab.', { tabs: ['A', 'B'] });
    },
  }),
  defineTool({
    name: 'defect',
    description: 'Has a bug.',
    tier: 1,
    traits: TRAITS,
    input: () => ({}),
    examples: [{}],
    run: () => {
      throw new TypeError('a secret of the implementation');
    },
  }),
  defineTool({
    name: 'forever',
    description: 'Never ends by itself.',
    tier: 1,
    traits: TRAITS,
    input: () => ({}),
    examples: [{}],
    run: async (_, context) => {
      const { signal, progress } = context as unknown as FixtureContext;
      progress({ done: 1, total: 2, message: 'on my way' });
      try {
        await abortable(new Promise(() => {}), signal);
      } catch (error) {
        aborts.push((error as Failure).code);
        throw error;
      }
    },
  }),
  defineTool({
    name: 'count',
    description: 'Counts and says how far it is.',
    tier: 1,
    traits: TRAITS,
    input: () => ({ to: z.number().int() }),
    examples: [{ to: 3 }],
    run: async ({ to }, context) => {
      const { progress } = context as unknown as FixtureContext;
      for (let done = 1; done <= to; done++) {
        progress({ done, total: to, message: `${done} of ${to}` });
        progress({ done: done - 1, total: to });
        await Promise.resolve();
      }
      return { counted: to };
    },
  }),
  defineTool({
    name: 'aborts',
    description: 'How calls of forever ended.',
    tier: 2,
    traits: TRAITS,
    input: () => ({}),
    examples: [{}],
    run: () => ({ aborts: [...aborts] }),
  }),
];

export const createFixtureEngine = (config: Config, onStop: () => void = () => {}): Engine => {
  const log = createLog({ level: config.logLevel, write: () => {} });
  const tools = createTools([]);
  return {
    config,
    log,
    tools,
    tasks: { running: 0 } as never, // no tool here is long-running
    waiting: () => Promise.reject(new Error('no tool here asks the user')),
    takeOver: () => Promise.reject(new Error('this engine has no browser')),
    resources: {
      list: async () => [
        {
          uri: 'openchrome://output/oh_1',
          name: 'oh_1',
          mimeType: 'application/json',
          description: 'A stored result',
        },
      ],
      listTemplates: async () => [],
      complete: async () => [],
      watch: async () => undefined,
      read: async (uri) =>
        uri === 'openchrome://output/oh_1'
          ? { text: '{"stored":true}', mimeType: 'application/json' }
          : undefined,
    },
    prompts: {
      list: async () => [],
      complete: async () => [],
      render: () => Promise.reject(fail('recipe_not_found', 'There are no recipes here.')),
      watch: async () => ({ [Symbol.dispose]: () => {} }),
    },
    call: async (request) => {
      const notes: string[] = [];
      try {
        return { images: [], notes, ...(await answer(tools, request, notes)) };
      } catch (error) {
        return { failure: toFailure(error, (defect) => log.defect(defect)), images: [], notes };
      }
    },
    replyWithResult: async ({ result }) => ({
      text: JSON.stringify(result),
      images: [],
      notes: [],
    }),
    health: () => ({ state: 'not_started', starts: 0, tabs: 0, sessions: [] }),
    listTabs: () => [],
    admitHost: () => async () => {},
    stop: async () => onStop(),
  };
};

const answer = async (
  tools: readonly Tool[],
  request: CallRequest,
  notes: string[],
): Promise<Partial<Reply>> => {
  const tool = tools.find(({ name }) => name === request.name);
  if (!tool) throw fail('unknown_tool', `There is no tool "${request.name}".`);
  const call = tool.parse(request.arguments ?? {}, ({ issues: [issue] }) =>
    fail('invalid_argument', issue?.message ?? '', { argument: issue?.path.join('.') }),
  );
  const context: FixtureContext = {
    signal: request.signal ?? new AbortController().signal,
    progress: (progress) => request.onProgress?.(progress),
    note: (line) => notes.push(line),
  };
  const result = await call.run(context as never);
  const view = await result.render(async (input) => input);
  return view.json === undefined ? view : { text: JSON.stringify(view.json), json: view.json };
};
