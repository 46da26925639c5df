// The traits and input fields that crawl and crawl_sitemap share, and their conversion to a plan.
import { z } from 'zod';
import type { Deadline } from '../../core/time.ts';
import { FORMATS, RENDERS } from './crawl-options.ts';
import type { CrawlResult } from './result.ts';
import type { CrawlContext, CrawlPlan } from './run-crawl.ts';

export const CRAWL_TRAITS = {
  effect: 'read',
  scope: 'none',
  observation: false,
  duration: 'job',
  resumes: true,
  distributed: true,
  dialog: 'allowed',
  timeoutMs: 600_000,
  large: true,
  items: 'pages',
  urls: ['url'],
  negative: (data: unknown) => isStartMissing(data as CrawlResult),
} as const;

/** True if the start page could not be loaded, or no sitemap was found. */
const isStartMissing = ({ summary, pages }: CrawlResult): boolean =>
  summary.stop_reason === 'start_refused' ||
  summary.stop_reason === 'no_sitemap' ||
  pages[0]?.error !== undefined;

export const START_FIELD = z.string().min(1);
export const PAGES_FIELD = z.number().int().min(1).max(1_000_000).default(20);
export const GLOBS_FIELD = z.array(z.string().min(1).max(1000)).max(100).optional();

/** Accepted and documented, but not in the tool list. */
const UNLISTED = { listed: false };

/** Input fields for the loading and the output of each page. */
export const PAGE_FIELDS = {
  output_format: z.enum(FORMATS).default('markdown'),
  respect_robots: z.boolean().default(true).meta(UNLISTED),
  delay_ms: z.number().int().min(0).max(600_000).optional().meta(UNLISTED),
  concurrency: z.number().int().min(1).max(32).default(4).meta(UNLISTED),
  render: z.enum(RENDERS).default('auto'),
};

type CrawlInput = z.output<z.ZodObject<typeof PAGE_FIELDS>> & {
  readonly url: string;
  readonly max_pages: number;
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
};

/** Builds the part of the plan that both tools share; each tool adds depth and scope. */
export const buildCrawlPlan = (input: CrawlInput): Omit<CrawlPlan, 'maxDepth' | 'scope'> => ({
  url: input.url,
  maxPages: input.max_pages,
  include: input.include ?? [],
  exclude: input.exclude ?? [],
  format: input.output_format,
  respectRobots: input.respect_robots,
  delayMs: input.delay_ms,
  concurrency: input.concurrency,
  render: input.render,
});

/** A crawl stops this long before the call's deadline, to return its result in time. */
const HAND_OVER_MS = 5_000;

interface CrawlCall extends Pick<
  CrawlContext,
  'job' | 'session' | 'signal' | 'progress' | 'allowFile' | 'mayRead'
> {
  readonly services: Pick<CrawlContext, 'browser' | 'redactor' | 'workers' | 'turns' | 'robots'>;
  readonly deadline: Deadline;
}

export const createCrawlContext = ({
  services,
  session,
  job,
  signal,
  deadline,
  progress,
  allowFile,
  mayRead,
}: CrawlCall): CrawlContext => ({
  browser: services.browser,
  session,
  redactor: services.redactor,
  workers: services.workers,
  turns: services.turns,
  robots: services.robots,
  job,
  signal,
  progress,
  allowFile,
  mayRead,
  timeMs: deadline.workMs(HAND_OVER_MS),
});
