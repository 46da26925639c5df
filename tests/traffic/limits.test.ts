// A thousand requests of a real page: the recorder stays within its limits and counts what went.
import { describe, expect, it } from 'vitest';
import { useChrome } from './chrome.ts';
import { useTrafficSite } from './site.ts';

const chrome = useChrome();
const site = useTrafficSite();

describe('a thousand requests', () => {
  it('are counted, the last ones are kept, and reading never removes entries', async () => {
    const tab = await chrome.openTab({ limits: { requestCount: 200, bodiesBytes: 2_000 } });
    await tab.goto(`${site.origin}/`);
    await tab.run(`
      for (let done = 0; done < 1_000; done += 100)
        await Promise.all(Array.from({ length: 100 }, async (_, i) => (await fetch('/cached?' + (done + i))).text()));`);
    await tab.ended('/cached?999');
    const { requests } = tab.traffic;
    expect(requests.size).toBe(200);
    expect(requests.evicted + requests.size).toBeGreaterThanOrEqual(1_000);
    expect(requests.heldBytes).toBeLessThan(tab.traffic.limits.requestBytes);
    expect(tab.traffic.bodiesHeld.bytes).toBeLessThanOrEqual(2_000);
    await expect.poll(() => tab.traffic.inFlight()).toBe(0);

    const listed = [...requests];
    expect(listed.map(({ sequence }) => sequence)).toEqual(
      listed.map(({ sequence }) => sequence).sort((a, b) => a - b),
    );
    expect([...requests]).toHaveLength(listed.length);
    expect(requests.since(listed[189]!.sequence)).toHaveLength(10);
    expect(requests.since(requests.cursor)).toEqual([]);
  });
});
