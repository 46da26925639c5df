// Finds the arguments of a tool by their camelCase and snake_case names.
import { getOrCreate } from '../core/collections.ts';
import type { Tool } from './define-tool.ts';
import { COMMON_FIELDS, formatArgumentName, OUTPUT_FIELDS } from './input-fields.ts';

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

/** The names of a tool's arguments, built by its first call. */
const ownNames = new WeakMap<Tool, ArgumentNames>();
const commonNames = new WeakMap<Tool, ArgumentNames>();

export const indexOwnNames = (tool: Tool): ArgumentNames =>
  getOrCreate(ownNames, tool, () => indexNames(Object.keys(tool.input.shape)));

/** The common arguments, without those that the tool declares itself. */
export const indexCommonNames = (tool: Tool): ArgumentNames =>
  getOrCreate(commonNames, tool, () => {
    const fields = tool.traits.large ? { ...COMMON_FIELDS, ...OUTPUT_FIELDS } : COMMON_FIELDS;
    const own = indexOwnNames(tool);
    return indexNames(Object.keys(fields).filter((name) => !own.has(simplifyName(name))));
  });

/** The tool's own arguments among the given ones, with their documented names. */
export const selectOwnArguments = (tool: Tool, given: object): Record<string, unknown> => {
  const names = indexOwnNames(tool);
  const entries = Object.entries(given).flatMap(([key, value]) => {
    const name = names.get(simplifyName(key));
    return name === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries);
};

/** The first given name that is not an argument of the tool itself. */
export const findUnknownArgument = (tool: Tool, given: object): string | undefined =>
  Object.keys(given).find((key) => !indexOwnNames(tool).has(simplifyName(key)));
