// oc_task_finish: ends a task that the host opened for its own work.
import { z } from 'zod';
import { defineTool } from '../../toolkit/define-tool.ts';
import { OUTCOMES } from '../../features/tasks/envelope-record.ts';

export const ocTaskFinish = defineTool({
  name: 'oc_task_finish',
  description: 'End your own task.',
  returns: '{task_id, kind, status, …}',
  keywords: 'background job done end complete',
  tier: 1,
  traits: {
    effect: 'act',
    scope: 'none',
    ledger: true,
    observation: false,
    duration: 'instant',
    dialog: 'allowed',
    timeoutMs: 20_000,
  },
  input: () => ({
    task_id: z.string(),
    outcome: z.enum(OUTCOMES),
    note: z.string().max(500).optional(),
  }),
  examples: [{ task_id: '019a8c1f2b3d4e5f', outcome: 'completed' }],
  run: async ({ task_id: id, outcome, note }, { services: { tasks } }) =>
    tasks.show(await tasks.finish(id, outcome, note)),
});
