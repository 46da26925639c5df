// tabs: opens, selects and closes tabs of the session.
import { z } from 'zod';
import { defined, ifDefined } from '../../core/defined.ts';
import { fail } from '../../core/failure.ts';
import { formatAddress } from '../../core/text.ts';
import { navigateTo } from '../../browser/tabs/navigate.ts';
import type { Context } from '../../toolkit/context.ts';
import { defineTool } from '../../toolkit/define-tool.ts';
import { markUndescribed } from '../../toolkit/tool-description.ts';
import { describeResponse } from '../../toolkit/response-note.ts';

const MARGIN_MS = 1000;

const openTab = async (
  url: string | undefined,
  { services, session, signal, deadline }: Context,
): Promise<object> => {
  const tab = await services.browser.openTab(session, signal);
  if (url === undefined) return { tabId: tab.id, url: formatAddress(tab.url) };
  const { remainingMs } = deadline;
  const navigation = await tab.queue.run(
    'tabs',
    () =>
      navigateTo(tab, url, {
        until: 'load',
        signal,
        patienceMs: Math.max(remainingMs - MARGIN_MS, remainingMs / 2),
      }),
    signal,
  );
  return defined({
    tabId: tab.id,
    url: formatAddress(tab.url),
    title: tab.title,
    status: navigation.status,
    download: navigation.download,
    note: describeResponse(navigation),
  });
};

export const tabs = defineTool({
  name: 'tabs',
  description:
    'Open a new tab (at url), make a tab the current one, or close it. To list tabs: tabs_context.',
  returns: '{tabId, url, title}; close: {closed, current?}',
  keywords: 'new close switch window',
  tier: 1,
  traits: {
    effect: 'act',
    recipe: 'tab',
    consent: ({ action, tabId }) => (action === 'new' ? {} : { pages: { tabId } }),
    scope: 'browser',
    observation: false,
    duration: 'instant',
    dialog: 'allowed',
    timeoutMs: 30_000,
    urls: ['url'],
    opens: ({ url }) => url,
    core: true,
  },
  input: () => ({
    action: z.enum(['new', 'select', 'close']),
    tabId: z.string().min(1).optional().describe('To select, or to close (default: current)'),
    url: markUndescribed(z.string().min(1).max(32_768).optional().describe('For new')),
  }),
  prepare: (input) => {
    const { action, tabId, url } = input;
    if (action === 'select' && tabId === undefined)
      throw fail('invalid_argument', 'tabs {action: "select"} needs "tabId".', {
        argument: 'tabId',
      });
    if (action !== 'new' && url !== undefined)
      throw fail('invalid_argument', `tabs {action: "${action}"} does not accept "url".`, {
        argument: 'url',
      });
    return input;
  },
  examples: [{ action: 'new', url: 'https://example.com' }, { action: 'close' }],
  run: async ({ action, tabId, url }, context) => {
    const { services, session, signal } = context;
    if (action === 'new') return openTab(url, context);
    if (action === 'close' && tabId === undefined && !session.current)
      throw fail('tab_not_found', `The session "${session.name}" has no tab.`, { tabs: [] });
    const tab = await services.browser.requireTab(session, tabId, signal);
    if (action === 'select') {
      await services.browser.selectTab(session, tab, signal);
      return { tabId: tab.id, url: formatAddress(tab.url), title: tab.title };
    }
    tab.control.requireFree(tab.id);
    await services.browser.closeTab(session, tab, signal);
    const { current } = session;
    return defined({
      closed: tab.id,
      current: ifDefined(current, (current) => ({
        tabId: current.id,
        url: formatAddress(current.url),
      })),
    });
  },
});
