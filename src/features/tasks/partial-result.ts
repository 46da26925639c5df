// The result of work that did not come to its end: put together by the tool that did it, from what
// it had kept.
import type { Log } from '../../core/log.ts';
import type { TaskStore } from '../../store/tasks/task-store.ts';
import type { Assemble, TaskEnd } from './kind.ts';

interface PartialResultContext {
  readonly store: TaskStore;
  readonly log: Log;
  /** Takes out what must not leave the engine. */
  readonly clean: <T>(data: T) => T;
}

/**
 * Returns where the result is; nothing when there is none to save. A result that cannot be made
 * never keeps a task from ending.
 */
export const savePartialResult = async (
  { store, log, clean }: PartialResultContext,
  assemble: Assemble | undefined,
  id: string,
  end: TaskEnd,
): Promise<string | undefined> => {
  try {
    const result = await assemble?.(store.files(id), end);
    return result === undefined
      ? undefined
      : await store.saveResult(id, JSON.stringify(clean(result)));
  } catch (error) {
    log.warn(`what task ${id} had done could not be put together`, error);
    return undefined;
  }
};
