// What the ledger knows of a tool that can run as a task, and what such a tool is given to work
// with.
import type { KeptFiles, WorkingFiles } from '../../store/tasks/working-files.ts';

/** How work ended before it was done. */
export interface TaskEnd {
  readonly status: 'FAILED' | 'CANCELLED';
  /** The failure's code; `cancelled`, `engine_stopped` and `orphaned` among them. */
  readonly code: string;
}

/** Puts a result together from what was kept so far; nothing where that is too little. */
export type Assemble = (kept: KeptFiles, end: TaskEnd) => unknown;

export interface TaskKind {
  readonly name: string;
  readonly assemble?: Assemble;
  /** Whether it can go on where an ended task of its kind stopped. */
  readonly resumes: boolean;
}

/**
 * Where a long-running tool keeps its results as it goes: in its task's folder, or in memory when
 * it is called directly.
 */
export interface Job extends WorkingFiles {
  /** What an ended task of the same kind had kept, for a tool that was asked to go on there. */
  readonly previous?: KeptFiles;
  /** Aborts when the task is to end early, as COMPLETED with what there is. */
  readonly stopRequested?: AbortSignal;
}
