// The cleanup of a home while no engine is loaded.
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { resolveConfig } from '../../core/config.ts';
import { resolveHome } from '../../core/home.ts';
import { createLog } from '../../core/log.ts';
import { startCleanup } from './cleanup.ts';

const LONG_AGO = new Date('2020-01-01');

const useHome = () => {
  const root = mkdtempSync(join(tmpdir(), 'openchrome-cleanup-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const home = resolveHome({ OPENCHROME_HOME: root });
  /** Writes a file that was last changed long ago. */
  const write = (...names: string[]): string => {
    const path = join(...names);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, '{}');
    utimesSync(path, LONG_AGO, LONG_AGO);
    return path;
  };
  return { home, write };
};

it('removes expired files of all stores, and keeps the files of the user', async () => {
  const { home, write } = useHome();
  const draft = join(home.tasks, '.0123456789ab.tmp');
  write(draft, 'meta.json');
  utimesSync(draft, LONG_AGO, LONG_AGO);
  const expired = [
    draft,
    write(home.journal, 'journal-2020-01-01.jsonl'),
    write(home.networkCache, 'browser_default.json'),
    write(home.snapshots, 'snap_0123456789abcdef.json'),
    write(home.output, '2020-01-01', 'oh_ABCDEFGHIJKL.json'),
  ];
  const kept = [write(home.journal, 'notes.txt'), write(home.output, 'notes.txt')];
  const log = createLog({ level: 'error', write: () => {} });
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] });
  using cleanup = startCleanup({ config: resolveConfig({ flags: [] }), home, log });
  expect(cleanup).toBeDefined();
  await vi.advanceTimersByTimeAsync(30_000);
  vi.useRealTimers();
  await expect.poll(() => expired.filter(existsSync), { timeout: 10_000 }).toEqual([]);
  expect(kept.filter(existsSync)).toEqual(kept);
});
