// Deadlines end what waits, follow their parent, and leave no timer behind.
import { expect, test } from 'vitest';
import { fail } from './failure.ts';
import { abortable, createSteadyClock, Deadline, sleep } from './time.ts';

test('a deadline aborts with its failure', async () => {
  using deadline = new Deadline(5, () => fail('timeout', 'late'));
  await expect(abortable(new Promise(() => {}), deadline.signal)).rejects.toMatchObject({
    code: 'timeout',
    message: 'late',
  });
  expect(deadline.remainingMs).toBeLessThan(1); // Node's timers can be a part of a millisecond early
});

test('a deadline is aborted with its parent, independent of the time left', () => {
  const parent = new AbortController();
  using deadline = new Deadline(60_000, undefined, parent.signal);
  parent.abort(fail('cancelled', 'stop'));
  expect(deadline.signal.reason).toMatchObject({ code: 'cancelled' });
});

test('a sleep ends with the reason of its signal', async () => {
  const abort = new AbortController();
  const sleeping = sleep(60_000, abort.signal);
  abort.abort(new Error('wake'));
  await expect(sleeping).rejects.toThrow('wake');
});

test('the steady clock never runs backwards', () => {
  const times = [5, 3, 9];
  const clock = createSteadyClock(() => times.shift() ?? 0);
  expect([clock(), clock(), clock()]).toEqual([5, 5, 9]);
});
