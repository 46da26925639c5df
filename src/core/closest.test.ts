// A mistyped name finds the one that was meant, and nothing when nothing is near.
import { expect, test } from 'vitest';
import { findClosest } from './closest.ts';

const NAMES = [
  'navigate',
  'tabs_context',
  'tabs',
  'read_page',
  'javascript_tool',
  'oc_task_wait',
  '--login',
];

test.each([
  ['navigat', 'navigate'],
  ['readPage', 'read_page'],
  ['tab', 'tabs'],
  ['javascript', 'javascript_tool'],
  ['task_wait', 'oc_task_wait'],
  ['zzzzzzzzzzzz', undefined],
  ['--bogus', undefined],
])('%s means %s', (given, meant) => {
  expect(findClosest(given, NAMES)).toBe(meant);
});
