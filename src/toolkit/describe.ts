// A tool described for others: its title, and its arguments as compact JSON Schema. Pure.
import { z } from 'zod';
import type { Tool } from './define-tool.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

const schemas = new WeakMap<Tool['input'], JsonSchema>();
const listed = new WeakMap<Tool['input'], JsonSchema>();

/** The tool's own arguments; those that every tool understands are explained once, elsewhere. Made on first use, then kept. */
export const inputSchemaOf = (tool: Tool): JsonSchema =>
  once(schemas, tool, (schema) => withMarks(schema, ({ listed: _listed, ...node }) => node));

/** What of them a client is shown before it asks for more: what every conversation pays for. */
export const listedSchemaOf = (tool: Tool): JsonSchema =>
  once(listed, tool, (schema) => withMarks(schema, ({ listed: as, ...node }) => (as === false ? undefined : (as ?? node))));

/** An argument that is understood but not shown in the list of tools; expand_tools and the docs have it. */
export const unlisted = <T extends z.ZodType>(schema: T): T => schema.meta({ listed: false });

/** An argument that is shown more shortly in the list of tools than it is understood. */
export const listedAs = <T extends z.ZodType>(schema: T, as: JsonSchema): T => schema.meta({ listed: as });

const once = (kept: WeakMap<Tool['input'], JsonSchema>, { input }: Tool, make: (schema: Node) => JsonSchema): JsonSchema => {
  let schema = kept.get(input);
  if (!schema) kept.set(input, (schema = make(compactSchema(input))));
  return schema;
};

/** `oc_task_wait` -> "Task wait". */
export const titleOf = (tool: Tool): string => {
  const words = tool.name.replace(/^oc_/, '').replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

const compactSchema = (input: Tool['input']): Node => {
  const { $schema: _, ...schema } = z.toJSONSchema(input, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => dropNoise(jsonSchema),
  });
  return schema;
};

type Node = z.core.JSONSchema.BaseSchema;
type Marked = Node & { readonly listed?: false | JsonSchema };

/** The schema with every argument as `choose` gives it, at any depth; those that it does not give are left out. */
const withMarks = (node: Node, choose: (node: Marked) => JsonSchema | undefined): JsonSchema => {
  const { properties, items } = node;
  const entries = Object.entries(properties ?? {}).flatMap(([name, property]) => {
    const chosen = typeof property === 'object' ? choose(property) : undefined;
    return chosen ? [[name, withMarks(chosen, choose)]] : [];
  });
  return {
    ...withOneType(node),
    ...(properties ? { properties: Object.fromEntries(entries) as Node['properties'] } : {}),
    ...(items && typeof items === 'object' && !Array.isArray(items) ? { items: withMarks(items, choose) } : {}),
  };
};

/**
 * What helps nobody to write a call costs tokens in every conversation. Objects stay open, because every tool also takes
 * the arguments that are not listed; the pipeline refuses what it does not know.
 */
const dropNoise = (node: Node): void => {
  if (node.additionalProperties === false || isAnything(node.additionalProperties)) delete node.additionalProperties;
  for (const bound of BOUNDS) delete node[bound];
  if (node.format !== undefined) delete node.pattern;
  if (node.format === 'starts_with') delete node.format; // zod's own word, which no client knows
  if (isAnyString(node.propertyNames)) delete node.propertyNames;
};

/** Nobody reads them before writing a call, and whoever oversteps one is told it. */
const BOUNDS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'minLength', 'maxLength', 'minItems', 'maxItems'] as const;

/** Open is what an object is without a word. */
const isAnything = (node: unknown): boolean => typeof node === 'object' && node !== null && Object.keys(node).length === 0;

/** Some clients know one type for a value only; zod puts several into one list after everything else. */
const withOneType = (node: Node): JsonSchema => {
  const { type, ...rest } = node as Node & { readonly type?: unknown };
  return Array.isArray(type) ? { ...rest, anyOf: type.map((one: unknown) => ({ type: one })) } : node;
};

const isAnyString = (node: unknown): boolean =>
  typeof node === 'object' && node !== null && Object.keys(node).length === 1 && (node as Node).type === 'string';
