// The sweeper: every rule in its rhythm, and none that can spoil it for the others.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createLog } from '../../core/log.ts';
import { type RetentionRule, Sweeper, type Swept } from './sweeper.ts';

const logged: string[] = [];
const log = createLog({ level: 'info', write: (line) => logged.push(line) });
const rule = (name: string, sweep: () => Promise<Swept>, everyMs?: number): RetentionRule => ({
  name,
  sweep: vi.fn(sweep),
  ...(everyMs === undefined ? {} : { everyMs }),
});
const nothing = async (): Promise<Swept> => ({ files: 0, bytes: 0 });
const HOUR = 3_600_000;

beforeEach(() => {
  vi.useFakeTimers();
  logged.length = 0;
});
afterEach(() => vi.useRealTimers());

it('sweeps for the first time when the start is over, then every hour', async () => {
  const journal = rule('journal', nothing);
  using _ = new Sweeper([journal], log);
  await vi.advanceTimersByTimeAsync(29_000);
  expect(journal.sweep).toHaveBeenCalledTimes(0);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(journal.sweep).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(2 * HOUR);
  expect(journal.sweep).toHaveBeenCalledTimes(3);
});

it('follows a rule that wants to be swept more often', async () => {
  const outputs = rule('outputs', nothing, 2_000);
  using _ = new Sweeper([outputs], log);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(vi.mocked(outputs.sweep).mock.calls.length).toBeGreaterThanOrEqual(1);
});

it('logs removed files and failures, and continues', async () => {
  const broken = rule('broken', () => Promise.reject(new Error('no permission')));
  const journal = rule('journal', async () => ({ files: 2, bytes: 99 }));
  using _ = new Sweeper([broken, journal], log);
  await vi.advanceTimersByTimeAsync(31_000);
  expect(logged.join('')).toContain('deleting expired files failed: broken');
  expect(logged.join('')).toContain('deleted 2 expired files (99 bytes): journal');
  await vi.advanceTimersByTimeAsync(HOUR);
  expect(broken.sweep).toHaveBeenCalledTimes(2);
});

it('stops when it is disposed', async () => {
  const journal = rule('journal', nothing);
  new Sweeper([journal], log)[Symbol.dispose]();
  await vi.advanceTimersByTimeAsync(2 * HOUR);
  expect(journal.sweep).not.toHaveBeenCalled();
});
