// Finds the tool of a call, and its valid common arguments by camelCase and snake_case names.
import { findClosest } from '../core/closest.ts';
import { getOrCreate } from '../core/collections.ts';
import { fail } from '../core/failure.ts';
import { isObject } from '../core/json.ts';
import type { Tool } from '../toolkit/define-tool.ts';
import {
  COMMON_ARGUMENTS,
  COMMON_FIELDS,
  type CommonArguments,
  formatArgumentName,
  OUTPUT_FIELDS,
} from '../toolkit/input-fields.ts';
import type { Call, IdentifiedCall, Step } from './call.ts';

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

export const identify: Step<Call, IdentifiedCall> = async (call, next) => {
  const tool = requireTool(call.services.tools, call.request.name);
  const common = readCommonArguments(tool, call.request.arguments);
  call.course.common = common;
  return next({ ...call, tool, common });
};

const requireTool = (tools: readonly Tool[], name: string): Tool => {
  const tool = tools.find((candidate) => candidate.name === name);
  if (tool) return tool;
  const names = tools.map((candidate) => candidate.name);
  const near = findClosest(name, names);
  throw fail(
    'unknown_tool',
    `Unknown tool "${name.slice(0, 100)}"${near ? `; did you mean ${near}?` : '.'}`,
    near ? { closest: near } : {},
  );
};

/** Skips invalid arguments: `validate` rejects them after the task has counted the call. */
const readCommonArguments = (tool: Tool, given: unknown): CommonArguments => {
  if (!isObject(given)) return {};
  const names = indexCommonNames(tool);
  const values = new Map<string, unknown>();
  for (const [key, value] of Object.entries(given)) {
    const name = names.get(simplifyName(key));
    if (name !== undefined && !values.has(name)) values.set(name, value);
  }
  const { data, error } = COMMON_ARGUMENTS.safeParse(Object.fromEntries(values));
  if (!error) return data;
  for (const { path } of error.issues) values.delete(String(path[0]));
  return COMMON_ARGUMENTS.parse(Object.fromEntries(values));
};
