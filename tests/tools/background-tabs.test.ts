// Tabs in the background: they are pictured and acted on like the tab in front.
import { expect, it } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';

const site = useSite({
  '/': `<title>First</title>
    <style>@keyframes slide { from { margin-left: 0 } to { margin-left: 200px } } #go { animation: slide 300ms 1 }</style>
    <button id=go onclick="document.title = 'Pressed'">Go</button>`,
  '/second': '<title>Second</title><p>Second page</p>',
});
const engine = useEngine();

it('are pictured, and a moving target in them is pressed, while another tab is in front', async () => {
  await engine.text('navigate', { url: `${site.origin}/` });
  const { tabs } = await engine.json<{ tabs: { tabId: string }[] }>('tabs_context');
  const tabId = tabs[0]?.tabId;
  for (const action of ['page_screenshot', 'interact'] as const) {
    await engine.text('tabs', { action: 'new', url: `${site.origin}/second` });
    if (action === 'page_screenshot') {
      const { images, failure } = await engine.reply(action, { tabId });
      expect({ failure, pictures: images.length }).toEqual({ failure: undefined, pictures: 1 });
    } else {
      await engine.text('javascript_tool', {
        tabId,
        code: "go.style.animation = 'none'; go.offsetWidth; go.style.animation = ''",
      });
      expect(await engine.text(action, { tabId, action: 'click', query: 'Go' })).toContain(
        'clicked',
      );
    }
  }
  expect(await engine.text('javascript_tool', { tabId, code: 'document.title' })).toBe('Pressed');
});
