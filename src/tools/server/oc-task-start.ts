// oc_task_start: starts a background task, or opens one that records the host's own work.
import { z } from 'zod';
import { fail } from '../../core/failure.ts';
import { ENVELOPE_KIND } from '../../store/tasks/task-ledger.ts';
import { defineTool } from '../../toolkit/define-tool.ts';
import { markUndescribed, markUnlisted } from '../../toolkit/tool-description.ts';
import { EnvelopePolicy } from '../../features/tasks/envelope-record.ts';

const input = () => ({
  kind: markUndescribed(z.string().min(1).optional().describe('Tool name')),
  args: markUndescribed(
    z.record(z.string(), z.unknown()).optional().describe('Arguments of the tool'),
  ),
  resume_from: z.string().optional().describe('Ended task to continue'),
  objective: z.string().min(1).max(2000).optional(),
  policy: z
    .record(z.string(), z.unknown())
    .pipe(EnvelopePolicy)
    .optional()
    .describe('maxToolCalls, maxWallMs, maxReplyTokens, allowedDomains, enforce …'),
  phase: markUnlisted(z.string().min(1).max(64).optional()),
});

type TaskStartInput = z.output<z.ZodObject<ReturnType<typeof input>>>;

const isEnvelope = ({ kind = ENVELOPE_KIND }: TaskStartInput): boolean => kind === ENVELOPE_KIND;

/** Rejects arguments of the other kind of task. */
const refuse = (
  given: TaskStartInput,
  names: readonly (keyof TaskStartInput)[],
  why: string,
): void => {
  const argument = names.find((name) => given[name] !== undefined);
  if (argument !== undefined)
    throw fail('invalid_argument', `oc_task_start: "${argument}" ${why}.`, { argument });
};

/**
 * Adds the named task to the arguments, so that its limits and domains apply; unless the arguments
 * name a task.
 */
const onBehalfOf = (
  taskId: string | undefined,
  args: Record<string, unknown>,
): Record<string, unknown> =>
  taskId === undefined || 'taskId' in args || 'task_id' in args ? args : { ...args, taskId };

export const ocTaskStart = defineTool({
  name: 'oc_task_start',
  description:
    'Run a long tool (kind: crawl, recording …) with args in the background; then oc_task_wait. ' +
    'Without kind: your own task with objective and budgets; pass its id to calls as taskId.',
  returns: '{task_id, status, kind}',
  keywords: 'background job run async budget',
  tier: 1,
  traits: {
    effect: 'act',
    scope: 'none',
    ledger: true,
    observation: false,
    duration: 'instant',
    dialog: 'allowed',
    timeoutMs: 30_000,
    scripts: ['args'],
  },
  input,
  prepare: (given) => {
    if (!isEnvelope(given)) {
      refuse(given, ['objective', 'policy', 'phase'], 'is for tasks without "kind"');
      return given;
    }
    refuse(given, ['args', 'resume_from'], 'needs "kind": the tool to run');
    if (given.objective === undefined)
      throw fail(
        'invalid_argument',
        'oc_task_start needs "kind" (a tool to run) or "objective" (of your own task).',
        {
          argument: 'objective',
        },
      );
    return given;
  },
  examples: [
    { kind: 'crawl', args: { url: 'https://example.com', max_pages: 100 } },
    {
      objective: 'File the three open invoices',
      policy: { maxToolCalls: 60, allowedDomains: ['example.com'] },
    },
  ],
  run: async (given, { services: { tasks }, session, folder, taskId }) => {
    const {
      kind = ENVELOPE_KIND,
      args = {},
      resume_from,
      objective = '',
      policy = EnvelopePolicy.parse({}),
      phase = 'explore',
    } = given;
    const { task_id, status } = isEnvelope(given)
      ? await tasks.startEnvelope({ objective, policy, phase, session: session.name })
      : await tasks.start({
          kind,
          args: onBehalfOf(taskId, args),
          session: session.name,
          folder,
          resumeFrom: resume_from,
        });
    return { task_id, status, kind };
  },
});
