// crawl: many pages of a site, breadth first, as one result; long-running, so that it can also be a task.
import { z } from 'zod';
import { fail } from '../../core/failure.ts';
import { defineTool } from '../../toolkit/define-tool.ts';
import { FORMATS, HAND_OVER_MS, RENDERS, SCOPES } from '../../work/crawl/options.ts';
import { assembleCrawl } from '../../work/crawl/result.ts';

/** For tests of what becomes of work that throws. */
const FAULTS = process.env['OPENCHROME_FAULTS'] === '1' ? { failOnPage: z.number().int().min(1).optional() } : {};

export const crawl = defineTool({
  name: 'crawl',
  description:
    'Visit a page and what it links to, breadth first: title and content of each. For many pages add output_mode "handle" or use oc_task_start.',
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
    max_depth: z.number().int().min(0).max(1_000_000).default(2),
    max_pages: z.number().int().min(1).max(1_000_000).default(20),
    scope: z.enum(SCOPES).optional(),
    sameOrigin: z.boolean().optional(),
    include: z.array(z.string().min(1).max(1000)).max(100).optional().describe('Globs: /docs/**'),
    exclude: z.array(z.string().min(1).max(1000)).max(100).optional(),
    output_format: z.enum(FORMATS).default('markdown'),
    respect_robots: z.boolean().default(true),
    delay_ms: z.number().int().min(0).max(600_000).optional(),
    concurrency: z.number().int().min(1).max(32).default(4),
    render: z.enum(RENDERS).default('auto'),
    ...FAULTS,
  },
  prepare: (input) => {
    if (input.scope !== undefined && input.sameOrigin !== undefined && input.sameOrigin !== (input.scope === 'origin'))
      throw fail('invalid_argument', '"scope" and "sameOrigin" contradict each other.', { argument: 'sameOrigin' });
    return { ...input, scope: input.scope ?? (input.sameOrigin === false ? 'any' : 'origin') };
  },
  examples: [{ url: 'https://example.com/docs/', max_depth: 1, include: ['/docs/**'] }],
  run: async (input, { rooms, job, signal, deadline, progress }) => {
    const { runCrawl } = await import('../../work/crawl/crawl.ts');
    const plan = {
      url: input.url,
      maxDepth: input.max_depth,
      maxPages: input.max_pages,
      scope: input.scope ?? 'origin',
      include: input.include ?? [],
      exclude: input.exclude ?? [],
      format: input.output_format,
      respectRobots: input.respect_robots,
      delayMs: input.delay_ms,
      concurrency: input.concurrency,
      render: input.render,
      failOnPage: (input as { failOnPage?: number }).failOnPage,
    } as const;
    const timeMs = Math.max(deadline.remainingMs - HAND_OVER_MS, deadline.remainingMs / 2);
    return runCrawl(plan, { browser: rooms.browser, redactor: rooms.redactor, job, signal, progress, timeMs });
  },
  assemble: (kept, { code }) => assembleCrawl(kept, code),
});
