// What a caller can choose for a crawl, in the words of the call.

export const FORMATS = ['markdown', 'text', 'structured'] as const;
export type CrawlFormat = (typeof FORMATS)[number];

/** `auto` fetches, and loads in a tab only what needs scripts. */
export const RENDERS = ['auto', 'browser', 'fetch'] as const;
export type Render = (typeof RENDERS)[number];

/** What a link must share with the start: the origin, the host, the registrable domain, nothing. */
export const SCOPES = ['origin', 'host', 'domain', 'any'] as const;
export type ScopeKind = (typeof SCOPES)[number];

/** The content of a page is cut here. */
export const MAX_CONTENT_CHARS = 500_000;
