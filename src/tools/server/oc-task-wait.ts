// oc_task_wait: waits until a task has ended, in any process.
import { z } from 'zod';
import { defineTool } from '../../toolkit/define-tool.ts';
import { describeTask } from '../../features/tasks/task-view.ts';

interface WaitedTask {
  readonly status: string;
}

export const ocTaskWait = defineTool({
  name: 'oc_task_wait',
  description: 'Wait until a task has ended, instead of polling it.',
  returns: '{task_id, kind, status, progress?, error?, …}',
  keywords: 'background job finish done',
  tier: 1,
  traits: {
    effect: 'read',
    scope: 'none',
    ledger: true,
    observation: true,
    duration: 'instant',
    dialog: 'allowed',
    timeoutMs: 10_000,
    negative: (data) => ['FAILED', 'CANCELLED'].includes((data as WaitedTask).status),
    waitsMs: ({ timeout_ms: timeoutMs }) => timeoutMs,
  },
  input: () => ({
    task_id: z.string(),
    timeout_ms: z.number().int().min(0).max(3_600_000).default(60_000),
  }),
  examples: [{ task_id: '019a8c1f2b3d4e5f', timeout_ms: 30_000 }],
  run: async ({ task_id: id, timeout_ms: timeoutMs }, { services: { tasks }, signal, progress }) =>
    tasks.show(
      await tasks.wait(id, {
        timeoutMs,
        signal,
        // Progress is the elapsed time, which always grows; the message describes the task's own
        // progress.
        tell: (meta, elapsedMs) =>
          progress({ done: elapsedMs, total: timeoutMs, message: describeTask(meta) }),
      }),
    ),
});
