// expand_tools: returns tool schemas by name or words, for clients with a fixed tool list.
import { z } from 'zod';
import { defined, valueIf } from '../../core/defined.ts';
import { compareLikeness } from '../../core/closest.ts';
import { buildDocumentedSchema, markUnlisted } from '../../toolkit/tool-description.ts';
import { defineTool, type Tool } from '../../toolkit/define-tool.ts';

/** Words that are in most queries and describe no tool. */
const FILLERS = new Set(
  'a an the to of for in on and or with from my this that is it how do i can me page tool'.split(
    ' ',
  ),
);
/** Shorter words must be equal: "tab" is not "table". */
const MIN_PREFIX_CHARS = 4;

const splitWords = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word.length > 1);

/** True for equal words, or if one is a prefix of the other: "record" and "recording". */
const areAlike = (a: string, b: string): boolean => {
  if (a === b) return true;
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  return short.length >= MIN_PREFIX_CHARS && long.startsWith(short);
};

/** Scores one word: the tool's name counts most, then its parts, the keywords, the description. */
const scoreWord = (tool: Tool, word: string): number => {
  if (tool.name === word) return 10;
  if (splitWords(tool.name).some((part) => areAlike(part, word))) return 4;
  if (splitWords(tool.keywords ?? '').some((part) => areAlike(part, word))) return 3;
  return splitWords(tool.description).some((part) => areAlike(part, word)) ? 1 : 0;
};

const scoreTool = (tool: Tool, words: readonly string[]): number =>
  words.reduce((sum, word) => sum + scoreWord(tool, word), 0);

export const expandTools: Tool = defineTool({
  name: 'expand_tools',
  description:
    'Get the full schemas (all arguments) of tools, also of those not in your list, by names or ' +
    'words ("cookies"). Without arguments: all names. Every tool can be called.',
  tier: 1,
  traits: {
    effect: 'read',
    scope: 'none',
    observation: true,
    duration: 'instant',
    dialog: 'allowed',
    timeoutMs: 5_000,
    core: true,
  },
  input: () => ({
    names: z.array(z.string().min(1)).max(50).optional(),
    query: z.string().min(1).max(500).optional(),
    limit: markUnlisted(z.number().int().min(1).max(50).default(5)),
  }),
  examples: [{ query: 'cookies' }, { names: ['emulate'] }],
  run: ({ names, query, limit }, { services: { tools } }) => {
    if (names === undefined && query === undefined) {
      return {
        tools: tools.map(({ name, tier, description }) => ({
          name,
          tier,
          about: description.split('. ')[0],
        })),
      };
    }
    const words = [...(query ?? '').toLowerCase().split(/[^a-z0-9_]+/)].filter(
      (word) => word.length > 1 && !FILLERS.has(word),
    );
    const named = tools.filter(({ name }) => names?.includes(name));
    const found = tools
      .filter((tool) => tool !== expandTools && !named.includes(tool))
      .map((tool) => ({ tool, score: scoreTool(tool, words) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .slice(0, limit)
      .map(({ tool }) => tool);
    const missing = (names ?? []).filter((name) => !tools.some((tool) => tool.name === name));
    const known = tools.map(({ name }) => name);
    return defined({
      tools: [...named, ...found].map((tool) =>
        defined({
          name: tool.name,
          description: tool.description,
          help: tool.help,
          returns: tool.returns,
          inputSchema: buildDocumentedSchema(tool),
        }),
      ),
      known_tools: valueIf(named.length + found.length === 0, known),
      not_found: missing.length
        ? missing.map((name) => ({ name, closest: compareLikeness(name, known)[0] }))
        : undefined,
    });
  },
});
