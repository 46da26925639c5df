// tabs_context: lists the tabs from known state; sends no request to pages and starts no Chrome.
import { z } from 'zod';
import { defined, valueIf } from '../../core/defined.ts';
import { formatAddress } from '../../core/text.ts';
import { defineTool } from '../../toolkit/define-tool.ts';
import { markUnlisted } from '../../toolkit/tool-description.ts';

export const tabsContext = defineTool({
  name: 'tabs_context',
  description:
    "List this session's tabs: tabId, url, title, active, loading, busy, crashed, dialog.",
  returns: '{session, storage, tabs: [{tabId, url, title, active?, loading?, …}], …}',
  keywords: 'list windows pages current',
  tier: 1,
  traits: {
    effect: 'read',
    scope: 'browser',
    observation: true,
    duration: 'instant',
    dialog: 'allowed',
    timeoutMs: 5_000,
  },
  input: () => ({
    all: z.boolean().default(false).describe("Also other sessions' tabs"),
    limit: markUnlisted(z.number().int().min(1).max(1000).default(100)),
  }),
  examples: [{}, { all: true }],
  run: async ({ all, limit }, { services, session, signal }) => {
    if (all) await services.browser.connectOwnChrome(signal);
    const tabs = services.browser.summaries();
    const mine = tabs.filter((tab) => tab.session === session.name);
    const shown = all ? [...mine, ...tabs.filter((tab) => tab.session !== session.name)] : mine;
    const hidden = tabs.length - mine.length;
    return defined({
      session: session.name,
      storage: session.storage,
      tabs: shown.slice(0, limit).map(({ session: owner, ...tab }) =>
        defined({
          ...tab,
          url: formatAddress(tab.url),
          session: owner === session.name ? undefined : (owner ?? null),
        }),
      ),
      more: valueIf(shown.length > limit, shown.length - limit),
      other_tabs: valueIf(!all && hidden > 0, hidden),
      chrome: valueIf(
        !services.browser.running,
        'not running: started by the next call that needs it',
      ),
    });
  },
});
