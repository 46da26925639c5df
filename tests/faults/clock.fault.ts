// A clock that jumps a year ahead and back while the server works. Deadlines, waits and tasks do
// not care; what is kept is not lost by a step back.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mkdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { useSite } from '../fixtures.ts';
import { useServers } from './servers.ts';

const servers = useServers();
const site = useSite({
  '/': '<title>Home</title><a href="/slow">slow</a><p>A paragraph.</p>',
  '/slow': (_, response) => void setTimeout(() => response.end('<title>Slow</title>'), 1500),
});

/** Loaded before the program: adds the offset in a file to the clock of the machine. */
const JUMPING_CLOCK = `
import { readFileSync } from 'node:fs';
const real = Date.now.bind(Date);
const RealDate = Date;
const offset = () => { try { return Number(readFileSync(process.env.JUMP_FILE, 'utf8')) || 0; } catch { return 0; } };
globalThis.Date = class extends RealDate {
  constructor(...args) { if (args.length === 0) super(real() + offset()); else super(...args); }
  static now() { return real() + offset(); }
};
`;
const YEAR_MS = 365 * 24 * 3_600_000;

test(
  'a clock that jumps ends no call early or late, and loses nothing that was kept',
  { timeout: 120_000 },
  async () => {
    const home = await servers.home();
    await mkdir(home, { recursive: true });
    const [preload, jump] = [join(home, 'clock.mjs'), join(home, 'jump')];
    await writeFile(preload, JUMPING_CLOCK);
    const server = await servers.start(home, {
      env: { NODE_OPTIONS: `--import=${preload}`, JUMP_FILE: jump },
    });
    await server.call('navigate', { url: `${site.origin}/` });
    const stored = await server.call('read_page', { output_mode: 'handle' });
    const [handle] = /oh_[A-Z0-9]{12}/.exec(stored.text) ?? [];

    for (const offset of [-YEAR_MS, 0, YEAR_MS, 0]) {
      const started = await server.call('oc_task_start', {
        kind: 'crawl',
        args: { url: `${site.origin}/`, max_pages: 2, render: 'fetch' },
      });
      const { task_id: task } = JSON.parse(started.text) as { task_id: string };
      const waiting = server.call('wait_for', { text: 'never there', timeout_ms: 1500 });
      await writeFile(jump, String(offset));
      const waited = await waiting;
      expect(waited.kind).toBe('failed');
      expect(waited.ms).toBeGreaterThan(1000);
      expect(waited.ms).toBeLessThan(12_000);
      expect(
        (await server.call('oc_task_wait', { task_id: task, timeout_ms: 30_000 })).text,
      ).toContain('COMPLETED');
      expect(await server.call('read_page')).toMatchObject({ kind: 'ok' });
      expect(await server.call('oc_journal')).toMatchObject({ kind: 'ok' });
      // A year ahead the handle has expired, and the reply reports that. The handle and its file
      // must still exist after the clock is corrected.
      if (offset <= 0)
        expect(
          await server.call('oc_output_fetch', { output_handle: handle, limit: 100 }),
        ).toMatchObject({ kind: 'ok' });
    }
    expect(server.stderr()).not.toMatch(/unexpected|unhandled/i);
    await server.stop();
  },
);
