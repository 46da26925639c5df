// oc_stop: ends Chrome; the server stays, and the next call that needs Chrome starts it again.
import { z } from 'zod';
import { fail } from '../../core/failure.ts';
import { defineTool } from '../../toolkit/define-tool.ts';

export const ocStop = defineTool({
  name: 'oc_stop',
  description:
    'End Chrome, its tabs and the running background tasks (a Chrome that was attached to is only let go). The server stays; the next call that needs Chrome starts it again. keepChrome: true only closes the tabs of this session.',
  tier: 2,
  traits: { effect: 'act', scope: 'none', observation: false, duration: 'instant', dialog: 'allowed', timeoutMs: 15_000 },
  input: { keepChrome: z.boolean().default(false) },
  examples: [{}],
  run: async ({ keepChrome }, { rooms, session, signal }) => {
    if (!keepChrome) {
      const endedTasks = await rooms.tasks.stop(fail('engine_stopped', 'oc_stop ended the work.'));
      return { stopped: await rooms.browser.stop(), ...(endedTasks > 0 ? { endedTasks } : {}) };
    }
    const closable = [...session.tabs.values()].filter((tab) => tab.ours);
    await Promise.all(closable.map((tab) => rooms.browser.closeTab(session, tab, signal)));
    return { stopped: false, closedTabs: closable.length };
  },
});
