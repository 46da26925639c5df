// A tool described for others: its title, and its arguments as compact JSON Schema. Pure.
import { z } from 'zod';
import { defined } from '../core/defined.ts';
import type { Tool } from './define-tool.ts';

export type ToolSchema = Readonly<Record<string, unknown>>;

const schemas = new WeakMap<Tool['input'], ToolSchema>();
const listed = new WeakMap<Tool['input'], ToolSchema>();

/**
 * The tool's own arguments; those that every tool understands are explained once, elsewhere. Made
 * on first use, then kept.
 */
export const buildInputSchema = (tool: Tool): ToolSchema =>
  once(schemas, tool, (schema) => withMarks(schema, ({ listed: _listed, ...node }) => node));

/** What of them a client is shown before it asks for more: what every conversation pays for. */
export const buildListedSchema = (tool: Tool): ToolSchema =>
  once(listed, tool, (schema) =>
    withMarks(schema, ({ listed: as, ...node }) => (as === false ? undefined : (as ?? node))),
  );

/**
 * An argument that is understood but not shown in the list of tools; expand_tools and the docs have
 * it.
 */
export const markUnlisted = <T extends z.ZodType>(schema: T): T => schema.meta({ listed: false });

/** An argument that is shown more shortly in the list of tools than it is understood. */
export const markListedAs = <T extends z.ZodType>(schema: T, as: ToolSchema): T =>
  schema.meta({ listed: as });

const once = (
  kept: WeakMap<Tool['input'], ToolSchema>,
  { input }: Tool,
  make: (schema: SchemaNode) => ToolSchema,
): ToolSchema => {
  let schema = kept.get(input);
  if (!schema) kept.set(input, (schema = make(compactSchema(input))));
  return schema;
};

/** `oc_task_wait` -> "Task wait". */
export const buildTitle = (tool: Tool): string => {
  const words = tool.name.replace(/^oc_/, '').replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

const compactSchema = (input: Tool['input']): SchemaNode => {
  const { $schema: _, ...schema } = z.toJSONSchema(input, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => dropNoise(jsonSchema),
  });
  return schema;
};

type SchemaNode = z.core.JSONSchema.BaseSchema;
type Marked = SchemaNode & { readonly listed?: false | ToolSchema };

/**
 * The schema with every argument as `choose` gives it, at any depth; those that it does not give
 * are left out.
 */
const withMarks = (
  node: SchemaNode,
  choose: (node: Marked) => ToolSchema | undefined,
): ToolSchema => {
  const { properties, items } = node;
  const entries = Object.entries(properties ?? {}).flatMap(([name, property]) => {
    const chosen = typeof property === 'object' ? choose(property) : undefined;
    return chosen ? [[name, withMarks(chosen, choose)]] : [];
  });
  return defined({
    ...withOneType(node),
    properties: properties ? (Object.fromEntries(entries) as SchemaNode['properties']) : undefined,
    items:
      items && typeof items === 'object' && !Array.isArray(items)
        ? withMarks(items, choose)
        : undefined,
  });
};

/**
 * What helps nobody to write a call costs tokens in every conversation. Objects stay open, because
 * every tool also takes the arguments that are not listed; the pipeline refuses what it does not
 * know.
 */
const dropNoise = (node: SchemaNode): void => {
  if (node.additionalProperties === false || isAnything(node.additionalProperties))
    delete node.additionalProperties;
  for (const bound of BOUNDS) delete node[bound];
  if (node.format !== undefined) delete node.pattern;
  if (node.format === 'starts_with') delete node.format; // zod's own word, which no client knows
  if (isAnyString(node.propertyNames)) delete node.propertyNames;
};

/** Nobody reads them before writing a call, and whoever oversteps one is told it. */
const BOUNDS = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
] as const;

/** Open is what an object is without a word. */
const isAnything = (node: unknown): boolean =>
  typeof node === 'object' && node !== null && Object.keys(node).length === 0;

/**
 * Some clients know one type for a value only; zod puts several into one list after everything
 * else.
 */
const withOneType = (node: SchemaNode): ToolSchema => {
  const { type, ...rest } = node as SchemaNode & { readonly type?: unknown };
  return Array.isArray(type)
    ? { ...rest, anyOf: type.map((one: unknown) => ({ type: one })) }
    : node;
};

const isAnyString = (node: unknown): boolean =>
  typeof node === 'object' &&
  node !== null &&
  Object.keys(node).length === 1 &&
  (node as SchemaNode).type === 'string';
