// The real engine over our real HTTP transport, with the tools and resources that the official
// conformance suite asks for.
import { z } from 'zod';
import { createEngine } from '../../src/app.ts';
import { resolveConfig } from '../../src/core/config.ts';
import { fail } from '../../src/core/failure.ts';
import { resolveHome } from '../../src/core/home.ts';
import { sleep } from '../../src/core/time.ts';
import { serveHttp } from '../../src/frontends/mcp/http/server.ts';
import type { Prompt } from '../../src/features/recipe/recipe-prompts.ts';
import type { ResourceContent } from '../../src/features/resources/stored-resources.ts';
import type { Engine } from '../../src/pipeline/engine.ts';
import { defineTool, type Tool } from '../../src/toolkit/define-tool.ts';

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

const tool = (
  name: string,
  parts: Pick<Parameters<typeof defineTool>[0], 'run' | 'render'>,
): Tool =>
  defineTool({
    name,
    description: `Asked for by the conformance suite: ${name}.`,
    tier: 1,
    traits: TRAITS,
    input: () => ({}),
    examples: [{}],
    ...parts,
  });

const TOOLS: readonly Tool[] = [
  tool('test_simple_text', {
    run: () => 'This is a simple text response for testing.',
    render: (text) => String(text),
  }),
  tool('test_image_content', {
    run: () => ({}),
    render: () => ({ images: [{ data: PIXEL, mimeType: 'image/png' }] }),
  }),
  tool('test_error_handling', {
    run: () => {
      throw fail('script_error', 'This tool intentionally returns an error for testing.');
    },
  }),
  tool('test_tool_with_progress', {
    run: async (_, { progress, signal }) => {
      for (const done of [0, 50, 100]) {
        progress({ done, total: 100 });
        await sleep(50, signal); // the suite wants to see them one after the other
      }
      return 'Done.';
    },
    render: (text) => String(text),
  }),
  defineTool({
    name: 'greet',
    description: 'Greets, for the conformance suite.',
    tier: 1,
    traits: TRAITS,
    input: () => ({ name: z.string() }),
    examples: [{ name: 'Ada' }],
    run: ({ name }) => `Hello, ${name}!`,
    render: (text) => text,
  }),
  defineTool({
    name: 'slow_compute',
    description: 'Takes its time, for the conformance suite.',
    tier: 1,
    traits: { ...TRAITS, duration: 'job' },
    input: () => ({ seconds: z.number(), label: z.string().optional() }),
    examples: [{ seconds: 1 }],
    run: async ({ seconds }, { signal }) => {
      await sleep(seconds * 1000, signal);
      return { computed: seconds };
    },
  }),
  defineTool({
    name: 'failing_job',
    description: 'Fails after a second, for the conformance suite.',
    tier: 1,
    traits: { ...TRAITS, duration: 'job' },
    input: () => ({}),
    examples: [{}],
    run: async (_, { signal }) => {
      await sleep(1000, signal);
      throw fail('script_error', 'This job intentionally fails.');
    },
  }),
  defineTool({
    name: 'add_numbers',
    description: 'Adds two numbers, for the conformance suite.',
    tier: 1,
    traits: TRAITS,
    input: () => ({ a: z.number(), b: z.number() }),
    examples: [{ a: 1, b: 2 }],
    run: ({ a, b }) => ({ sum: a + b }),
  }),
];

const RESOURCES: Readonly<Record<string, ResourceContent>> = {
  'test://static-text': {
    text: 'This is the content of the static text resource.',
    mimeType: 'text/plain',
  },
  'test://static-binary': { blob: PIXEL, mimeType: 'image/png' },
};

const readTemplate = (uri: string): ResourceContent | undefined => {
  const [, id] = /^test:\/\/template\/(\w+)\/data$/.exec(uri) ?? [];
  if (id === undefined) return undefined;
  const data = { id, templateTest: true, data: `Data for ID: ${id}` };
  return { text: JSON.stringify(data), mimeType: 'application/json' };
};

const PROMPTS: readonly {
  readonly prompt: Prompt;
  readonly render: (given: Readonly<Record<string, string>>) => string;
}[] = [
  {
    prompt: {
      name: 'test_simple_prompt',
      title: 'Simple',
      description: 'A prompt without arguments.',
      arguments: [],
    },
    render: () => 'This is a simple prompt for testing.',
  },
  {
    prompt: {
      name: 'test_prompt_with_arguments',
      title: 'With arguments',
      description: 'A prompt with two arguments.',
      arguments: [
        { name: 'arg1', description: 'First test argument', required: true },
        { name: 'arg2', description: 'Second test argument', required: true },
      ],
    },
    render: ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
  },
];

const main = async (): Promise<void> => {
  const engine = createEngine({
    config: resolveConfig({ flags: process.argv.slice(2) }),
    home: resolveHome(),
    tools: TOOLS,
  });
  const mounted: Engine = {
    ...engine,
    resources: {
      list: async () =>
        Object.entries(RESOURCES).map(([uri, { mimeType }]) => ({ uri, name: uri, mimeType })),
      listTemplates: async () => [
        {
          uriTemplate: 'test://template/{id}/data',
          name: 'template',
          title: 'Template',
          description: 'A resource with a variable.',
        },
      ],
      read: async (uri) => RESOURCES[uri] ?? readTemplate(uri),
      complete: async () => [],
      watch: async () => ({ [Symbol.dispose]: () => {} }),
    },
    prompts: {
      list: async () => PROMPTS.map(({ prompt }) => prompt),
      render: async (name, given) => {
        const found = PROMPTS.find(({ prompt }) => prompt.name === name);
        if (!found) throw fail('recipe_not_found', 'There is no such prompt.');
        const text = found.render(given);
        const message = { role: 'user', content: { type: 'text', text } } as const;
        return { description: found.prompt.description, messages: [message] };
      },
      complete: async (_name, _argument, start) =>
        ['paris', 'park'].filter((value) => value.startsWith(start)),
      watch: async () => ({ [Symbol.dispose]: () => {} }),
    },
  };
  const server = await serveHttp(mounted);
  await new Promise<void>((resolve) => process.once('SIGTERM', () => resolve()));
  await server.close();
  await engine.stop();
  process.exit(0);
};

await main();
