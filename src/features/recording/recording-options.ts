// What a recording can be asked for, and how much of it there may be.

export const EXPORTS = ['json', 'html', 'playwright', 'puppeteer'] as const;
export type Export = (typeof EXPORTS)[number];

/** Left at the end of a call for putting the exports together. */
export const HAND_OVER_MS = 10_000;

/** What a recording may hold before its exports are made. */
export const MAX_BYTES = 50_000_000;
