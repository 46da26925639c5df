// Tests of defects.ts.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { detach, Events } from '../core/events.ts';
import { watchDefects } from './defects.ts';

const EVENTS = ['uncaughtException', 'unhandledRejection'] as const;
type Listener = (...args: unknown[]) => void;
let before: Listener[][] = [];
beforeEach(() => {
  before = EVENTS.map((event) => process.listeners(event as 'exit') as Listener[]);
  for (const event of EVENTS) process.removeAllListeners(event);
});
afterEach(() => {
  for (const [i, event] of EVENTS.entries()) {
    process.removeAllListeners(event);
    for (const listener of before[i] ?? []) process.on(event, listener);
  }
});

test('an event listener that fails is logged and does not end the engine', async () => {
  const defect = vi.fn(() => 'log-1');
  const watch = watchDefects({ defect });
  const events = new Events<{ request: string }>();
  events.on('request', () => {
    throw new Error('a broken listener');
  });
  events.on('request', () => detach(Promise.reject(new Error('a broken promise'))));
  events.emit('request', 'x');
  await vi.waitFor(() => expect(defect).toHaveBeenCalledTimes(2), { timeout: 30_000 });
  expect(defect.mock.calls).toEqual([
    [new Error('a broken listener')],
    [new Error('a broken promise')],
  ]);
  expect(watch.signal.aborted).toBe(false);
  watch.release();
});

test('any other unhandled error ends the engine', async () => {
  const watch = watchDefects({ defect: () => 'log-1' });
  queueMicrotask(() => {
    throw new Error('a defect');
  });
  await vi.waitFor(() => expect(watch.signal.aborted).toBe(true), { timeout: 30_000 });
  expect(watch.signal.reason).toMatchObject({
    code: 'engine_stopped',
    details: { log_id: 'log-1' },
  });
  watch.release();
});
