// expand_tools: the schemas of tools by name or by words, for clients whose list does not change.
import { z } from 'zod';
import { byLikeness } from '../../core/closest.ts';
import { inputSchemaOf } from '../../toolkit/describe.ts';
import { defineTool, type Tool } from '../../toolkit/define-tool.ts';

/** How well a tool fits the words: whole names count most, then words of the name, then of the description. */
const score = (tool: Tool, words: readonly string[]): number => {
  const name = tool.name.toLowerCase();
  const text = tool.description.toLowerCase();
  return words.reduce((sum, word) => sum + (name === word ? 10 : name.includes(word) ? 4 : text.includes(word) ? 1 : 0), 0);
};

export const expandTools = defineTool({
  name: 'expand_tools',
  description:
    'Find tools that are not in your list and get their full schemas, by exact names or by words ("cookies", "record a video"). Without arguments: all tool names with their first sentence. Every tool can be called whether listed or not.',
  tier: 1,
  traits: { effect: 'read', scope: 'none', observation: true, duration: 'instant', dialog: 'allowed', timeoutMs: 5_000, core: true },
  input: () => ({
    names: z.array(z.string().min(1)).max(50).optional(),
    query: z.string().min(1).max(500).optional(),
    limit: z.number().int().min(1).max(50).default(5),
  }),
  examples: [{ query: 'cookies' }, { names: ['emulate'] }],
  run: ({ names, query, limit }, { rooms: { tools } }) => {
    if (names === undefined && query === undefined) {
      return { tools: tools.map(({ name, tier, description }) => ({ name, tier, about: description.split('. ')[0] })) };
    }
    const words = (query ?? '')
      .toLowerCase()
      .split(/[^a-z0-9_]+/)
      .filter((word) => word.length > 1);
    const named = tools.filter(({ name }) => names?.includes(name));
    const found = tools
      .filter((tool) => !named.includes(tool) && score(tool, words) > 0)
      .sort((a, b) => score(b, words) - score(a, words))
      .slice(0, limit);
    const missing = (names ?? []).filter((name) => !tools.some((tool) => tool.name === name));
    const known = tools.map(({ name }) => name);
    return {
      tools: [...named, ...found].map((tool) => ({ name: tool.name, description: tool.description, inputSchema: inputSchemaOf(tool) })),
      ...(missing.length ? { not_found: missing.map((name) => ({ name, closest: byLikeness(name, known)[0] })) } : {}),
    };
  },
});
