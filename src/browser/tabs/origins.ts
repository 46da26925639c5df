// The origins of the documents that a tab shows.
import { parseUrl } from '../../core/text.ts';
import type { Tab } from './tab.ts';

/** The origins of the page and its frames, without opaque origins (`about:blank`, `data:`). */
export const listOrigins = (tab: Tab): string[] => {
  const origins = tab.frames.all().map(({ url }) => parseUrl(url)?.origin ?? 'null');
  return [...new Set(origins)].filter((origin) => origin !== 'null');
};
