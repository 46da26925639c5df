// The page that a tab shows: its origins; draws a background tab; rejects a call that needs a page.
import { fail } from '../../core/failure.ts';
import { parseUrl, quoteText } from '../../core/text.ts';
import { isBlankAddress } from './frames.ts';
import { keepDrawing } from './screencast.ts';
import type { Tab } from './tab.ts';

/** about:blank counts as a page if a script has added content to it. */
const IS_EMPTY = `[...(document.documentElement?.childNodes ?? [])].every((node) =>
  node === document.head || (node === document.body && !node.firstChild && !node.shadowRoot))`;

/**
 * Throws `no_page` if the tab shows Chrome's error page, or is at about:blank with an empty
 * document. A tab that is loading counts as a page.
 */
export const requirePage = async (tab: Tab, signal: AbortSignal): Promise<void> => {
  if (tab.loading || tab.leavingFor || tab.dialog) return;
  if (tab.unreachableUrl !== undefined)
    throw fail(
      'no_page',
      `No page is open in tab ${tab.id}: ${quoteText(tab.unreachableUrl)} could not be loaded.`,
      { tabId: tab.id },
    );
  if (!isBlankAddress(tab.url) || tab.openedFile !== undefined) return;
  const { main } = tab.frames;
  const uniqueContextId = await main.contextId('isolated', signal);
  const { result } = await main.session.send(
    'Runtime.evaluate',
    { expression: IS_EMPTY, uniqueContextId, returnByValue: true },
    signal,
  );
  if (result.value === true)
    throw fail('no_page', `No page is open in tab ${tab.id}: it is blank.`, { tabId: tab.id });
};

/** The origins of the page and its frames, without opaque origins (`about:blank`, `data:`). */
export const listOrigins = (tab: Tab): string[] => {
  const origins = tab.frames.all().map(({ url }) => parseUrl(url)?.origin ?? 'null');
  return [...new Set(origins)].filter((origin) => origin !== 'null');
};

/** Whether the tab belongs to a headless Chrome that we started. */
const isHeadless = ({ ours, viewport }: Tab): boolean => ours && viewport !== undefined;

/**
 * Chrome draws a background tab late, which delays screenshots and pointer input. In headless
 * Chrome, `Page.bringToFront` solves this. In a window it would take the user's focus.
 */
export const makeVisible = async (tab: Tab, signal: AbortSignal): Promise<void> => {
  if (isHeadless(tab)) await tab.cdp.send('Page.bringToFront', undefined, signal);
  else keepDrawing(tab);
};

/** Makes a tab of a Chrome with windows draw while a call needs frames. */
export const drawDuringCall = (tab: Tab): void => {
  if (!isHeadless(tab)) keepDrawing(tab);
};

/**
 * As `makeVisible`, without waiting for it: an action in a background tab would not see the end of
 * animations. A tab that is gone fails the action itself.
 */
export const makeVisibleMeanwhile = (tab: Tab, signal: AbortSignal): void => {
  makeVisible(tab, signal).catch(() => {});
};
