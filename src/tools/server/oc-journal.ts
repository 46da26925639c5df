// oc_journal: returns the last calls, or a summary of them.
import { z } from 'zod';
import { defined } from '../../core/defined.ts';
import type { JournalEntry } from '../../store/journal/journal.ts';
import { defineTool } from '../../toolkit/define-tool.ts';
import { markUndescribed, markUnlisted } from '../../toolkit/tool-description.ts';
import { TIME_FIELD } from '../../toolkit/input-fields.ts';

export const ocJournal = defineTool({
  name: 'oc_journal',
  description:
    'Calls of the last 7 days: recent, or summary (counts, failures, time and tokens per tool).',
  returns: '[{ts, tool, session, tabId?, args, durationMs, ok, code?, summary}] for recent',
  keywords: 'history log calls audit',
  tier: 1,
  traits: {
    effect: 'read',
    scope: 'none',
    observation: true,
    duration: 'instant',
    dialog: 'allowed',
    timeoutMs: 10_000,
  },
  input: () => ({
    action: z.enum(['recent', 'summary']).default('recent'),
    count: z.number().int().min(1).max(1000).default(20),
    tool: markUndescribed(z.string().min(1).optional().describe('Only this tool')),
    since: markUnlisted(TIME_FIELD.optional()),
  }),
  examples: [{ action: 'recent', count: 5 }, { action: 'summary' }],
  run: async ({ action, count, tool, since }, { services }) => {
    const window = defined({ since });
    if (action === 'summary') return services.journal.summary(window);
    const entries = await services.journal.recent(defined({ count, ...window, tool }));
    return entries.map(
      ({ targets: _targets, task: _task, negative: _no, ...entry }: JournalEntry) => entry,
    );
  },
});
