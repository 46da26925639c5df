// Describes a tool: its title, and its arguments as compact JSON Schema. Pure.
import { isObject, isRecord } from '../core/json.ts';
import { z } from 'zod';
import { defined } from '../core/defined.ts';
import { formatArgumentName, formatArgumentNames } from './input-fields.ts';
import type { Tool } from './define-tool.ts';

export type ToolSchema = Readonly<Record<string, unknown>>;

const schemas = new WeakMap<Tool['input'], ToolSchema>();
const listed = new WeakMap<Tool['input'], ToolSchema>();

/** The tool's own arguments; the common ones are described elsewhere. Cached. */
export const buildInputSchema = (tool: Tool): ToolSchema =>
  once(schemas, tool, (schema) => withMarks(schema, ({ listed: _listed, ...node }) => node));

/** The shorter schema of tools/list, whose tokens every conversation pays for. */
export const buildListedSchema = (tool: Tool): ToolSchema =>
  once(listed, tool, (schema) => withListedNames(withMarks(schema, shorten)));

/** The listed form of an argument; undefined if it is not listed. */
const shorten = ({ listed: as, ...node }: Marked): ToolSchema | undefined => {
  if (as === false) return undefined;
  if (typeof as === 'object') return as;
  const { description, default: preset, ...rest } = node;
  return defined({
    default: UNLISTED_DEFAULTS.has(preset) ? undefined : preset,
    description: as === 'undescribed' ? undefined : description,
    ...rest,
  });
};

/** Defaults that every reader assumes. */
const UNLISTED_DEFAULTS = new Set<unknown>([false, 0]);

/** The complete schema with the names of tools/list, for texts that models and users read. */
export const buildDocumentedSchema = (tool: Tool): ToolSchema =>
  withListedNames(buildInputSchema(tool));

const withListedNames = ({ properties, required, ...rest }: ToolSchema): ToolSchema =>
  defined({
    ...rest,
    properties: properties ? formatArgumentNames(properties as Record<string, unknown>) : undefined,
    required: Array.isArray(required) ? required.map(String).map(formatArgumentName) : undefined,
  });

/** Marks an argument that is accepted but not in tools/list; expand_tools and the docs have it. */
export const markUnlisted = <T extends z.ZodType>(schema: T): T => schema.meta({ listed: false });

/** Marks an argument whose name is clear: tools/list omits its description. */
export const markUndescribed = <T extends z.ZodType>(schema: T): T =>
  schema.meta({ listed: 'undescribed' });

/** Marks an argument whose schema in tools/list is shorter than the real one. */
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

interface ToolAnnotations {
  readonly title: string;
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** What tools/list needs of a tool, as plain data. */
export interface ToolSummary {
  readonly name: string;
  readonly description: string;
  readonly tier: 1 | 2;
  readonly isCore: boolean;
  /** True if the tool never replies with a text. */
  readonly returnsOnlyJson: boolean;
  readonly inputSchema: ToolSchema;
  readonly annotations: ToolAnnotations;
}

export const summariseTool = (tool: Tool): ToolSummary => ({
  name: tool.name,
  description: tool.description,
  tier: tool.tier,
  isCore: tool.traits.core === true,
  returnsOnlyJson: returnsOnlyJson(tool),
  inputSchema: buildListedSchema(tool),
  annotations: buildAnnotations(tool),
});

export const returnsOnlyJson = (tool: Tool): boolean => !tool.rendersText;

const buildAnnotations = (tool: Tool): ToolAnnotations => {
  const reads = tool.traits.effect === 'read';
  return {
    title: buildTitle(tool),
    readOnlyHint: reads,
    destructiveHint: !reads,
    idempotentHint: reads,
    openWorldHint: tool.traits.scope !== 'none',
  };
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
type Marked = SchemaNode & { readonly listed?: false | 'undescribed' | ToolSchema };

/** Maps every argument of the schema with `choose`, at any depth; undefined removes it. */
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
    items: isRecord(items) ? withMarks(items, choose) : undefined,
  });
};

/**
 * Removes parts that do not help to write a call but cost tokens. Objects stay open, because every
 * tool also accepts unlisted arguments; the pipeline rejects unknown ones.
 */
const dropNoise = (node: SchemaNode): void => {
  if (node.additionalProperties === false || isAnything(node.additionalProperties))
    delete node.additionalProperties;
  for (const bound of BOUNDS) delete node[bound];
  if (node.format !== undefined) delete node.pattern;
  if (node.format === 'starts_with') delete node.format; // a zod format that no client knows
  if (isAnyString(node.propertyNames)) delete node.propertyNames;
};

/** Removed from the list: a call that exceeds one gets an error that names it. */
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

/** An empty schema, which allows any value: the default of an object. */
const isAnything = (node: unknown): boolean => isObject(node) && Object.keys(node).length === 0;

/** Some clients support only one type per value, so a list of types becomes `anyOf`. */
const withOneType = (node: SchemaNode): ToolSchema => {
  const { type, ...rest } = node as SchemaNode & { readonly type?: unknown };
  return Array.isArray(type)
    ? { ...rest, anyOf: type.map((one: unknown) => ({ type: one })) }
    : node;
};

const isAnyString = (node: unknown): boolean =>
  isObject(node) && Object.keys(node).length === 1 && node['type'] === 'string';
