// A tool as plain data for the command line: its arguments by kind, its examples. Made when the
// project is built. Pure.
import { z } from 'zod';
import { defined } from '../core/defined.ts';
import { CONFIG_FIELDS, type ConfigField, type ConfigKey, formatFlag } from '../core/config.ts';
import type { Tool } from './define-tool.ts';
import { buildInputSchema } from './tool-description.ts';
import { COMMON_FIELDS, OUTPUT_FIELDS } from './input-fields.ts';

/**
 * How an argument is written in a shell. `texts`: one text, or several. `scalar`: one of `types`,
 * whichever it looks like. `any`: JSON where it is JSON, else text. `object`: JSON, or NAME=VALUE.
 */
export type UsageKind =
  | 'text'
  | 'texts'
  | 'number'
  | 'switch'
  | 'scalar'
  | 'list'
  | 'numbers'
  | 'object'
  | 'json'
  | 'any';

export interface UsageField {
  readonly name: string;
  readonly kind: UsageKind;
  readonly values?: readonly string[];
  /** Of a scalar: the JSON types that it may have. */
  readonly types?: readonly string[];
  readonly default?: unknown;
  readonly describe?: string;
  readonly required?: true;
  /** A path on disk. */
  readonly file?: true;
}

export interface ToolUsage {
  readonly name: string;
  readonly description: string;
  readonly fields: readonly UsageField[];
  readonly examples: readonly Readonly<Record<string, unknown>>[];
  /** The payload can be large, so that the output arguments apply. */
  readonly large?: true;
  /** May take minutes, tells its progress, and can run as a background task. */
  readonly job?: true;
  /**
   * Answered from the home folder alone, without Chrome: always, or when one of these arguments is
   * given.
   */
  readonly stored?: true | readonly string[];
}

/** Everything that the command line is derived from. */
export interface Usages {
  readonly tools: readonly ToolUsage[];
  readonly common: readonly UsageField[];
  readonly output: readonly UsageField[];
  readonly config: readonly ConfigUsage[];
}

/** A flag of the configuration. */
export interface ConfigUsage {
  readonly flag: string;
  readonly kind: ConfigField['kind'];
  readonly placeholder?: string;
  readonly describe: string;
}

export const buildUsages = (tools: readonly Tool[]): Usages => ({
  tools: tools.map(usageOf),
  common: fieldsOf(z.toJSONSchema(z.object(COMMON_FIELDS), { io: 'input' }) as Schema),
  output: fieldsOf(z.toJSONSchema(z.object(OUTPUT_FIELDS), { io: 'input' }) as Schema),
  config: (Object.keys(CONFIG_FIELDS) as ConfigKey[]).map(configUsage),
});

const configUsage = (key: ConfigKey): ConfigUsage => {
  const { kind, placeholder, describe }: ConfigField = CONFIG_FIELDS[key];
  return defined({ flag: formatFlag(key), kind, placeholder, describe });
};

const usageOf = (tool: Tool): ToolUsage => {
  const { name, description, examples, traits } = tool;
  const stored = storedOf(tool);
  return defined({
    name,
    description,
    fields: fieldsOf(buildInputSchema(tool), traits.files),
    examples,
    large: traits.large ? true : undefined,
    job: traits.duration === 'job' ? true : undefined,
    stored,
  });
};

const storedOf = ({ traits }: Tool): ToolUsage['stored'] =>
  traits.scope === 'none' && traits.effect === 'read' && traits.duration === 'instant'
    ? true
    : traits.stored;

interface Schema {
  readonly properties?: Readonly<Record<string, Property>>;
  readonly required?: readonly string[];
}

interface Property {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Property[];
  readonly items?: Property;
  readonly default?: unknown;
  readonly description?: string;
}

const fieldsOf = (
  { properties = {}, required = [] }: Schema,
  files: readonly string[] = [],
): UsageField[] =>
  Object.entries(properties).map(([name, property]) => {
    const values = valuesOf(property);
    const kind = kindOf(property);
    return defined({
      name,
      kind,
      types: kind === 'scalar' ? typesOf(property) : undefined,
      values: values.length > 0 ? values : undefined,
      default: property.default,
      describe: property.description,
      required: required.includes(name) ? (true as const) : undefined,
      file: files.includes(name) ? (true as const) : undefined,
    });
  });

const valuesOf = ({ enum: values, anyOf = [], items }: Property): string[] => [
  ...(values ?? []).filter((value) => typeof value === 'string'),
  ...anyOf.flatMap(valuesOf),
  ...(items ? valuesOf(items) : []),
];

const ofOneType: Readonly<Record<string, UsageKind>> = {
  string: 'text',
  number: 'number',
  integer: 'number',
  boolean: 'switch',
  object: 'object',
};

const kindOf = (property: Property): UsageKind => {
  const types = typesOf(property);
  const [type] = types;
  if (type === undefined) return 'any';
  if (types.length === 1) return type === 'array' ? listKind(property) : (ofOneType[type] ?? 'any');
  if (types.includes('string') && types.includes('array')) return 'texts';
  return types.includes('object') ? 'any' : 'scalar';
};

const listKind = ({ items = {} }: Property): UsageKind => {
  const types = typesOf(items);
  if (types.every((type) => type === 'string')) return 'list';
  return types.every((type) => type === 'number' || type === 'integer') ? 'numbers' : 'json';
};

const typesOf = ({ type = [], anyOf = [] }: Property): string[] => [
  ...new Set([...(typeof type === 'string' ? [type] : type), ...anyOf.flatMap(typesOf)]),
];
