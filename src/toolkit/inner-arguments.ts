// The arguments of a call that a tool makes: the task and the tab of the outer call are defaults.
import { defined } from '../core/defined.ts';
import { isRecord } from '../core/json.ts';
import type { Context } from './context.ts';
import type { Tool } from './define-tool.ts';

/** The spellings in which an argument may be given. */
const TASK_NAMES = ['taskId', 'task_id'];
const TAB_NAMES = ['tabId', 'tab_id'];

export const buildInnerArguments = (
  tool: Tool | undefined,
  given: unknown,
  { taskId, tabId }: Pick<Context, 'taskId' | 'tabId'>,
): unknown => {
  if (!tool || !isRecord(given)) return given;
  const { ledger, scope } = tool.traits;
  return {
    ...defined({
      taskId: ledger || hasAny(given, TASK_NAMES) ? undefined : taskId,
      tabId: scope !== 'tab' || hasAny(given, TAB_NAMES) ? undefined : tabId,
    }),
    ...given,
  };
};

const hasAny = (given: object, names: readonly string[]): boolean =>
  names.some((name) => Object.hasOwn(given, name));
