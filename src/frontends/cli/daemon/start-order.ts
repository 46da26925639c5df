// Messages between a starting daemon and its parent process, over the IPC channel.
import type { Config, ConfigOrigins } from '../../../core/config.ts';
import type { FailureBody } from '../../../core/failure.ts';

export interface DaemonOrder {
  readonly config: Config;
  /** A digest of the variables and files that its configuration comes from. */
  readonly environment: string;
  readonly sources: ConfigOrigins;
}

/** `ready`: the daemon listens and has written daemon.json. */
export type DaemonReport = { readonly ready: true } | { readonly failure: FailureBody['error'] };
