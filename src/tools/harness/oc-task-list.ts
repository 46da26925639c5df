// oc_task_list: the tasks of this home, newest first.
import { z } from 'zod';
import { TASK_STATUSES } from '../../store/task-meta.ts';
import { defineTool } from '../../toolkit/define-tool.ts';
import { TIME_FIELD } from '../../toolkit/fields.ts';
import { showTask } from '../../work/tasks/show.ts';

const oneOrMany = <T extends z.ZodType>(schema: T): z.ZodOptional<z.ZodUnion<readonly [T, z.ZodArray<T>]>> =>
  z.union([schema, z.array(schema)]).optional();

export const ocTaskList = defineTool({
  name: 'oc_task_list',
  description: 'Tasks, newest first: status, progress, arguments; no results (oc_task_get has them).',
  tier: 1,
  traits: {
    effect: 'read',
    scope: 'none',
    observation: true,
    duration: 'instant',
    dialog: 'allowed',
    timeoutMs: 20_000,
    large: true,
    items: 'tasks',
  },
  input: {
    status: oneOrMany(z.enum(TASK_STATUSES)),
    kind: oneOrMany(z.string()),
    limit: z.number().int().min(1).max(1000).default(50),
    since: TIME_FIELD.optional(),
  },
  examples: [{}, { status: ['PENDING', 'RUNNING'] }],
  run: async ({ status, kind, limit, since }, { rooms }) => {
    const { tasks, unreadable } = await rooms.tasks.list({
      limit,
      ...(status === undefined ? {} : { statuses: [status].flat() }),
      ...(kind === undefined ? {} : { kinds: [kind].flat() }),
      ...(since === undefined ? {} : { since }),
    });
    return { tasks: tasks.map(showTask), count: tasks.length, ...(unreadable > 0 ? { unreadable } : {}) };
  },
});
