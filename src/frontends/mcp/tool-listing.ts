// Selects the tools for tools/list, and describes each.
import schemas from 'tool-schemas';
import { defined } from '../../core/defined.ts';
import type { Config } from '../../core/config.ts';
import type { Tool } from '../../toolkit/define-tool.ts';
import { buildListedSchema, buildTitle, type ToolSchema } from '../../toolkit/tool-description.ts';

interface Annotations {
  readonly title: string;
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: ToolSchema;
  readonly outputSchema?: ToolSchema;
  readonly annotations: Annotations;
}

type ListingOptions = Pick<Config, 'slim' | 'allTools' | 'structuredContent'>;

/** Tiers only affect the list: every tool can be called. */
export const listTools = (tools: readonly Tool[], options: ListingOptions): ListedTool[] =>
  tools.filter((tool) => isListed(tool, options)).map((tool) => announce(tool, options));

const isListed = (tool: Tool, { slim, allTools }: ListingOptions): boolean => {
  if (slim) return tool.traits.core === true;
  return allTools || tool.tier === 1;
};

const announce = (tool: Tool, { structuredContent }: ListingOptions): ListedTool =>
  defined({
    name: tool.name,
    description: tool.description,
    inputSchema: schemas[tool.name] ?? buildListedSchema(tool),
    outputSchema: structuredContent && returnsOnlyJson(tool) ? { type: 'object' } : undefined,
    annotations: buildAnnotations(tool),
  });

/**
 * With an output schema, a client may reject results without structured content, so only tools that
 * never return text have one.
 */
export const returnsOnlyJson = (tool: Tool): boolean => !tool.rendersText;

const buildAnnotations = (tool: Tool): Annotations => {
  const reads = tool.traits.effect === 'read';
  return {
    title: buildTitle(tool),
    readOnlyHint: reads,
    destructiveHint: !reads,
    idempotentHint: reads,
    openWorldHint: tool.traits.scope !== 'none',
  };
};
