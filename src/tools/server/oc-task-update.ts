// oc_task_update: sets the progress of the host's own task; does not use the browser.
import { z } from 'zod';
import { defineTool } from '../../toolkit/define-tool.ts';

export const ocTaskUpdate = defineTool({
  name: 'oc_task_update',
  description: 'Report the progress of your own task.',
  returns: '{task_id, kind, status, …}',
  keywords: 'background job note phase',
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
    phase: z.string().min(1).max(64).optional(),
    note: z.string().max(500).optional(),
  }),
  examples: [
    { task_id: '019a8c1f2b3d4e5f', phase: 'verify', note: 'All three invoices are filed.' },
  ],
  run: async ({ task_id: id, phase, note }, { services: { tasks } }) =>
    tasks.show(await tasks.update(id, { phase, note })),
});
