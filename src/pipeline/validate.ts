// Finds the tool and checks its arguments; an error names the closest known name.
import type { z } from 'zod';
import { defined } from '../core/defined.ts';
import { findClosest } from '../core/closest.ts';
import { fail, type Failure } from '../core/failure.ts';
import type { Tool } from '../toolkit/define-tool.ts';
import { COMMON_FIELDS, OUTPUT_FIELDS } from '../toolkit/input-fields.ts';
import type { Call, Step } from './call.ts';

export const validate: Step = async (call, next) => {
  const tool = requireTool(call.rooms.tools, call.request.name);
  call.tool = tool;
  try {
    understand(call, tool);
  } catch (error) {
    call.misunderstood = error;
    call.common = { ...call.common, ...taskNamedIn(call.request.arguments) };
  }
  await next();
};

/** Throws the error that `validate` found, after the steps that also count invalid calls. */
export const requireUnderstood: Step = async ({ misunderstood }, next) => {
  if (misunderstood !== undefined) throw misunderstood;
  await next();
};

const understand = (call: Call, tool: Tool): void => {
  const given = spelled(tool, asObject(call.request.arguments));
  call.common = parse(tool, sharedFields(tool), given);
  const input = parse(tool, tool.input.shape, given);
  call.input = tool.prepare?.(input as never) ?? input;
};

/** The task id of a call, even if its other arguments are invalid. */
const taskNamedIn = (given: unknown): { readonly taskId?: string } => {
  if (typeof given !== 'object' || given === null) return {};
  const [, named] = Object.entries(given).find(([name]) => plain(name) === 'taskid') ?? [];
  const { data } = COMMON_FIELDS.taskId.safeParse(named);
  return data === undefined ? {} : { taskId: data };
};

const requireTool = (tools: readonly Tool[], name: string): Tool => {
  const tool = tools.find((candidate) => candidate.name === name);
  if (tool) return tool;
  const names = tools.map((candidate) => candidate.name);
  const near = findClosest(name, names);
  throw fail(
    'unknown_tool',
    `There is no tool "${name.slice(0, 100)}"${near ? `; did you mean ${near}?` : '.'}`,
    near ? { closest: near } : {},
  );
};

const asObject = (value: unknown): Record<string, unknown> => {
  if (value === undefined || value === null) return {};
  if (typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
  throw fail('invalid_argument', `The arguments must be one JSON object, not ${typeOf(value)}.`, {
    argument: 'arguments',
  });
};

type InputShape = Readonly<Record<string, z.core.$ZodType>>;

/** The common fields, without those that the tool declares itself. */
const sharedFields = (tool: Tool): InputShape => {
  const shared = tool.traits.large ? { ...COMMON_FIELDS, ...OUTPUT_FIELDS } : COMMON_FIELDS;
  const own = new Set(Object.keys(tool.input.shape).map(plain));
  return Object.fromEntries(Object.entries(shared).filter(([name]) => !own.has(plain(name))));
};

const plain = (name: string): string => name.replaceAll('_', '').toLowerCase();

/** The arguments with their documented names: camelCase and snake_case are accepted. */
const spelled = (tool: Tool, given: Record<string, unknown>): Record<string, unknown> => {
  const names = [...Object.keys(tool.input.shape), ...Object.keys(sharedFields(tool))];
  const documented = new Map(names.map((name) => [plain(name), name]));
  const out: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [key, value] of Object.entries(given)) {
    const name = documented.get(plain(key));
    if (name === undefined) throw unknownArgument(tool, key, names);
    if (name in out)
      throw fail('invalid_argument', `${tool.name}: "${name}" is given twice.`, { argument: name });
    out[name] = value;
  }
  return out;
};

const unknownArgument = (tool: Tool, key: string, names: readonly string[]): Failure => {
  const near = findClosest(key, names);
  const end = near ? `; did you mean "${near}"?` : '.';
  return fail(
    'invalid_argument',
    `${tool.name} has no argument "${key.slice(0, 100)}"${end}`,
    defined({
      argument: key.slice(0, 100),
      closest: near ? near : undefined,
      known: Object.keys(tool.input.shape),
    }),
  );
};

const parse = (
  tool: Tool,
  shape: InputShape,
  given: Record<string, unknown>,
): Record<string, unknown> => {
  const out: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(shape)) {
    const result = (schema as z.ZodType).safeParse(given[name]);
    if (!result.success) throw illTyped(tool, name, given[name], result.error);
    if (result.data !== undefined) out[name] = result.data;
  }
  return out;
};

const illTyped = (tool: Tool, name: string, value: unknown, error: z.ZodError): Failure => {
  const issue = error.issues[0];
  const path = [name, ...(issue?.path ?? []).map(String)].join('.');
  if (value === undefined)
    return fail('invalid_argument', `${tool.name} needs "${name}".`, {
      argument: name,
      known: Object.keys(tool.input.shape),
    });
  return fail('invalid_argument', `${tool.name}: "${path}" ${complaint(issue, value)}`, {
    argument: path,
  });
};

const complaint = (issue: z.core.$ZodIssue | undefined, value: unknown): string => {
  if (issue?.code === 'invalid_type' && issue.path.length === 0)
    return `must be ${article(issue.expected)}, not ${typeOf(value)}.`;
  if (issue?.code === 'invalid_value')
    return `must be one of ${issue.values.map((allowed) => JSON.stringify(allowed)).join(', ')}.`;
  return `is not valid: ${issue?.message ?? 'unknown reason'}.`;
};

const article = (noun: string): string => (/^[aeiou]/.test(noun) ? `an ${noun}` : `a ${noun}`);

const typeOf = (value: unknown): string => {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : article(typeof value);
};
