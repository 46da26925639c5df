// The names of a tool's arguments: camelCase and snake_case are accepted for each.
import { COMMON_FIELDS, formatArgumentName, OUTPUT_FIELDS } from '../toolkit/input-fields.ts';
import type { Tool } from '../toolkit/define-tool.ts';

/** The form of a name that is compared: without underscores, in lower case. */
export const simplifyName = (name: string): string => name.replaceAll('_', '').toLowerCase();

/** Documented names by their simplified form. */
export type ArgumentNames = ReadonlyMap<string, string>;

const indexNames = (names: readonly string[]): ArgumentNames =>
  new Map(
    names.flatMap((name) => [
      [simplifyName(name), name],
      [simplifyName(formatArgumentName(name)), name],
    ]),
  );

export const indexOwnNames = ({ input }: Tool): ArgumentNames =>
  indexNames(Object.keys(input.shape));

/** The common arguments, without those that the tool declares itself. */
export const indexCommonNames = (tool: Tool): ArgumentNames => {
  const fields = tool.traits.large ? { ...COMMON_FIELDS, ...OUTPUT_FIELDS } : COMMON_FIELDS;
  const own = indexOwnNames(tool);
  return indexNames(Object.keys(fields).filter((name) => !own.has(simplifyName(name))));
};
