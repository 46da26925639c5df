// What a recording can be asked for, and how much of it there may be.

export const EXPORTS = ['json', 'html', 'playwright', 'puppeteer'] as const;
export type Export = (typeof EXPORTS)[number];

/** Left at the end of a call for putting the exports together. */
export const HAND_OVER_MS = 10_000;

export const MAX_MEGABYTES = 200;
export const MEGABYTES = 50;
