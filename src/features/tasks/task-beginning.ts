// The beginning of a task: its first row is written when its call has passed the checks.
import { Failure, fail } from '../../core/failure.ts';
import { parseTaskTime } from '../../core/ids.ts';
import type { TaskLease, TaskLeases } from '../../store/cluster/cluster-store.ts';
import type { TaskChange, TaskMeta, TaskOwners } from '../../store/tasks/task-ledger.ts';
import { Slots } from './slots.ts';
import { type Assignment, TaskRun, type TaskRunContext } from './task-run.ts';
import { advance, hasEnded } from './task-state.ts';

export interface TaskBeginning {
  /** Resolves with the first row; never settles if the call fails before that. */
  readonly begun: Promise<TaskMeta>;
  /** Aborts with a `Failure` when the work must end. */
  readonly signal: AbortSignal;
  abort(reason: Failure): void;
  /** Writes the first row. Undefined if a worker of the cluster runs the task. */
  begin(session: string): Promise<TaskRun | undefined>;
}

/** The state that all beginnings share. */
class Beginning {
  readonly abortion = new AbortController();
  #resolveBegun: (meta: TaskMeta) => void = () => {};
  readonly begun = new Promise<TaskMeta>((resolve) => (this.#resolveBegun = resolve));

  get signal(): AbortSignal {
    return this.abortion.signal;
  }

  abort(reason: Failure): void {
    this.abortion.abort(reason);
  }

  protected tellBegun(meta: TaskMeta): void {
    this.#resolveBegun(meta);
  }
}

const buildPending = (
  id: string,
  session: string,
  { kind, argsSummary }: Assignment,
  owners: TaskOwners,
): TaskMeta => ({
  task_id: id,
  kind: kind.name,
  status: 'PENDING',
  session,
  ...owners.ownFields(),
  created_at: parseTaskTime(id),
  args_summary: argsSummary,
});

/** A task that this process runs. Once its row is saved, it survives a crash of this process. */
export class TaskStart extends Beginning implements TaskBeginning {
  readonly #context: TaskRunContext;
  readonly #assignment: Assignment;

  constructor(context: TaskRunContext, assignment: Assignment) {
    super();
    this.#context = context;
    this.#assignment = assignment;
  }

  /** Starts the task if a slot is free. */
  async begin(session: string): Promise<TaskRun> {
    const { store, slots, owners } = this.#context;
    const hasSlot = slots.take();
    try {
      const meta = await store.create((id) => {
        const pending = buildPending(id, session, this.#assignment, owners);
        return hasSlot
          ? advance(pending, { type: 'start' }, pending.created_at)
          : { meta: pending };
      });
      const { task_id: id } = meta;
      const run = new TaskRun(this.#context, this.#assignment, {
        id,
        hasSlot,
        abort: this.abortion,
      });
      this.tellBegun(meta);
      return run;
    } catch (error) {
      if (hasSlot) slots.give();
      throw error;
    }
  }
}

interface SubmissionContext {
  readonly owners: TaskOwners;
  readonly leases: TaskLeases;
  /** A hash of the settings that limit calls. */
  readonly limits: string;
  readonly requireWorker: () => Promise<void>;
}

interface Submission {
  readonly arguments: unknown;
  readonly resumeFrom?: string | undefined;
}

/** A task that any worker of the cluster may run. */
export class TaskSubmission extends Beginning implements TaskBeginning {
  readonly #context: SubmissionContext;
  readonly #assignment: Assignment;
  readonly #submission: Submission;

  constructor(context: SubmissionContext, assignment: Assignment, submission: Submission) {
    super();
    this.#context = context;
    this.#assignment = assignment;
    this.#submission = submission;
  }

  async begin(session: string): Promise<undefined> {
    const { leases, limits, owners, requireWorker } = this.#context;
    await requireWorker();
    const { arguments: args, resumeFrom } = this.#submission;
    const call = { arguments: args, session, limits };
    const meta = await leases.submit(
      (id) => ({ meta: buildPending(id, session, this.#assignment, owners) }),
      resumeFrom === undefined ? call : { ...call, resumeFrom },
    );
    this.tellBegun(meta);
  }
}

/** A task of the cluster that this worker leads: its row exists. */
export class LedTask extends Beginning implements TaskBeginning {
  readonly #context: TaskRunContext;
  readonly #assignment: Assignment;
  readonly #lease: TaskLease;
  #hasBegun = false;

  /** `context.store` rejects every write when another worker leads the task. */
  constructor(
    context: Omit<TaskRunContext, 'slots'>,
    assignment: Omit<Assignment, 'argsSummary' | 'handsOver'>,
    lease: TaskLease,
  ) {
    super();
    this.#context = { ...context, slots: new Slots(1) };
    this.#assignment = { ...assignment, argsSummary: undefined, handsOver: true };
    this.#lease = lease;
  }

  async begin(): Promise<TaskRun> {
    const { store, slots } = this.#context;
    const { taskId: id } = this.#lease;
    slots.take();
    const meta = await store.change(id, (row) => this.#lead(row));
    this.#hasBegun = true;
    this.tellBegun(meta);
    return new TaskRun(this.#context, this.#assignment, {
      id,
      hasSlot: true,
      abort: this.abortion,
    });
  }

  /** Ends the task if its call failed before it began, for example in another version. */
  async reject({ code, message }: Failure): Promise<void> {
    if (this.#hasBegun || code === 'engine_stopped') return;
    await this.#context.store.change(this.#lease.taskId, (meta) =>
      hasEnded(meta)
        ? undefined
        : advance(meta, { type: 'fail', error: { code, message } }, Date.now()),
    );
  }

  #lead(row: TaskMeta): TaskChange {
    if (hasEnded(row)) throw fail('engine_stopped', `Task ${row.task_id} has already ended.`);
    const { member } = this.#lease;
    const meta: TaskMeta = { ...row, ...this.#context.owners.ownFields(), worker: member };
    const now = Date.now();
    if (meta.status === 'PENDING') return advance(meta, { type: 'start' }, now);
    return { meta, event: { ts: now, kind: 'log', data: { message: `led by worker ${member}` } } };
  }
}
