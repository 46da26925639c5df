// Tests of the frames of a tab: an event that Chrome did not send.
import { expect, it } from 'vitest';
import type { CdpSession } from '../cdp/connection.ts';
import { FrameTree } from './frames.ts';

/** A blank tab whose Chrome answers with this document. */
const createFrames = async (
  next: { readonly loaderId: string; readonly url: string },
  { url = 'about:blank', loaderId = 'first' } = {},
) => {
  let shown = { id: 'main', loaderId, url };
  const navigated: string[] = [];
  const send = (method: string): Promise<object> =>
    Promise.resolve(method === 'Page.getFrameTree' ? { frameTree: { frame: shown } } : {});
  const session = { send, on: () => () => {}, onClose: () => () => {} };
  const cdp = session as Partial<CdpSession> as CdpSession;
  const frames = new FrameTree('main', cdp, {
    onFrame: () => {},
    onNavigated: ({ url }) => void navigated.push(url),
    onMovedWithinDocument: () => {},
  });
  await frames.watch(cdp, 'main');
  shown = { ...shown, ...next };
  return { frames, navigated };
};

const NEXT = { loaderId: 'second', url: 'https://a.test/next' };

// A tab that a link opens has no address before its first document.
it.each([
  { url: 'about:blank' },
  { url: '' },
  { url: '', loaderId: '' },
  { url: '', loaderId: NEXT.loaderId },
])('a tab at %j gets the address of a lost event', async (blank) => {
  const { frames, navigated } = await createFrames(NEXT, blank);
  await frames.catchUp(NEXT.url);
  expect(frames.main).toMatchObject(NEXT);
  expect(navigated).toEqual([NEXT.url]);
  await frames.catchUp(NEXT.url);
  expect(navigated).toEqual([NEXT.url]);
});

it('a blank tab stays blank while the document that Chrome names has not begun', async () => {
  const { frames, navigated } = await createFrames({ loaderId: 'first', url: 'about:blank' });
  await frames.catchUp(NEXT.url);
  expect(frames.main.url).toBe('about:blank');
  expect(navigated).toEqual([]);
});
