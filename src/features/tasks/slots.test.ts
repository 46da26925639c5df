// Tests of slots.ts: the limit, the order of waiting, and that no slot is lost.
import { expect, it } from 'vitest';
import { Slots } from './slots.ts';

const forEver = new AbortController().signal;

it('are assigned in order of request', async () => {
  const slots = new Slots(1);
  expect([slots.take(), slots.take()]).toEqual([true, false]);
  const order: string[] = [];
  const waiting = ['a', 'b', 'c'].map((name) => slots.next(forEver).then(() => order.push(name)));
  for (const turn of waiting) {
    slots.give();
    await turn;
  }
  expect(order).toEqual(['a', 'b', 'c']);
});

it('are not lost if a waiter leaves the queue', async () => {
  const slots = new Slots(1);
  slots.take();
  const impatient = new AbortController();
  const left = slots.next(impatient.signal);
  const next = slots.next(forEver);
  impatient.abort(new Error('gone'));
  await expect(left).rejects.toThrow('gone');
  slots.give();
  await next;
  slots.give();
  expect([slots.take(), slots.take()]).toEqual([true, false]);
});

it('are not assigned to waiters that have already left', async () => {
  await expect(new Slots(1).next(AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
});
