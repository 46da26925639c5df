// The definition of a tool that can run as a task, and the job that it gets.
import type { OfferedVisit, VisitOutcome } from '../../store/cluster/cluster-store.ts';
import type { KeptFiles, WorkingFiles } from '../../store/tasks/working-files.ts';

/** How a task ended before its work was complete. */
export interface TaskEnd {
  readonly status: 'FAILED' | 'CANCELLED';
  /** The error code, such as `cancelled`, `engine_stopped` or `orphaned`. */
  readonly code: string;
}

/** Builds a result from the files saved so far; returns undefined if they are not sufficient. */
export type Assemble = (kept: KeptFiles, end: TaskEnd) => unknown;

export interface TaskKind {
  readonly name: string;
  readonly assemble?: Assemble;
  /** Whether a new task can continue an ended one of this kind. */
  readonly resumes: boolean;
  /** Whether any worker of a cluster can run this task; others run where their tab is. */
  readonly distributed: boolean;
}

/**
 * Storage for the results of a long-running tool: the task's folder, or memory if the tool is
 * called directly.
 */
export interface Job extends WorkingFiles {
  /** Undefined if the tool is called directly. */
  readonly taskId?: string;
  /** Files of the ended task that this one continues. */
  readonly previous?: KeptFiles;
  /** Aborts if the task should complete early with its results so far. */
  readonly stopRequested?: AbortSignal;
  /** Visits of pages that the workers of a cluster make; undefined on one machine. */
  readonly visits?: RemoteVisits;
}

export interface RemoteVisits {
  /** Number of workers that load pages. */
  readonly workers: number;
  load(visit: OfferedVisit): Promise<VisitOutcome>;
  /** Drops the visits that have not ended. */
  close(): Promise<void>;
}
