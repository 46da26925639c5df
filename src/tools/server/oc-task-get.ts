// oc_task_get: returns one task: its row, its last events, and on request its result.
import { z } from 'zod';
import { isRecord } from '../../core/json.ts';
import { defineTool, type StoredForm, type Tool } from '../../toolkit/define-tool.ts';
import { showTask } from '../../features/tasks/task-view.ts';

/** A stored result has the layout of the tool's own result, so that a query fits both. */
const storeResult = (json: unknown, tools: readonly Tool[]): StoredForm | undefined => {
  const { result, ...task } = json as {
    readonly meta: { readonly kind: string };
    readonly result?: unknown;
  };
  if (!isRecord(result)) return undefined;
  const kind = tools.find(({ name }) => name === task.meta.kind);
  return { view: { json: { task, ...result } }, items: kind?.traits.items };
};

export const ocTaskGet = defineTool({
  name: 'oc_task_get',
  description:
    'State, budgets and last events of a task; include_result adds its result, even a partial one.',
  returns: '{meta: {task_id, kind, status, progress?, error?, …}, events_tail?, result?}',
  keywords: 'background job status result',
  tier: 1,
  traits: {
    effect: 'read',
    scope: 'none',
    ledger: true,
    observation: true,
    duration: 'instant',
    dialog: 'allowed',
    timeoutMs: 30_000,
    large: true,
    stores: storeResult,
    resource: 'task',
  },
  input: () => ({ task_id: z.string(), include_result: z.boolean().optional() }),
  examples: [
    { task_id: '019a8c1f2b3d4e5f' },
    { task_id: '019a8c1f2b3d4e5f', include_result: true },
  ],
  run: async ({ task_id: id, include_result }, { services }) => {
    const { meta, events, envelope } = await services.tasks.get(id);
    if (envelope) return { meta: showTask(meta), ...envelope, recent_events: events };
    const found = include_result ? await services.tasks.result(id) : undefined;
    const result =
      found &&
      ('result' in found ? { result: found.result } : { result_unreadable: found.unreadable });
    return { meta: showTask(meta), events_tail: events, ...result };
  },
});
