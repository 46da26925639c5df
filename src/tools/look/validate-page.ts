// validate_page: opens a URL (or uses the current page) and reports its errors as short JSON.
import { z } from 'zod';
import { compact, defined } from '../../core/defined.ts';
import { markPosition, findDocumentMarks, validate } from '../../browser/read/validate-page.ts';
import { isLoadFailure } from '../../browser/tabs/load-failure.ts';
import { navigateTo, type Navigation } from '../../browser/tabs/navigate.ts';
import { renderValidation } from '../../render/validation.ts';
import type { TabContext } from '../../toolkit/context.ts';
import { defineTool } from '../../toolkit/define-tool.ts';
import { markUndescribed } from '../../toolkit/tool-description.ts';

/** Reserved for the checks if a page does not finish loading. */
const MARGIN_MS = 3000;

type PageLoad = Partial<Navigation> & { readonly error?: string };

/** A page that does not load is a finding, not a failed call. */
const load = async (url: string, { tab, signal, deadline }: TabContext): Promise<PageLoad> => {
  const { remainingMs } = deadline;
  try {
    const patienceMs = Math.max(remainingMs - MARGIN_MS, remainingMs / 2);
    const navigation = await navigateTo(tab, url, { until: 'load', signal, patienceMs });
    // The tab kept its page, so the checks below do not describe `url`: the error makes that clear.
    return navigation.download ? { ...navigation, error: 'a download, not a page' } : navigation;
  } catch (error) {
    if (isLoadFailure(error)) return { error: String(error.details['net_error']) };
    throw error;
  }
};

export const validatePage = defineTool({
  name: 'validate_page',
  description:
    'Check a page (url, or the current one): load status, console errors, failed requests, ' +
    'accessibility and SEO basics, web vitals. Details: console, network.',
  help:
    'Also reports broken images, missing labels and alt texts, duplicate ids, and whether the ' +
    'title, the language, the first heading and the meta description are missing.',
  returns: '{ok, problems: [...], …}',
  keywords: 'audit test lint seo accessibility broken errors',
  tier: 1,
  traits: {
    effect: 'act',
    scope: 'tab',
    observation: true,
    duration: 'instant',
    dialog: 'allowed',
    needsPage: ({ url }) => url === undefined,
    rejectsPdf: ({ url }) => url === undefined,
    timeoutMs: 30_000,
    header: 'validate',
    urls: ['url'],
    opens: ({ url }) => url,
    negative: (data) => !(data as { readonly ok: boolean }).ok,
  },
  input: () => ({
    url: markUndescribed(
      z.string().min(1).max(32_768).optional().describe('Default: the current page'),
    ),
  }),
  examples: [{}, { url: 'http://localhost:3000' }],
  run: async ({ url }, context) => {
    const { tab, signal } = context;
    const marks = url === undefined ? findDocumentMarks(tab) : markPosition(tab);
    const {
      redirects = [],
      stillLoading,
      dialogOpened,
      error,
    } = url === undefined ? ({} as PageLoad) : await load(url, context);
    return renderValidation(
      await validate(tab, marks, signal),
      defined({
        error,
        ...compact({
          redirects,
          still_loading: stillLoading ?? (url === undefined && tab.loading),
          dialog_opened: Boolean(dialogOpened ?? tab.dialog),
        }),
      }),
    );
  },
});
