// The lease that writes of a task are bound to, and the failure of a write without it.
import { fail, type Failure } from '../../core/failure.ts';

export interface WriteFence {
  readonly taskId: string;
  readonly member: string;
  readonly epoch: number;
}

export const leaseLost = (id: string): Failure =>
  fail('engine_stopped', `This worker no longer leads task ${id}: another worker leads it.`);
