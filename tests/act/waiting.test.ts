// Waiting for what is about to happen: nothing that comes between a look and the wait is missed.
import { expect, it } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';

const server = useEngine();
const site = useSite({ '/': '<title>Here</title><p>Here</p>' });

it('for a page to load is not longer than its loading, whenever the wait begins', async () => {
  await server.json('navigate', { url: `${site.origin}/` });
  for (let time = 0; time < 40; time++) {
    // It may be overtaken by the reload before: only that there is one matters.
    await server.reply('javascript_tool', { code: `setTimeout(() => location.reload(), ${time % 8})` });
    expect(await server.text('wait_for', { loadState: 'load', timeout_ms: 4_000 }), `time ${time}`).toContain('loaded');
  }
});

it('in a page that hangs ends with the page named, not with what it was waited for', async () => {
  await server.json('tabs', { action: 'new', url: `${site.origin}/` });
  await server.text('javascript_tool', { code: 'setTimeout(() => { const end = Date.now() + 6000; while (Date.now() < end); }); 1' });
  expect(await server.failure('wait_for', { text: 'Never', timeout_ms: 1500 })).toMatchObject({
    code: 'page_unresponsive',
    message: expect.stringContaining('within 1500 ms') as string,
  });
});
