// crawl: visits many pages of a site, breadth first; long-running, so it can be a task.
import { z } from 'zod';
import { fail } from '../../core/failure.ts';
import { defineTool } from '../../toolkit/define-tool.ts';
import { markUnlisted } from '../../toolkit/tool-description.ts';
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

/** For tests of work that throws. */
const FAULTS =
  process.env['OPENCHROME_FAULTS'] === '1'
    ? { failOnPage: z.number().int().min(1).optional() }
    : {};

export const crawl = defineTool({
  name: 'crawl',
  description:
    'Visit a page and the pages it links to, breadth first: title and content of each. For many ' +
    'pages add output_mode "handle" or use oc_task_start.',
  returns:
    '{summary: {stop_reason, …}, pages: [{url, title, content, depth, links_found, error?}]}',
  keywords: 'spider scrape whole site website links pages',
  tier: 1,
  traits: CRAWL_TRAITS,
  input: () => ({
    url: START_FIELD,
    max_depth: z.number().int().min(0).max(1_000_000).default(2),
    max_pages: PAGES_FIELD,
    scope: markUnlisted(z.enum(SCOPES).optional()),
    sameOrigin: markUnlisted(z.boolean().optional()),
    include: GLOBS_FIELD.describe('Globs: /docs/**'),
    exclude: GLOBS_FIELD,
    ...PAGE_FIELDS,
    render: markUnlisted(PAGE_FIELDS.render),
    ...FAULTS,
  }),
  prepare: (input) => {
    if (
      input.scope !== undefined &&
      input.sameOrigin !== undefined &&
      input.sameOrigin !== (input.scope === 'origin')
    )
      throw fail('invalid_argument', '"scope" and "sameOrigin" contradict each other.', {
        argument: 'sameOrigin',
      });
    return { ...input, scope: input.scope ?? (input.sameOrigin === false ? 'any' : 'origin') };
  },
  examples: [{ url: 'https://example.com/docs/', max_depth: 1, include: ['/docs/**'] }],
  run: async (input, context) => {
    const { runCrawl } = await import('../../features/crawl/run-crawl.ts');
    const { failOnPage } = input as { failOnPage?: number };
    const plan = {
      ...buildCrawlPlan(input),
      maxDepth: input.max_depth,
      scope: input.scope ?? 'origin',
      failOnPage,
    };
    return runCrawl(plan, createCrawlContext(context));
  },
  assemble: (kept, { code }) => assembleCrawl(kept, code),
});
