// Opens an empty page of an origin without network access, to fill its storage.
import type { Frame } from './frames.ts';
import type { Tab } from './tab.ts';

/** The tab shows the empty page until it is navigated elsewhere. */
export const runInEmptyPage = async <T>(
  tab: Tab,
  origin: string,
  work: (frame: Frame) => Promise<T>,
  signal: AbortSignal,
): Promise<T> => {
  const empty = {
    action: 'fulfill',
    status: 200,
    headers: { 'content-type': 'text/html' },
    body: '',
  } as const;
  const handler = tab.interception.add({
    name: 'storage',
    patterns: [`${origin}/*`],
    onError: 'fail',
    handle: () => empty,
  });
  try {
    // A service worker of the site would answer before the interception handler.
    await Promise.all([
      handler.ready,
      tab.cdp.send('Network.setBypassServiceWorker', { bypass: true }, signal),
    ]);
    const navigated = tab.events.next('navigated', ({ url }) => url.startsWith(origin), signal);
    await Promise.all([navigated, tab.cdp.send('Page.navigate', { url: `${origin}/` }, signal)]);
    return await work(tab.frames.main);
  } finally {
    await handler.remove();
    // The tab may be closed.
    await tab.cdp.send('Network.setBypassServiceWorker', { bypass: false }).catch(() => {});
  }
};
