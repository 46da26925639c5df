// The identity of a process, and the interface for layers that must not inspect processes.
import { z } from 'zod';

export const ProcessIdentity = z.object({
  pid: z.number().int().positive(),
  /**
   * Start time: ticks since boot on Linux, else Unix milliseconds with an error of a few seconds.
   */
  started: z.string(),
  /** The machine (on Linux also the container) to which the pid belongs. */
  host: z.string(),
});
export type ProcessIdentity = z.output<typeof ProcessIdentity>;

/** `elsewhere`: on another machine or in another container, so its state is unknown. */
export type ProcessState = 'running' | 'gone' | 'elsewhere';

/** Finds out whether the owner of a resource is still running. */
export interface Processes {
  readonly own: ProcessIdentity;
  stateOf(identity: ProcessIdentity): Promise<ProcessState>;
}
