// Memory is collected between bursts of work, and only if it has grown.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { IdleMemory } from './idle-memory.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const MIB = 1024 * 1024;

const create = (): {
  readonly memory: IdleMemory;
  readonly collected: () => number;
  readonly grow: (mib: number) => void;
} => {
  let [resident, count] = [60 * MIB, 0];
  const collect = async (): Promise<void> => {
    count++;
    resident = 60 * MIB;
  };
  return {
    memory: new IdleMemory(collect, () => resident),
    collected: () => count,
    grow: (mib) => (resident += mib * MIB),
  };
};

test('memory is collected once after a burst of work that made it grow', async () => {
  const { memory, collected, grow } = create();
  await memory.during(async () => {});
  await vi.advanceTimersByTimeAsync(10_000);
  expect(collected()).toBe(1); // what the start of the program left
  await memory.during(async () => grow(1));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(collected()).toBe(1);
  await memory.during(async () => grow(10));
  await vi.advanceTimersByTimeAsync(400);
  expect(collected()).toBe(2);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(collected()).toBe(2);
});

test('memory that has grown a little is collected only after a longer pause', async () => {
  const { memory, collected, grow } = create();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(collected()).toBe(1);
  await memory.during(async () => grow(5));
  await vi.advanceTimersByTimeAsync(2000);
  await memory.during(async () => {}); // the pause begins again
  await vi.advanceTimersByTimeAsync(2000);
  expect(collected()).toBe(1);
  await vi.advanceTimersByTimeAsync(400);
  expect(collected()).toBe(2);
});

test('what the start left is collected without any work', async () => {
  const { collected } = create();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(collected()).toBe(1);
});

test('memory is not collected while other work runs', async () => {
  const { memory, collected, grow } = create();
  let finish = (): void => {};
  const long = memory.during(() => new Promise<void>((resolve) => (finish = resolve)));
  await memory.during(async () => grow(100));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(collected()).toBe(0);
  finish();
  await long;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(collected()).toBe(1);
});

test('memory of work without pauses is collected every 30 seconds if it has grown by 64 MiB', async () => {
  const { memory, collected, grow } = create();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(collected()).toBe(1);
  void memory.during(() => new Promise<void>(() => {}));
  const workFor = async (seconds: number, mib: number): Promise<void> => {
    for (let second = 0; second < seconds; second++) {
      await memory.during(async () => grow(mib));
      await vi.advanceTimersByTimeAsync(1000);
    }
  };
  await workFor(15, 10);
  expect(collected()).toBe(1);
  await workFor(10, 10);
  expect(collected()).toBe(2);
  await workFor(60, 0.5);
  expect(collected()).toBe(2);
});
