// The listed names of arguments.
import { expect, it } from 'vitest';
import { formatArgumentName, formatArgumentNames } from './input-fields.ts';

it('lists the name of an argument in snake_case', () => {
  expect(['tabId', 'outerHTML', 'timeout_ms', 'url', 'waitForMs'].map(formatArgumentName)).toEqual([
    'tab_id',
    'outer_html',
    'timeout_ms',
    'url',
    'wait_ms',
  ]);
});

it('renames only the arguments themselves, not the names inside a value', () => {
  expect(formatArgumentNames({ taskId: '1', policy: { maxToolCalls: 5 } })).toEqual({
    task_id: '1',
    policy: { maxToolCalls: 5 },
  });
});
