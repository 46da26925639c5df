// Tests of the tab queue: calls run in order, and a cancelled call leaves the queue.
import { expect, test } from 'vitest';
import { Queue } from './queue.ts';

const never = new AbortController().signal;
const gate = (): { wait: Promise<void>; open: () => void } => {
  let open = (): void => {};
  const wait = new Promise<void>((resolve) => (open = resolve));
  return { wait, open };
};

test('work runs one after the other, in order', async () => {
  const queue = new Queue();
  const order: number[] = [];
  const first = gate();
  const runs = [
    queue.run('a', async () => (await first.wait, void order.push(1)), never),
    queue.run('b', async () => void order.push(2), never),
    queue.run('c', async () => void order.push(3), never),
  ];
  first.open();
  await Promise.all(runs);
  expect(order).toEqual([1, 2, 3]);
});

test('failed work does not block the next work', async () => {
  const queue = new Queue();
  const failed = queue.run('a', () => Promise.reject(new Error('no')), never);
  await expect(failed).rejects.toThrow('no');
  await expect(queue.run('b', async () => 'yes', never)).resolves.toBe('yes');
});

test('a cancelled waiter is rejected at once, and the next one still waits for the first', async () => {
  const queue = new Queue();
  const first = gate();
  const held = queue.run('held', () => first.wait, never);
  const abort = new AbortController();
  const givesUp = queue.run('gives up', async () => 'never', abort.signal);
  let ran = false;
  const behind = queue.run('behind', async () => (ran = true), never);
  abort.abort(new Error('enough'));
  await expect(givesUp).rejects.toThrow('enough');
  expect(ran).toBe(false);
  expect(queue.running).toBe('held');
  first.open();
  await Promise.all([held, behind]);
  expect(ran).toBe(true);
});
