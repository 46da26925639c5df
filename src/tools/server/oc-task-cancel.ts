// oc_task_cancel: requests the end of a task; its results so far are kept.
import { z } from 'zod';
import { defineTool } from '../../toolkit/define-tool.ts';

export const ocTaskCancel = defineTool({
  name: 'oc_task_cancel',
  description: 'Stop a task; its partial result stays.',
  returns: '{task_id, kind, status, …}',
  keywords: 'background job stop abort end',
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
  input: () => ({ task_id: z.string() }),
  examples: [{ task_id: '019a8c1f2b3d4e5f' }],
  run: async ({ task_id: id }, { services: { tasks }, signal }) =>
    tasks.show(await tasks.cancel(id, signal)),
});
