// crawl_sitemap: the pages that a site lists in its sitemaps, as one result like that of a crawl.
import { z } from 'zod';
import { defineTool } from '../../toolkit/define-tool.ts';
import { TIME_FIELD } from '../../toolkit/fields.ts';
import { FORMATS, HAND_OVER_MS, RENDERS, SCOPES } from '../../work/crawl/options.ts';
import { assembleCrawl } from '../../work/crawl/result.ts';

export const crawlSitemap = defineTool({
  name: 'crawl_sitemap',
  description: 'Visit the pages that the sitemaps of a site list; result like crawl. url: the site, or one sitemap.',
  tier: 1,
  traits: {
    effect: 'read',
    scope: 'none',
    observation: false,
    duration: 'job',
    resumes: true,
    dialog: 'allowed',
    timeoutMs: 600_000,
    large: true,
    items: 'pages',
    urls: ['url'],
  },
  input: {
    url: z.string().min(1),
    max_pages: z.number().int().min(1).max(1_000_000).default(20),
    scope: z.enum(SCOPES).default('domain'),
    include: z.array(z.string().min(1).max(1000)).max(100).optional(),
    exclude: z.array(z.string().min(1).max(1000)).max(100).optional(),
    since: TIME_FIELD.optional().describe('lastmod not before'),
    output_format: z.enum(FORMATS).default('markdown'),
    respect_robots: z.boolean().default(true),
    delay_ms: z.number().int().min(0).max(600_000).optional(),
    concurrency: z.number().int().min(1).max(32).default(4),
    render: z.enum(RENDERS).default('auto'),
  },
  examples: [{ url: 'https://example.com', max_pages: 50, since: '2026-01-01' }],
  run: async (input, { rooms, job, signal, deadline, progress }) => {
    const { runSitemapCrawl } = await import('../../work/crawl/sitemap-crawl.ts');
    const plan = {
      url: input.url,
      since: input.since,
      maxDepth: 0,
      maxPages: input.max_pages,
      scope: input.scope,
      include: input.include ?? [],
      exclude: input.exclude ?? [],
      format: input.output_format,
      respectRobots: input.respect_robots,
      delayMs: input.delay_ms,
      concurrency: input.concurrency,
      render: input.render,
    } as const;
    const timeMs = Math.max(deadline.remainingMs - HAND_OVER_MS, deadline.remainingMs / 2);
    return runSitemapCrawl(plan, { browser: rooms.browser, redactor: rooms.redactor, job, signal, progress, timeMs });
  },
  assemble: (kept, { code }) => assembleCrawl(kept, code),
});
