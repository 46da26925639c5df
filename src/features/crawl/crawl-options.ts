// The options of a crawl, with the names that the tools use. Apart from crawl-request.ts, because
// the crawl worker must not contain zod.

export const FORMATS = ['markdown', 'text', 'structured'] as const;
export type CrawlFormat = (typeof FORMATS)[number];

/** `auto` fetches each page, and loads it in a tab only if it needs scripts. */
export const RENDERS = ['auto', 'browser', 'fetch'] as const;
export type Render = (typeof RENDERS)[number];

/** What a link must have in common with the start URL; `any` requires nothing. */
export const SCOPES = ['origin', 'host', 'domain', 'any'] as const;
export type ScopeKind = (typeof SCOPES)[number];

/** Longer page content is cut. */
export const MAX_CONTENT_CHARS = 500_000;
