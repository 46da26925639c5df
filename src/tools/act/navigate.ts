// navigate: opens a URL, goes back or forward, or reloads the page.
import { z } from 'zod';
import { compact, defined } from '../../core/defined.ts';
import { fail } from '../../core/failure.ts';
import { formatAddress } from '../../core/text.ts';
import {
  type Navigation,
  navigateTo,
  reload,
  traverseHistory,
} from '../../browser/tabs/navigate.ts';
import type { TabContext } from '../../toolkit/context.ts';
import { defineTool } from '../../toolkit/define-tool.ts';
import { markUndescribed } from '../../toolkit/tool-description.ts';
import { describeResponse } from '../../toolkit/response-note.ts';

const ACTIONS = ['back', 'forward', 'reload', 'hard_reload'] as const;
const RELOADS: ReadonlySet<string | undefined> = new Set(['reload', 'hard_reload']);
type NavigateAction = (typeof ACTIONS)[number];

/** Reserved for the reply if a page does not finish loading. */
const MARGIN_MS = 1000;

interface NavigateInput {
  readonly url?: string | undefined;
  readonly action?: NavigateAction | undefined;
  readonly waitUntil: 'commit' | 'domcontentloaded' | 'load' | 'networkidle';
}

const go = (input: NavigateInput, { tab, signal, deadline }: TabContext): Promise<Navigation> => {
  const { remainingMs } = deadline;
  const wait = {
    until: input.waitUntil,
    signal,
    patienceMs: Math.max(remainingMs - MARGIN_MS, remainingMs / 2),
  };
  const { action } = input;
  if (action === 'reload') return reload(tab, wait);
  if (action === 'hard_reload') return reload(tab, wait, { ignoreCache: true });
  if (action !== undefined) return traverseHistory(tab, action === 'back' ? -1 : 1, wait);
  return navigateTo(tab, input.url ?? '', wait);
};

export const navigate = defineTool({
  name: 'navigate',
  description:
    'Open a URL, or go back, forward or reload. Returns the final url, title, HTTP status, ' +
    'redirects, and whether a login page or bot wall was detected. New tab: tabs.',
  returns: '{tabId, url, title, status?, redirects?: [{url, …}], login_page?, bot_wall?, note?}',
  keywords: 'open visit browse go website url back forward reload refresh hard cache',
  tier: 1,
  traits: {
    effect: 'act',
    scope: 'tab',
    observation: false,
    duration: 'instant',
    dialog: 'allowed',
    loadsPages: true,
    timeoutMs: 30_000,
    urls: ['url'],
    opens: ({ url, action }, here) => (RELOADS.has(action) ? here : url),
    core: true,
    recipe: ({ url }) => (url === undefined ? 'call' : 'open'),
  },
  input: () => ({
    url: markUndescribed(
      z.string().min(1).max(32_768).optional().describe('Address, or "back" / "forward"'),
    ),
    action: z.enum(ACTIONS).optional(),
    waitUntil: z.enum(['commit', 'domcontentloaded', 'load', 'networkidle']).default('load'),
  }),
  prepare: ({ url, action, waitUntil }) => {
    if ((url === undefined) === (action === undefined))
      throw fail('invalid_argument', 'navigate needs either "url" or "action".', {
        argument: 'url',
      });
    const meant = action ?? ACTIONS.find((name) => name === url && !RELOADS.has(name));
    return meant === undefined ? { url, waitUntil } : { action: meant, waitUntil };
  },
  examples: [{ url: 'https://example.com' }, { action: 'back' }],
  run: async (input, context) => {
    const { tab } = context;
    const navigation = await go(input, context);
    const { status, redirects, mimeType, stillLoading, dialogOpened, download, sameDocument } =
      navigation;
    const { facts } = tab;
    return defined({
      tabId: tab.id,
      url: formatAddress(tab.url),
      title: tab.title,
      status,
      redirects: redirects.length
        ? redirects.map((hop) => ({ ...hop, url: formatAddress(hop.url) }))
        : undefined,
      mimeType: mimeType === undefined || mimeType === 'text/html' ? undefined : mimeType,
      ...compact({ login_page: facts?.login }),
      bot_wall: facts?.botWall === undefined ? undefined : facts.botWall,
      ...compact({ still_loading: stillLoading, dialog_opened: dialogOpened, download }),
      note: describeResponse(navigation),
      ...compact({ same_document: sameDocument }),
    });
  },
});
