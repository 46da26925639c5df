// Builds tools/list from plain data that the build generates: a start loads no tool for it.
import readSummaries from 'tool-summaries';
import type { Config } from '../../core/config.ts';
import { defined } from '../../core/defined.ts';
import type { ToolSchema, ToolSummary } from '../../toolkit/tool-description.ts';
import type { ClientPreferences } from './client-facts.ts';

export interface ListedTool extends Pick<
  ToolSummary,
  'name' | 'description' | 'inputSchema' | 'annotations'
> {
  readonly outputSchema?: ToolSchema;
}

export type ListingOptions = Pick<Config, 'slim' | 'allTools' | 'structuredContent'>;

/** The tools of this program, in the order of the list. */
export const readKnownTools = (): readonly ToolSummary[] => readSummaries();

/** Tiers only affect the list: every tool can be called. */
export const listSummaries = (
  tools: readonly ToolSummary[],
  options: ListingOptions,
): ListedTool[] =>
  tools.filter((tool) => isListed(tool, options)).map((tool) => announce(tool, options));

const isListed = ({ tier, isCore }: ToolSummary, { slim, allTools }: ListingOptions): boolean => {
  if (slim) return isCore;
  return allTools || tier === 1;
};

/**
 * With an output schema, a client may reject results without structured content, so only tools that
 * never return text have one.
 */
const announce = (
  { name, description, inputSchema, annotations, returnsOnlyJson }: ToolSummary,
  { structuredContent }: ListingOptions,
): ListedTool =>
  defined({
    name,
    description,
    inputSchema,
    outputSchema: structuredContent && returnsOnlyJson ? { type: 'object' } : undefined,
    annotations,
  });

/** The options of a list: the wishes of the client, else the configuration. */
export const chooseListing = (
  config: ListingOptions,
  {
    slim = config.slim,
    allTools = config.allTools,
    structuredContent = config.structuredContent,
  }: ClientPreferences = {},
): ListingOptions => ({ slim, allTools, structuredContent });
