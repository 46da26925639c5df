// tabs_context: the tabs there are, from what is known already; no page is asked and no Chrome is started.
import { z } from 'zod';
import { shownAddress } from '../../core/text.ts';
import { defineTool } from '../../toolkit/define-tool.ts';

export const tabsContext = defineTool({
  name: 'tabs_context',
  description:
    "List this session's tabs: tabId, url, title, which is active, loading, busy, crashed, open dialog. Never blocks on a page. all: true adds other sessions' tabs and tabs nobody owns.",
  keywords: 'list windows pages current',
  tier: 1,
  traits: { effect: 'read', scope: 'browser', observation: true, duration: 'instant', dialog: 'allowed', timeoutMs: 5_000 },
  input: () => ({
    all: z.boolean().default(false).describe("Also other sessions' tabs"),
    limit: z.number().int().min(1).max(1000).default(100),
  }),
  examples: [{}, { all: true }],
  run: ({ all, limit }, { rooms, session }) => {
    const tabs = rooms.browser.summaries();
    const mine = tabs.filter((tab) => tab.session === session.name);
    const shown = all ? [...mine, ...tabs.filter((tab) => tab.session !== session.name)] : mine;
    const hidden = tabs.length - mine.length;
    return {
      session: session.name,
      tabs: shown.slice(0, limit).map(({ session: owner, ...tab }) => ({
        ...tab,
        url: shownAddress(tab.url),
        ...(owner === session.name ? {} : { session: owner ?? null }),
      })),
      ...(shown.length > limit ? { more: shown.length - limit } : {}),
      ...(!all && hidden > 0 ? { other_tabs: hidden } : {}),
      ...(rooms.browser.running ? {} : { chrome: 'not running: the next call that needs it starts it' }),
    };
  },
});
