// Arguments of every tool, declared once, and their defaults in calls that a tool makes.
import { z } from 'zod';
import { defined } from '../core/defined.ts';
import { fail } from '../core/failure.ts';
import { isRecord } from '../core/json.ts';
import type { Context } from './context.ts';
import type { Tool } from './define-tool.ts';

export const COMMON_FIELDS = {
  tabId: z.string().min(1).optional().describe('Tab to work in (default: the current one)'),
  session: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe('Named workspace with its own tabs (default: "default")'),
  taskId: z.string().min(1).max(64).optional().describe('Record this call against a task'),
  timeout_ms: z.number().int().min(1).max(3_600_000).optional().describe('Deadline of this call'),
};

/** Additional arguments of tools with large payloads. */
export const OUTPUT_FIELDS = {
  output_mode: z
    .enum(['inline', 'handle', 'auto'])
    .optional()
    .describe('handle: store the payload and return a descriptor'),
  output_inline_limit_bytes: z
    .number()
    .int()
    .min(1)
    .optional()
    .describe('With auto: store above this size (32768)'),
};

/** A point in time, parsed to milliseconds since 1970. */
export const TIME_FIELD = z
  .union([z.number(), z.string()])
  .transform((time) => (typeof time === 'number' ? time : Date.parse(time)))
  .refine((ms) => !Number.isNaN(ms), 'it must be an ISO time or unix milliseconds')
  .describe('ISO time or unix ms');

export const COMMON_ARGUMENTS = z.object({ ...COMMON_FIELDS, ...OUTPUT_FIELDS });

export type CommonArguments = Readonly<z.output<typeof COMMON_ARGUMENTS>>;

// The name of an argument as it is listed: snake_case, and one name for one meaning.

/** Arguments whose listed name differs by more than the spelling. */
const LISTED_NAMES: ReadonlyMap<string, string> = new Map([['waitForMs', 'wait_ms']]);

/** `tabId` -> `tab_id`, `outerHTML` -> `outer_html` */
export const formatArgumentName = (name: string): string =>
  LISTED_NAMES.get(name) ?? name.replaceAll(/[A-Z]+/g, (letters) => `_${letters.toLowerCase()}`);

/** Renames the arguments of an object; nested names are part of a value and stay. */
export const formatArgumentNames = <T>(values: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [formatArgumentName(name), value]),
  );

/** The spellings in which an argument may be given. */
const TASK_NAMES = ['taskId', 'task_id'];
const TAB_NAMES = ['tabId', 'tab_id'];

/**
 * The arguments of a call that a tool makes. The tab of the outer call is the default; its task
 * cannot be replaced, so that the budgets of the task count every call.
 */
export const buildInnerArguments = (
  tool: Tool | undefined,
  given: unknown,
  { taskId, tabId }: Pick<Context, 'taskId' | 'tabId'>,
): unknown => {
  if (!tool || !isRecord(given)) return given;
  const { ledger, scope } = tool.traits;
  const isNamed = hasAny(given, TASK_NAMES);
  const isOther = isNamed && !TASK_NAMES.some((name) => given[name] === taskId);
  if (taskId !== undefined && !ledger && isOther)
    throw fail('invalid_argument', `The call belongs to the task ${taskId} of the script.`, {
      argument: 'taskId',
    });
  return {
    ...defined({
      taskId: ledger || isNamed ? undefined : taskId,
      tabId: scope !== 'tab' || hasAny(given, TAB_NAMES) ? undefined : tabId,
    }),
    ...given,
  };
};

const hasAny = (given: object, names: readonly string[]): boolean =>
  names.some((name) => Object.hasOwn(given, name));
