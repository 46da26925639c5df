// The interface of a doctor check, which returns one finding.
import type { RunningChrome } from '../../browser/launch/launch-chrome.ts';
import type { Config } from '../../core/config.ts';
import type { Home } from '../../core/home.ts';

export interface DoctorFinding {
  readonly id: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly message: string;
  /** How to fix it. */
  readonly fix?: string;
}

export interface Examination {
  readonly config: Config;
  readonly home: Home;
  readonly signal: AbortSignal;
  /**
   * Starts Chrome with a temporary profile at the first call and shares it; undefined if none is
   * installed.
   */
  readonly chrome: () => Promise<RunningChrome | undefined>;
}

export interface Check {
  readonly id: string;
  readonly run: (
    examination: Examination,
  ) => Promise<Omit<DoctorFinding, 'id'>> | Omit<DoctorFinding, 'id'>;
}
