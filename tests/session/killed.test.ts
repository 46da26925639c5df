// A session that was saved comes back after its server was killed, in another server with a Chrome
// that knows nothing.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Resumed } from '../../src/features/session/resume.ts';
import type { SnapshotReport } from '../../src/features/session/session-snapshot.ts';
import { useSite } from '../fixtures.ts';
import { useTaskServers } from '../tasks/task-servers.ts';
import { FILL, FILLED, LOOK, serveShop } from './session-site.ts';

const site = useSite();
const { home, startServer } = useTaskServers();
const FRESH = ['--headless', '--isolated', '--log-level', 'error'];

it(
  'restores two tabs of a site with its login, forms, scroll positions and storage',
  { timeout: 120_000 },
  async () => {
    const { login, shop, token } = serveShop(site);
    const first = await startServer(FRESH);
    const script = (server: typeof first, code: string, tabId?: string): Promise<unknown> =>
      server.call('javascript_tool', { code, ...(tabId === undefined ? {} : { tabId }) });
    await first.call('navigate', { url: login });
    await script(
      first,
      `${FILL}; localStorage.setItem('cart', 'two chairs'); sessionStorage.setItem('step', 'one'); 1`,
    );
    await script(
      first,
      `new Promise((done) => { const open = indexedDB.open('orders', 3);
    open.onupgradeneeded = () => { const store = open.result.createObjectStore('items', { keyPath: 'id' }); store.createIndex('by-when', 'when');
      open.result.createObjectStore('loose', { autoIncrement: true }); };
    open.onsuccess = () => { const work = open.result.transaction(['items', 'loose'], 'readwrite');
      work.objectStore('items').put({ id: 1, when: new Date(5), bytes: new Uint8Array([1, 2, 3]), tags: new Set(['x']), $: 'odd' });
      work.objectStore('loose').put('plain', 7); work.oncomplete = () => { open.result.close(); done(1); }; } })`,
    );
    const { tabId: second } = await first.call<{ tabId: string }>('tabs', {
      action: 'new',
      url: `${shop}?second`,
    });
    await script(first, `sessionStorage.setItem('step', 'two'); scrollTo(0, 500); 1`, second);
    const { tabId: third } = await first.call<{ tabId: string }>('tabs', { action: 'new' });
    await first.call('tabs', { action: 'select', tabId: second });

    const memo = {
      objective: 'Buy two chairs',
      currentStep: 'filling the form',
      nextActions: ['check the size', 'submit'],
    };
    const saved = await first.call<SnapshotReport>('oc_session_snapshot', {
      name: 'chairs',
      ...memo,
    });
    expect(saved).toMatchObject({ name: 'chairs', tabs: 3, cookies: 1 });
    expect(saved.not_saved).toEqual([{ tab: shop, what: ['1 password'] }]);
    expect(JSON.stringify(saved)).not.toContain(token);
    const file = join(home(), 'snapshots', `${saved.id}.json`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).not.toContain('opensesame-77');
    expect(third).toBeTruthy();
    await first.kill();

    const other = await startServer(FRESH);
    const resumed = await other.call<Resumed>('oc_session_resume', {});
    expect(resumed).toMatchObject({ id: saved.id, name: 'chairs', memo, cookies: 1 });
    expect(
      resumed.tabs.map(({ url, active, storage_entries: stored }) => ({ url, active, stored })),
    ).toEqual([
      { url: shop, active: undefined, stored: expect.any(Number) as number },
      { url: `${shop}?second`, active: true, stored: expect.any(Number) as number },
      { url: 'about:blank', active: undefined, stored: undefined },
    ]);
    const [one, two] = resumed.tabs;
    expect(one).toMatchObject({ status: 200, scrolled: true, not_restored: ['1 password'] });
    expect(one?.fields).toBeGreaterThanOrEqual(9);
    expect(await script(other, LOOK, one?.tabId)).toEqual({
      ...FILLED,
      cart: 'two chairs',
      step: 'one',
    });
    expect(await script(other, LOOK, two?.tabId)).toMatchObject({
      greeting: 'Hello Ada',
      cart: 'two chairs',
      step: 'two',
      name: '',
      y: 500,
    });
    expect(
      await script(
        other,
        `new Promise((done) => { const open = indexedDB.open('orders'); open.onsuccess = () => { const work = open.result.transaction(['items', 'loose']);
        const item = work.objectStore('items').get(1); const loose = work.objectStore('loose').get(7);
        work.oncomplete = () => done({ version: open.result.version, when: item.result.when.getTime(), bytes: [...item.result.bytes], tags: [...item.result.tags],
          odd: item.result.$, loose: loose.result, indexes: [...open.result.transaction('items').objectStore('items').indexNames] }); } })`,
        one?.tabId,
      ),
    ).toEqual({
      version: 3,
      when: 5,
      bytes: [1, 2, 3],
      tags: ['x'],
      odd: 'odd',
      loose: 'plain',
      indexes: ['by-when'],
    });
    // Neither the empty page nor anything before it is a place to go back to.
    expect(await other.call('navigate', { action: 'back', tabId: one?.tabId })).toMatchObject({
      error: { code: 'no_history' },
    });
    expect(readdirSync(join(home(), 'snapshots'))).toEqual([`${saved.id}.json`]);
  },
);
