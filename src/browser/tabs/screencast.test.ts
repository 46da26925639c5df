// Tests which streams a tab gets while calls draw it and viewers watch it.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Events } from '../../core/events.ts';
import { keepDrawing, Screencast, type TabPicture } from './screencast.ts';
import type { Tab } from './tab.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A tab that records the commands it sends. */
const createTab = () => {
  const sent: string[] = [];
  const send = (method: string): Promise<object> => {
    sent.push(method);
    return Promise.resolve({});
  };
  const events: Tab['events'] = new Events();
  const cdp = { send, on: () => () => {} } as Partial<Tab['cdp']> as Tab['cdp'];
  const tab = { events, cdp } as Partial<Tab> as Tab;
  const navigate = (): void =>
    events.emit('navigated', { url: '', loaderId: '1', fromBackForwardCache: false });
  return { tab, sent, navigate };
};

it('draws a tab with one stream during several calls, and stops 5 s after the last one', () => {
  const { tab, sent } = createTab();
  keepDrawing(tab);
  vi.advanceTimersByTime(4_000);
  keepDrawing(tab);
  vi.advanceTimersByTime(4_000);
  expect(sent).toEqual(['Page.startScreencast']);
  vi.advanceTimersByTime(1_000);
  expect(sent).toEqual(['Page.startScreencast', 'Page.stopScreencast']);
});

it('starts the stream again at the first call after a navigation', () => {
  const { tab, sent, navigate } = createTab();
  keepDrawing(tab);
  navigate();
  keepDrawing(tab);
  navigate();
  expect(sent).toEqual(['Page.startScreencast', 'Page.startScreencast']);
});

it('stops the stream 5 s after the last call although the page has navigated', () => {
  const { tab, sent, navigate } = createTab();
  keepDrawing(tab);
  navigate();
  vi.advanceTimersByTime(5_000);
  expect(sent).toEqual(['Page.startScreencast', 'Page.stopScreencast']);
});

it('leaves the stream of a viewer alone', () => {
  const { tab, sent } = createTab();
  keepDrawing(tab);
  const viewer = new Screencast(tab, { maxWidth: 100, onPicture: () => {} });
  keepDrawing(tab);
  vi.advanceTimersByTime(300);
  expect(sent).toEqual(['Page.startScreencast', 'Page.startScreencast']);
  viewer[Symbol.dispose]();
  keepDrawing(tab);
  expect(sent.slice(2)).toEqual(['Page.stopScreencast', 'Page.startScreencast']);
});

it('captures the first picture again if the page did not answer', async () => {
  const { tab, sent } = createTab();
  let failures = 2;
  tab.cdp.send = (method: string) => {
    sent.push(method);
    if (method === 'Page.captureScreenshot' && failures-- > 0)
      return Promise.reject(new Error('hangs'));
    const view = { clientWidth: 800, clientHeight: 600 };
    return Promise.resolve({ data: 'AAAA', cssVisualViewport: view });
  };
  const pictures: TabPicture[] = [];
  using _ = new Screencast(tab, { maxWidth: 100, onPicture: (picture) => pictures.push(picture) });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(pictures).toMatchObject([{ width: 800, height: 600 }]);
  expect(sent.filter((method) => method === 'Page.captureScreenshot')).toHaveLength(3);
});
