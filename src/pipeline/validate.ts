// Checks the arguments of a call; an error names the closest known argument.
import type { z } from 'zod';
import { defined, valueIf } from '../core/defined.ts';
import { findClosest } from '../core/closest.ts';
import { fail, type Failure } from '../core/failure.ts';
import { explainIssue } from '../core/issue-text.ts';
import { isObject, isRecord } from '../core/json.ts';
import { COMMON_ARGUMENTS, formatArgumentName } from '../toolkit/input-fields.ts';
import type { Tool } from '../toolkit/define-tool.ts';
import type { ToolCall } from '../toolkit/tool-call.ts';
import { indexCommonNames, indexOwnNames, simplifyName } from '../toolkit/argument-names.ts';
import type { AdmittedCall, Step, ValidCall } from './call.ts';
import { requirePermitted } from './consent.ts';

export const validate: Step<AdmittedCall, ValidCall> = async (call, next) => {
  const toolCall = parseArguments(call.tool, asObject(call.request.arguments));
  requireAllowed(call, toolCall);
  call.course.toolCall = toolCall;
  return next({ ...call, toolCall });
};

/** Rejects scripts inside scripts, and calls that a rule of the owner denies on every page. */
const requireAllowed = (call: AdmittedCall, toolCall: ToolCall): void => {
  const { tool, request } = call;
  if (request.inner && tool.traits.makesCalls)
    throw fail('tool_not_allowed', `A script cannot call ${tool.name}.`, {
      hint: 'Write its steps into the script itself.',
    });
  requirePermitted(call, toolCall);
};

const parseArguments = (tool: Tool, given: object): ToolCall => {
  const { own, common } = sortByName(tool, given);
  const { error } = COMMON_ARGUMENTS.safeParse(common);
  if (error) throw rejectArgument(tool, common, error);
  return tool.parse(own, (issue) => rejectArgument(tool, own, issue));
};

const asObject = (value: unknown): object => {
  if (value === undefined || value === null) return {};
  if (isRecord(value)) return value;
  throw fail(
    'invalid_argument',
    `The arguments must be one JSON object, not ${describeType(value)}.`,
    {
      argument: 'arguments',
    },
  );
};

type Arguments = Record<string, unknown>;

/** The tool's own arguments and the common ones, with their documented names. */
const sortByName = (tool: Tool, given: object): { own: Arguments; common: Arguments } => {
  const names = { own: indexOwnNames(tool), common: indexCommonNames(tool) };
  const own = new Map<string, unknown>();
  const common = new Map<string, unknown>();
  for (const [key, value] of Object.entries(given)) {
    const simple = simplifyName(key);
    const name = names.own.get(simple) ?? names.common.get(simple);
    if (name === undefined)
      throw unknownArgument(tool, key, [...names.own.values(), ...names.common.values()]);
    const values = names.own.has(simple) ? own : common;
    if (values.has(name))
      throw fail('invalid_argument', `${tool.name}: "${key.slice(0, 100)}" is given twice.`, {
        argument: formatArgumentName(name),
      });
    values.set(name, value);
  }
  return { own: Object.fromEntries(own), common: Object.fromEntries(common) };
};

/** Arguments of other servers that models often guess, with the arguments that they mean here. */
const GUESSES: ReadonlyMap<string, readonly string[]> = new Map([
  ['text', ['query', 'value']],
  ['element', ['ref', 'query']],
  ['elementid', ['ref']],
  ['uid', ['ref']],
  ['index', ['ref']],
  ['selector', ['ref', 'query']],
  ['xpath', ['selector', 'query']],
  ['name', ['query', 'label']],
  ['target', ['ref', 'query']],
  ['input', ['value']],
  ['script', ['code']],
  ['expression', ['code']],
  ['function', ['code']],
  ['href', ['url']],
  ['filename', ['path']],
  ['filepath', ['path']],
  ['timeout', ['timeout_ms']],
]);

const suggestArgument = (key: string, names: readonly string[]): string | undefined => {
  const guessed = GUESSES.get(simplifyName(key))?.find((name) => names.includes(name));
  const near = guessed ?? findClosest(key, names);
  return near ? formatArgumentName(near) : undefined;
};

const unknownArgument = (tool: Tool, key: string, names: readonly string[]): Failure => {
  const near = suggestArgument(key, names);
  const end = near ? `; did you mean "${near}"?` : '.';
  return fail(
    'invalid_argument',
    `${tool.name} has no argument "${key.slice(0, 100)}"${end}`,
    defined({
      argument: key.slice(0, 100),
      closest: near,
      known: Object.keys(tool.input.shape).map(formatArgumentName),
    }),
  );
};

const rejectArgument = (
  { name: tool, input }: Tool,
  given: Arguments,
  { issues: [issue] }: z.ZodError,
): Failure => {
  const path = (issue?.path ?? []).map(String);
  const [name = ''] = path;
  const known = Object.keys(input.shape).map(formatArgumentName);
  const listed = formatArgumentName(name);
  if (given[name] === undefined)
    return fail('invalid_argument', `${tool} needs "${listed}".`, { argument: listed, known });
  const argument = path.join('.');
  const value = path.reduce<unknown>(findProperty, given);
  const schema = valueIf(path.length === 1, input.shape[name]);
  const why = issue ? explainIssue(issue, value, schema) : 'is not valid';
  return fail('invalid_argument', `${tool}: "${argument}" ${why}.`, { argument });
};

const findProperty = (value: unknown, key: string): unknown =>
  isObject(value) ? Reflect.get(value, key) : undefined;

const describeType = (value: unknown): string =>
  Array.isArray(value) ? 'an array' : `a ${typeof value}`;
