// docs/tools.md: the reference of every tool, from its declaration.
import { z } from 'zod';
import type { Tool } from '../../src/toolkit/define-tool.ts';
import {
  COMMON_FIELDS,
  formatArgumentNames,
  OUTPUT_FIELDS,
} from '../../src/toolkit/input-fields.ts';
import { buildDocumentedSchema } from '../../src/toolkit/tool-description.ts';
import { TOOLS } from '../../src/tools/index.ts';
import { code, fence, table } from './markdown.ts';

interface Property {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Property[];
  readonly items?: Property;
  readonly default?: unknown;
  readonly description?: string;
}

const typeOf = ({ type, enum: values, const: only, anyOf, items }: Property): string => {
  if (values) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (only !== undefined) return JSON.stringify(only);
  if (anyOf) return anyOf.map(typeOf).join(' | ');
  if (type === 'array' && items) return `${typeOf(items)}[]`;
  return typeof type === 'string' ? type : (type?.join(' | ') ?? 'any');
};

const argumentTable = (
  properties: Readonly<Record<string, Property>>,
  required: readonly string[] = [],
): string =>
  table(
    ['argument', 'type', 'default', 'meaning'],
    Object.entries(properties).map(([name, property]) => [
      `${code(name)}${required.includes(name) ? ' (required)' : ''}`,
      code(typeOf(property)),
      property.default === undefined ? '' : code(JSON.stringify(property.default)),
      property.description ?? '',
    ]),
  );

const factsOf = ({ tier, traits }: Tool): string =>
  [
    tier === 1 ? 'listed by default' : 'listed with --all-tools',
    ...(traits.core ? ['part of --slim'] : []),
    traits.effect === 'read' ? 'read-only' : 'may change the page or the browser',
    `deadline ${traits.timeoutMs / 1000} s${traits.waitsMs ? ' plus the requested waiting time' : ''}`,
    ...(traits.duration === 'job' ? ['may run as a background task'] : []),
  ].join('; ');

const sectionOf = (tool: Tool): string => {
  const { properties = {}, required } = buildDocumentedSchema(tool) as {
    properties?: Record<string, Property>;
    required?: string[];
  };
  const examples = tool.examples
    .map((example) => JSON.stringify(formatArgumentNames(example as Record<string, unknown>)))
    .join('\n');
  return [
    `## ${tool.name}`,
    tool.description,
    ...(tool.help === undefined ? [] : [tool.help]),
    ...(tool.returns === undefined ? [] : [`Returns in a script: \`${tool.returns}\``]),
    `_${factsOf(tool)}_`,
    Object.keys(properties).length ? argumentTable(properties, required) : 'No further arguments.',
    fence(examples, 'json'),
  ].join('\n\n');
};

const schemaOf = (fields: z.ZodRawShape): Record<string, Property> =>
  formatArgumentNames(
    z.toJSONSchema(z.object(fields), { io: 'input' }).properties as Record<string, Property>,
  );

export const toolsPage = (): string => `# Tools

The tools in the order of the tool list. Every tool can be called, also if it is not listed.

## Arguments of every tool

${argumentTable(schemaOf(COMMON_FIELDS))}

Tools with large results also accept:

${argumentTable(schemaOf(OUTPUT_FIELDS))}

${TOOLS.map(sectionOf).join('\n\n')}`;
