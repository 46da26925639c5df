// Export formats and limits of recordings.

export const EXPORTS = ['json', 'html', 'playwright', 'puppeteer'] as const;
export type Export = (typeof EXPORTS)[number];

/** Reserved at the end of a call for writing the exports. */
export const HAND_OVER_MS = 10_000;

/** Size limit of the recorded entries. */
export const MAX_BYTES = 50_000_000;
