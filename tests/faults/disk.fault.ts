// A full or read-only disk: calls that need it report it, others continue.
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { useSite } from '../fixtures.ts';
import { mountSmall } from './disks.ts';
import { isStructured, useServers } from './servers.ts';

const servers = useServers();
const site = useSite({
  '/': `<title>Home</title>${'<p>A paragraph of some words.</p>'.repeat(500)}`,
});

describe('a full disk', () => {
  test(
    'is reported by the calls that need it; the others continue, and free space resolves it',
    { timeout: 120_000 },
    async (context) => {
      const home = await servers.home();
      if (!(await mountSmall(home, 'size=3m'))) context.skip();
      const server = await servers.start(home);
      expect(await server.call('navigate', { url: `${site.origin}/` })).toMatchObject({
        kind: 'ok',
      });
      const { text } = await server.call('read_page', { output_mode: 'handle' });
      const [handle] = /oh_[A-Z0-9]{12}/.exec(text) ?? [];

      // until nothing is left
      await writeFile(join(home, 'ballast'), Buffer.alloc(8 * 1024 * 1024)).catch(() => {});
      expect(await server.call('read_page', { output_mode: 'handle' })).toMatchObject({
        kind: 'failed',
        code: 'storage_failed',
      });
      expect(
        await server.call('oc_task_start', { kind: 'crawl', args: { url: `${site.origin}/` } }),
      ).toMatchObject({
        code: 'storage_failed',
      });
      expect(await server.call('read_page')).toMatchObject({ kind: 'ok' });
      expect(
        await server.call('oc_output_fetch', { output_handle: handle, limit: 100 }),
      ).toMatchObject({ kind: 'ok' });
      expect(await server.call('navigate', { url: `${site.origin}/` })).toSatisfy(isStructured);

      await rm(join(home, 'ballast'));
      expect(await server.call('read_page', { output_mode: 'handle' })).toMatchObject({
        kind: 'ok',
      });
      expect(
        await server.call('oc_output_fetch', { output_handle: handle, limit: 100 }),
      ).toMatchObject({ kind: 'ok' });
      expect(server.stderr()).not.toMatch(/unexpected|unhandled/i);
      await server.stop();
    },
  );
});

describe('a home that may only be read', () => {
  test(
    'is reported by every call that needs it, and the server keeps running',
    { timeout: 120_000 },
    async (context) => {
      const home = await servers.home();
      if (!(await mountSmall(home, 'size=3m,ro'))) context.skip();
      const server = await servers.start(home);
      const opened = await server.call('navigate', { url: `${site.origin}/`, timeout_ms: 30_000 });
      // a profile has to be somewhere
      expect(opened).toMatchObject({ kind: 'failed', code: 'chrome_launch_failed' });
      expect(opened.text).toContain(home);
      expect(
        await server.call('oc_task_start', { kind: 'crawl', args: { url: `${site.origin}/` } }),
      ).toMatchObject({
        code: 'storage_failed',
      });
      expect(await server.call('oc_journal')).toSatisfy(isStructured);
      expect(await readdir(home)).toEqual([]);
      expect(server.stderr()).not.toMatch(/unexpected|unhandled/i);
      await server.stop();
    },
  );
});
