// After Chrome has exited by itself, the captured requests are listed; the reply reports if there
// are none.
import { describe, expect, it } from 'vitest';
import type { Listing } from '../../src/render/network-list.ts';
import { useEngine } from '../fixtures.ts';
import { useNetworkSite } from './site.ts';

const site = useNetworkSite();
const engine = useEngine();

const killChrome = async (): Promise<void> => {
  const { chrome } = await engine.json<{ chrome: { pid: number } }>('oc_connection_health');
  process.kill(chrome.pid, 'SIGKILL');
  await expect
    .poll(async () => (await engine.json<{ state: string }>('oc_connection_health')).state)
    .toBe('not_started');
};

describe('after Chrome was killed', () => {
  it('a session without a capture reports the failure', async () => {
    await engine.text('tabs', { action: 'new' });
    await killChrome();
    expect(await engine.failure('network')).toMatchObject({
      code: 'capture_failed',
      retryable: true,
    });
  });

  it('the captured requests are listed, with the reason why the capture ended', async () => {
    await engine.text('navigate', { url: `${site.origin}/` });
    await engine.text('javascript_tool', { code: `await (await fetch('/items')).json()` });
    await engine.text('network');
    await killChrome();
    // an icon may have been on its way
    const listing = await engine.json<Listing>('network', { url: '/items' });
    expect(listing).toMatchObject({
      count: 1,
      capture_ended: expect.any(String),
      entries: [{ status: 200, shape: { '$.total': 'number' } }],
    });
    expect(await engine.json('network', { detail: listing.entries[0]!.key })).toMatchObject({
      body: { total: 2 },
    });
    expect(await engine.json('oc_connection_health')).toMatchObject({ state: 'not_started' });
  });
});
