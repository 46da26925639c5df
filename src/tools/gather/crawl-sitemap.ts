// crawl_sitemap: visits the pages of a site's sitemaps; the result is like that of crawl.
import { z } from 'zod';
import { defineTool } from '../../toolkit/define-tool.ts';
import { markUnlisted } from '../../toolkit/tool-description.ts';
import { TIME_FIELD } from '../../toolkit/input-fields.ts';
import {
  buildCrawlPlan,
  CRAWL_TRAITS,
  createCrawlContext,
  GLOBS_FIELD,
  PAGE_FIELDS,
  PAGES_FIELD,
  START_FIELD,
} from '../../features/crawl/crawl-request.ts';
import { SCOPES } from '../../features/crawl/crawl-options.ts';
import { assembleCrawl } from '../../features/crawl/result.ts';

export const crawlSitemap = defineTool({
  name: 'crawl_sitemap',
  description:
    'Like crawl, for the pages in the sitemaps of a site. url: the site, or one sitemap.',
  returns:
    '{summary: {stop_reason, …}, pages: [{url, title, content, depth, links_found, error?}]}',
  keywords: 'spider scrape whole site xml',
  tier: 1,
  traits: CRAWL_TRAITS,
  input: () => ({
    url: START_FIELD,
    max_pages: PAGES_FIELD,
    scope: markUnlisted(z.enum(SCOPES).default('domain')),
    include: GLOBS_FIELD,
    exclude: markUnlisted(GLOBS_FIELD),
    since: markUnlisted(TIME_FIELD.optional().describe('lastmod not before')),
    ...PAGE_FIELDS,
    output_format: markUnlisted(PAGE_FIELDS.output_format),
    render: markUnlisted(PAGE_FIELDS.render),
  }),
  examples: [{ url: 'https://example.com', max_pages: 50, since: '2026-01-01' }],
  run: async (input, context) => {
    const { runSitemapCrawl } = await import('../../features/crawl/sitemap-crawl.ts');
    const plan = { ...buildCrawlPlan(input), maxDepth: 0, scope: input.scope, since: input.since };
    return runSitemapCrawl(plan, createCrawlContext(context));
  },
  assemble: (kept, { code }) => assembleCrawl(kept, code),
});
