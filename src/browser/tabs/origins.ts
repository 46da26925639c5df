// The origins of the documents that a tab shows.
import type { Tab } from './tab.ts';

/**
 * Of the page and its frames; a frame without an origin of its own (`about:blank`, `data:`) has
 * none here.
 */
export const listOrigins = (tab: Tab): string[] => {
  const origins = tab.frames.all().map(({ url }) => URL.parse(url)?.origin ?? 'null');
  return [...new Set(origins)].filter((origin) => origin !== 'null');
};
