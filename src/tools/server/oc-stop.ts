// oc_stop: ends Chrome, unless other hosts use it; the next call that needs Chrome starts it.
import { z } from 'zod';
import { defined } from '../../core/defined.ts';
import { fail } from '../../core/failure.ts';
import type { Context } from '../../toolkit/context.ts';
import { defineTool } from '../../toolkit/define-tool.ts';

export const ocStop = defineTool({
  name: 'oc_stop',
  description:
    'End Chrome, its tabs and the running background tasks (an attached Chrome is only ' +
    'disconnected). The server stays; the next call that needs Chrome starts it again. ' +
    'keepChrome: true only closes the tabs of this session. If other hosts share this Chrome, ' +
    'only your tabs and tasks end, unless force: true.',
  returns: '{stopped?, endedTasks?, inUse?}',
  keywords: 'quit exit close browser shutdown',
  tier: 2,
  traits: {
    effect: 'act',
    scope: 'none',
    observation: false,
    duration: 'instant',
    dialog: 'allowed',
    timeoutMs: 15_000,
  },
  input: () => ({ keepChrome: z.boolean().default(false), force: z.boolean().default(false) }),
  examples: [{}],
  run: async ({ keepChrome, force }, context) => {
    if (keepChrome) return closeOwnTabs(context);
    const inUse = force ? undefined : workOfOthers(context);
    return inUse
      ? {
          ...(await closeOwnTabs(context)),
          ...(await endTasks(context, context.session.name)),
          inUse,
        }
      : endAll(context);
  },
});

const endAll = async (context: Context): Promise<object> => {
  const ended = await endTasks(context);
  return { stopped: await context.services.browser.stop(), ...ended };
};

const endTasks = async ({ services }: Context, session?: string): Promise<object> => {
  const reason = fail('engine_stopped', 'The task was stopped by oc_stop.');
  const endedTasks = await services.tasks.stop(reason, defined({ session }));
  return endedTasks > 0 ? { endedTasks } : {};
};

const closeOwnTabs = async ({ services, session, signal }: Context): Promise<object> => {
  const closable = [...session.tabs.values()].filter((tab) => tab.ours);
  await Promise.all(closable.map((tab) => services.browser.closeTab(session, tab, signal)));
  return { stopped: false, closedTabs: closable.length };
};

/**
 * Returns the work of other hosts that would be lost; undefined if one client has the engine to
 * itself, in any number of sessions.
 */
const workOfOthers = ({
  services: { hosts, browser, tasks },
  session: { name: own },
  note,
}: Context): object | undefined => {
  if (hosts.size === 0) return undefined;
  const others = browser.sessions.filter(({ name, tabs }) => name !== own && tabs.size > 0);
  const lost = {
    sessions: others.length,
    tabs: others.reduce((sum, { tabs }) => sum + tabs.size, 0),
    tasks: tasks.running - tasks.runningIn(own),
  };
  if (lost.tabs + lost.tasks === 0) return undefined;
  note('Chrome keeps running, because other hosts use it; force: true ends it for them too.');
  return lost;
};
