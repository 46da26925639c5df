// Names of tasks: they grow with time, and say when they were made.
import { expect, it } from 'vitest';
import { createTaskIds, TASK_ID, parseTaskTime } from './ids.ts';

it('sort by age, within a millisecond and over a clock that is set back', () => {
  const times = [1000, 1000, 1000, 500, 1_760_000_000_000, 1_760_000_000_000];
  const nextId = createTaskIds(() => times.shift() ?? 0);
  const ids = Array.from({ length: 6 }, () => nextId());
  expect(ids).toEqual(ids.toSorted());
  expect(ids.every((id) => TASK_ID.test(id))).toBe(true);
  expect(ids.map(parseTaskTime)).toEqual([
    1000, 1001, 1002, 1003, 1_760_000_000_000, 1_760_000_000_001,
  ]);
});
