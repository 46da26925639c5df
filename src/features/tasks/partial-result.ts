// Saves the partial result of a task that did not complete.
import type { Log } from '../../core/log.ts';
import type { TaskStore } from '../../store/tasks/task-store.ts';
import type { Assemble, TaskEnd } from './kind.ts';

interface PartialResultContext {
  readonly store: TaskStore;
  readonly log: Log;
  /** Removes text that people cannot see. */
  readonly sanitiseLarge: <T>(data: T) => Promise<T>;
}

/**
 * Returns the path of the result; undefined if there is none. Logs errors instead of throwing, so
 * that the task can end.
 */
export const savePartialResult = async (
  { store, log, sanitiseLarge }: PartialResultContext,
  assemble: Assemble | undefined,
  id: string,
  end: TaskEnd,
): Promise<string | undefined> => {
  try {
    const result = await assemble?.(store.files(id), end);
    if (result === undefined) return undefined;
    return await store.savePartialResult(id, await sanitiseLarge(result));
  } catch (error) {
    log.warn(`the partial result of task ${id} could not be saved`, error);
    return undefined;
  }
};
