// Tests of progress.ts.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createProgressReport } from './tool-methods.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const recorded = () => {
  const seen: number[] = [];
  return { seen, ...createProgressReport(({ done }) => seen.push(done)) };
};

it('sends the first word at once and then at most ten a second, always the latest', async () => {
  const { seen, report, end } = recorded();
  for (let done = 1; done <= 250; done++) {
    report({ done });
    await vi.advanceTimersByTimeAsync(10);
  }
  await end();
  expect(seen[0]).toBe(1);
  expect(seen.at(-1)).toBe(250);
  expect(seen.length).toBeGreaterThan(20);
  expect(seen.length).toBeLessThanOrEqual(27);
});

it('never decreases, and sends no value twice', async () => {
  const { seen, report, end } = recorded();
  for (const done of [2, 1, 2, 3, Number.NaN, 3]) {
    report({ done });
    await vi.advanceTimersByTimeAsync(200);
  }
  await end();
  expect(seen).toEqual([2, 3]);
});

it('sends the delayed progress before the reply, and nothing after it', async () => {
  const { seen, report, end } = recorded();
  report({ done: 1 });
  report({ done: 2 });
  report({ done: 3 });
  expect(seen).toEqual([1]);
  await end();
  report({ done: 4 });
  await vi.advanceTimersByTimeAsync(1000);
  expect(seen).toEqual([1, 3]);
});

it('lets the reply wait until the last word is out', async () => {
  let out = false;
  const { report, end } = createProgressReport(async () => {
    await new Promise((resolve) => void setTimeout(resolve, 50));
    out = true;
  });
  report({ done: 1 });
  const ended = end();
  await vi.advanceTimersByTimeAsync(50);
  await ended;
  expect(out).toBe(true);
});
