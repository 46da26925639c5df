// oc_task_start: starts long work in the background, with a record that survives the conversation.
import { z } from 'zod';
import { defineTool } from '../../toolkit/define-tool.ts';

export const ocTaskStart = defineTool({
  name: 'oc_task_start',
  description:
    'Run a long tool (crawl, recording …) in the background: returns a task_id at once, for oc_task_wait and oc_task_get. Survives disconnects.',
  tier: 1,
  traits: {
    effect: 'act',
    scope: 'none',
    observation: false,
    duration: 'instant',
    dialog: 'allowed',
    timeoutMs: 30_000,
    scripts: ['args'],
  },
  input: {
    kind: z.string().min(1).describe('Tool name'),
    args: z.record(z.string(), z.unknown()).default({}).describe('Its arguments'),
    resume_from: z.string().optional().describe('Ended crawl to continue'),
  },
  examples: [{ kind: 'crawl', args: { url: 'https://example.com', max_pages: 100 } }],
  run: async ({ kind, args, resume_from }, { rooms, session }) => {
    const { task_id, status } = await rooms.tasks.start({ kind, args, session: session.name, resumeFrom: resume_from });
    return { task_id, status, kind };
  },
});
