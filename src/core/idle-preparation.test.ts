// The preparation runs once, in a pause between calls, and only if it is due.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { IdlePreparation } from './idle-preparation.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const create = (): {
  readonly preparation: IdlePreparation;
  readonly countRuns: () => number;
  readonly setDue: () => void;
} => {
  let [runs, isDue] = [0, false];
  const preparation = new IdlePreparation({ isDue: () => isDue, prepare: () => runs++ });
  return { preparation, countRuns: () => runs, setDue: () => (isDue = true) };
};

const SHORT_CALL = async (): Promise<void> => {};
const longCall = (ms: number) => (): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms));

test('the preparation runs once, 250 ms after a call', async () => {
  const { preparation, countRuns, setDue } = create();
  setDue();
  await preparation.during(SHORT_CALL);
  await vi.advanceTimersByTimeAsync(249);
  expect(countRuns()).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(countRuns()).toBe(1);
  await preparation.during(SHORT_CALL);
  await vi.advanceTimersByTimeAsync(1000);
  expect(countRuns()).toBe(1);
});

test('the preparation waits for the end of all calls', async () => {
  const { preparation, countRuns, setDue } = create();
  setDue();
  const longest = preparation.during(longCall(5000));
  await preparation.during(SHORT_CALL);
  await vi.advanceTimersByTimeAsync(4000);
  expect(countRuns()).toBe(0);
  await vi.advanceTimersByTimeAsync(1000);
  await longest;
  const short = preparation.during(longCall(50));
  await vi.advanceTimersByTimeAsync(50);
  await short;
  expect(countRuns()).toBe(0);
  await vi.advanceTimersByTimeAsync(250);
  expect(countRuns()).toBe(1);
});

test('a preparation that is not due is checked again after the next call', async () => {
  const { preparation, countRuns, setDue } = create();
  await preparation.during(SHORT_CALL);
  await vi.advanceTimersByTimeAsync(1000);
  setDue();
  await vi.advanceTimersByTimeAsync(1000);
  expect(countRuns()).toBe(0);
  await preparation.during(SHORT_CALL);
  await vi.advanceTimersByTimeAsync(250);
  expect(countRuns()).toBe(1);
});

test('no preparation starts after the disposal', async () => {
  const { preparation, countRuns, setDue } = create();
  setDue();
  await preparation.during(SHORT_CALL);
  preparation[Symbol.dispose]();
  await vi.advanceTimersByTimeAsync(1000);
  expect(countRuns()).toBe(0);
});
