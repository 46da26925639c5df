// When a daemon has nothing to do: no call, no host, no task, for long enough.
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Reply } from '../../../pipeline/call.ts';
import { DaemonActivity, watchIdle } from './idle.ts';

const REPLY: Reply = { images: [], notes: [] };

const useClock = (): void => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
};

const watched = (occupation: DaemonActivity, idleMs: number): { ended: () => boolean } => {
  let ended = false;
  const watch = watchIdle(occupation, idleMs, () => (ended = true));
  onTestFinished(() => watch[Symbol.dispose]());
  return { ended: () => ended };
};

describe('a daemon', () => {
  it('without requests is idle after its time limit, and not before', async () => {
    useClock();
    const { ended } = watched(new DaemonActivity(() => 0), 10_000);
    await vi.advanceTimersByTimeAsync(9_000);
    expect(ended()).toBe(false);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(ended()).toBe(true);
  });

  it('is not idle while a call runs, and begins to be when it has ended', async () => {
    useClock();
    const occupation = new DaemonActivity(() => 0);
    const { ended } = watched(occupation, 1_000);
    let answer: (reply: Reply) => void = () => {};
    const running = occupation.counted(() => new Promise((resolve) => (answer = resolve)))({
      name: 'slow',
      arguments: {},
    });
    await vi.advanceTimersByTimeAsync(60_000);
    expect({ ended: ended(), now: occupation.now }).toEqual({
      ended: false,
      now: { calls: 1, hosts: 0, tasks: 0 },
    });
    answer(REPLY);
    await running;
    await vi.advanceTimersByTimeAsync(500);
    expect(ended()).toBe(false);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(ended()).toBe(true);
  });

  it('is not idle while a host is there or a task runs', async () => {
    useClock();
    let tasks = 1;
    const occupation = new DaemonActivity(() => tasks);
    const { ended } = watched(occupation, 1_000);
    await vi.advanceTimersByTimeAsync(60_000);
    const leave = occupation.host();
    tasks = 0;
    await vi.advanceTimersByTimeAsync(60_000);
    expect({ ended: ended(), busy: occupation.busy }).toEqual({ ended: false, busy: true });
    leave();
    await vi.advanceTimersByTimeAsync(2_000);
    expect({ ended: ended(), busy: occupation.busy }).toEqual({ ended: true, busy: false });
  });

  it('whose time is 0 is never idle', async () => {
    useClock();
    const { ended } = watched(new DaemonActivity(() => 0), 0);
    await vi.advanceTimersByTimeAsync(100 * 3_600_000);
    expect(ended()).toBe(false);
  });
});
