// Tests of task-state.ts: every step from every status; a terminal status never changes.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TASK_STATUSES, type TaskMeta, type TaskStatus } from '../../store/tasks/task-ledger.ts';
import { advance, findReportedEnd, hasEnded, type TaskStep } from './task-state.ts';

const row = (status: TaskStatus): TaskMeta => ({
  task_id: '0123456789abcdef',
  kind: 'counts',
  status,
  session: 'default',
  pid: 1,
  process_started_at: 1,
  created_at: 1,
  args_summary: {},
});

const STEPS: readonly TaskStep[] = [
  { type: 'start' },
  { type: 'progress', progress: { done: 1, message: 'one' } },
  { type: 'request_cancel' },
  { type: 'complete', resultPath: '/r' },
  { type: 'fail', error: { code: 'timeout', message: 'too late' } },
  { type: 'cancel', resultPath: '/r' },
];

const outcome = (status: TaskStatus, step: TaskStep): string => {
  try {
    return advance(row(status), step, 5).meta.status;
  } catch {
    return '-';
  }
};

describe('a task', () => {
  it('changes its state only as listed in this table', () => {
    const table = TASK_STATUSES.map(
      (status) =>
        `${status}: ${STEPS.map((step) => `${step.type} ${outcome(status, step)}`).join(', ')}`,
    );
    expect(table).toMatchInlineSnapshot(`
      [
        "PENDING: start RUNNING, progress -, request_cancel -, complete -, fail FAILED, cancel CANCELLED",
        "RUNNING: start -, progress RUNNING, request_cancel RUNNING, complete COMPLETED, fail FAILED, cancel CANCELLED",
        "COMPLETED: start -, progress -, request_cancel -, complete -, fail -, cancel -",
        "FAILED: start -, progress -, request_cancel -, complete -, fail -, cancel -",
        "CANCELLED: start -, progress -, request_cancel -, complete -, fail -, cancel -",
      ]
    `);
  });

  it('rejects a step after its end with a failure that names the final state', () => {
    expect(() => advance(row('CANCELLED'), { type: 'complete', resultPath: '/r' }, 5)).toThrow(
      expect.objectContaining({
        code: 'task_already_ended',
        details: expect.objectContaining({ status: 'CANCELLED' }) as object,
      }),
    );
  });

  it('never changes after its end, for any steps in any order', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...STEPS), { maxLength: 12 }), (steps) => {
        let meta = row('PENDING');
        for (const step of steps) {
          const before = meta;
          try {
            ({ meta } = advance(meta, step, 5));
          } catch {
            continue;
          }
          expect(hasEnded(before)).toBe(false);
        }
      }),
    );
  });

  it('reports every step in one event', () => {
    expect(
      STEPS.map(
        (step) => advance(row(step.type === 'start' ? 'PENDING' : 'RUNNING'), step, 5).event,
      ),
    ).toMatchInlineSnapshot(`
      [
        {
          "kind": "started",
          "ts": 5,
        },
        {
          "data": {
            "done": 1,
            "message": "one",
          },
          "kind": "progress",
          "ts": 5,
        },
        {
          "kind": "cancel_requested",
          "ts": 5,
        },
        {
          "data": {
            "result_path": "/r",
          },
          "kind": "completed",
          "ts": 5,
        },
        {
          "data": {
            "code": "timeout",
            "message": "too late",
          },
          "kind": "failed",
          "ts": 5,
        },
        {
          "data": {
            "result_path": "/r",
          },
          "kind": "cancelled",
          "ts": 5,
        },
      ]
    `);
  });

  it('can be ended from its last event if its row was not written', () => {
    for (const step of STEPS.slice(3)) {
      const { meta, event } = advance(row('RUNNING'), step, 5);
      expect(advance(row('RUNNING'), findReportedEnd(event!)!, 5).meta).toEqual(meta);
    }
    for (const step of STEPS.slice(1, 3))
      expect(findReportedEnd(advance(row('RUNNING'), step, 5).event!)).toBeUndefined();
  });

  it('keeps the time of the first request to end it', () => {
    const asked = advance(row('RUNNING'), { type: 'request_cancel' }, 5).meta;
    expect(advance(asked, { type: 'request_cancel' }, 9).meta.cancel_requested_at).toBe(5);
  });

  it('keeps fields of its row that it does not know', () => {
    expect(
      advance({ ...row('PENDING'), objective: 'find it' }, { type: 'start' }, 5).meta,
    ).toMatchObject({ objective: 'find it' });
  });
});
