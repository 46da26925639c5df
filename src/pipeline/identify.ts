// Finds the tool of a call, and its valid common arguments by camelCase and snake_case names.
import { findClosest } from '../core/closest.ts';
import { fail } from '../core/failure.ts';
import { isObject } from '../core/json.ts';
import type { Tool } from '../toolkit/define-tool.ts';
import { indexCommonNames, simplifyName } from '../toolkit/argument-names.ts';
import { COMMON_ARGUMENTS, type CommonArguments } from '../toolkit/input-fields.ts';
import type { Call, IdentifiedCall, Step } from './call.ts';

export const identify: Step<Call, IdentifiedCall> = async (call, next) => {
  const tool = requireTool(call);
  const common = readCommonArguments(tool, call.request.arguments);
  call.course.common = common;
  return next({ ...call, tool, common });
};

const requireTool = ({ services: { tools, config }, request: { name, inner } }: Call): Tool => {
  const tool = tools.find((candidate) => candidate.name === name);
  if (tool) return tool;
  // a client does not know disabled tools, but scripts are written for several servers
  if (inner && config.disableTools.includes(name))
    throw fail('tool_not_allowed', `The owner of the server disabled ${name}.`);
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
