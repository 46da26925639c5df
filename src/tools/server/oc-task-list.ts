// oc_task_list: lists the tasks of this home, newest first.
import { z } from 'zod';
import { compact, defined } from '../../core/defined.ts';
import { TASK_STATUSES } from '../../store/tasks/task-ledger.ts';
import { defineTool } from '../../toolkit/define-tool.ts';
import { markUnlisted } from '../../toolkit/tool-description.ts';
import { TIME_FIELD } from '../../toolkit/input-fields.ts';
import { isUnknownArray } from '../../core/json.ts';

/** Listed only as an array, which costs half the tokens; a single value is accepted too. */
const several = <T extends z.ZodType>(schema: T): z.ZodPreprocess<z.ZodArray<T>> =>
  z.preprocess((value) => (isUnknownArray(value) ? value : [value]), z.array(schema));

export const ocTaskList = defineTool({
  name: 'oc_task_list',
  description: 'Tasks, newest first, by status (RUNNING, FAILED …); results are in oc_task_get.',
  returns: '{tasks: [{task_id, kind, status, progress?, …}], count}',
  keywords: 'background jobs running',
  tier: 1,
  traits: {
    effect: 'read',
    scope: 'none',
    ledger: true,
    observation: true,
    duration: 'instant',
    dialog: 'allowed',
    timeoutMs: 20_000,
    large: true,
    items: 'tasks',
  },
  input: () => ({
    status: several(z.string().pipe(z.enum(TASK_STATUSES))).optional(),
    kind: markUnlisted(several(z.string()).optional()),
    limit: markUnlisted(z.number().int().min(1).max(1000).default(50)),
    since: markUnlisted(TIME_FIELD.optional()),
  }),
  examples: [{}, { status: ['PENDING', 'RUNNING'] }],
  run: async ({ status, kind, limit, since }, { services }) => {
    const { tasks, unreadable } = await services.tasks.list(
      defined({
        limit,
        statuses: status,
        kinds: kind,
        since,
      }),
    );
    return defined({
      tasks: await Promise.all(tasks.map((meta) => services.tasks.show(meta))),
      count: tasks.length,
      ...compact({ unreadable }),
    });
  },
});
