// The facts of the page that a bundle was captured from: what it was, in which browser, how large, and when.
import type { Tab } from '../../browser/tabs/tab.ts';
import type { Capture } from './capture.ts';

/** Always the first file of a bundle; what only the page can tell is left out where it does not answer. */
export const pageFacts = async ({ tab, session, browser, page, capturedAt, signal }: Capture): Promise<object> => {
  const answering = await page.answers(signal);
  return {
    url: tab.url,
    title: tab.title,
    captured_at: new Date(capturedAt).toISOString(),
    browser: browser.health().chrome?.product,
    session: session.name,
    tabId: tab.id,
    ...(answering ? { viewport: await sizeOf(tab, signal) } : { viewport: tab.viewport, answering }),
    ...(tab.loading ? { loading: true } : {}),
    ...(tab.dialog ? { dialog: tab.dialog } : {}),
    frames: tab.frames
      .all()
      .slice(1)
      .map(({ id, url }) => ({ frameId: id, url })),
  };
};

const sizeOf = async (tab: Tab, signal: AbortSignal): Promise<object> => {
  const { cssVisualViewport, cssContentSize } = await tab.cdp.send('Page.getLayoutMetrics', undefined, signal);
  const { clientWidth, clientHeight, pageX, pageY } = cssVisualViewport;
  return {
    width: clientWidth,
    height: clientHeight,
    pixel_ratio: tab.pixelRatio,
    scroll: { x: pageX, y: pageY },
    page: { width: cssContentSize.width, height: cssContentSize.height },
  };
};
