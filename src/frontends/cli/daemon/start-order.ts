// What a starting daemon and the process that starts it say to each other, over the channel between
// them.
import type { Config } from '../../../core/config.ts';
import type { FailureBody } from '../../../core/failure.ts';

export interface DaemonOrder {
  readonly config: Config;
  /** The variables that its configuration was made of, as a digest. */
  readonly environment: string;
}

/** It listens and has written daemon.json, or it will not. */
export type DaemonReport = { readonly ready: true } | { readonly failure: FailureBody['error'] };
