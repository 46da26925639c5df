// A tool described for others: its title, and its arguments as compact JSON Schema. Pure.
import { z } from 'zod';
import type { Tool } from './define-tool.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;

const schemas = new WeakMap<Tool['input'], JsonSchema>();

/** The tool's own arguments; those that every tool understands are explained once, elsewhere. Made on first use, then kept. */
export const inputSchemaOf = (tool: Tool): JsonSchema => {
  let schema = schemas.get(tool.input);
  if (!schema) schemas.set(tool.input, (schema = compactSchema(tool.input)));
  return schema;
};

/** `oc_task_wait` -> "Task wait". */
export const titleOf = (tool: Tool): string => {
  const words = tool.name.replace(/^oc_/, '').replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

const compactSchema = (input: Tool['input']): JsonSchema => {
  const { $schema: _, ...schema } = z.toJSONSchema(input, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => dropNoise(jsonSchema),
  });
  return schema;
};

type Node = z.core.JSONSchema.BaseSchema;

/**
 * What helps nobody to write a call costs tokens in every conversation. Objects stay open, because every tool also takes
 * the arguments that are not listed; the pipeline refuses what it does not know.
 */
const dropNoise = (node: Node): void => {
  if (node.additionalProperties === false || isAnything(node.additionalProperties)) delete node.additionalProperties;
  splitTypes(node);
  for (const bound of BOUNDS) delete node[bound];
  if (node.format !== undefined) delete node.pattern;
  if (isAnyString(node.propertyNames)) delete node.propertyNames;
};

/** Nobody reads them before writing a call, and whoever oversteps one is told it. */
const BOUNDS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'minLength', 'maxLength', 'minItems', 'maxItems'] as const;

/** Open is what an object is without a word. */
const isAnything = (node: unknown): boolean => typeof node === 'object' && node !== null && Object.keys(node).length === 0;

/** Some clients know one type for a value only. */
const splitTypes = (node: Node): void => {
  if (!Array.isArray(node.type)) return;
  node.anyOf = (node.type as Node['type'][]).map((type) => ({ type }) as Node);
  delete node.type;
};

const isAnyString = (node: unknown): boolean =>
  typeof node === 'object' && node !== null && Object.keys(node).length === 1 && (node as Node).type === 'string';
