// Which process is meant, beyond its number, and how rooms that may not look at processes ask about
// one.
import { z } from 'zod';

export const ProcessIdentity = z.object({
  pid: z.number().int().positive(),
  /**
   * When it started: exact ticks since boot on Linux, else milliseconds since 1970, good to a few
   * seconds.
   */
  started: z.string(),
  /** The machine (on Linux: and the container) in which the number counts. */
  host: z.string(),
});
export type ProcessIdentity = z.output<typeof ProcessIdentity>;

/** `elsewhere`: on another machine or in another container, where we cannot look. */
export type ProcessState = 'running' | 'gone' | 'elsewhere';

/** What a room needs to tell whose a thing is, and whether that one still lives. */
export interface Processes {
  readonly own: ProcessIdentity;
  stateOf(identity: ProcessIdentity): Promise<ProcessState>;
}
