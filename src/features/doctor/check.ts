// What a check of the doctor is: it looks at one thing and returns one finding.
import type { RunningChrome } from '../../browser/launch/launch-chrome.ts';
import type { Config } from '../../core/config.ts';
import type { Home } from '../../core/home.ts';

export interface DoctorFinding {
  readonly id: string;
  readonly status: 'ok' | 'warn' | 'fail';
  readonly message: string;
  /** What to do about it. */
  readonly fix?: string;
}

export interface Examination {
  readonly config: Config;
  readonly home: Home;
  readonly signal: AbortSignal;
  /**
   * A Chrome with a profile of its own, started for the first check that asks and shared by the
   * others; undefined if none is installed.
   */
  readonly chrome: () => Promise<RunningChrome | undefined>;
}

export interface Check {
  readonly id: string;
  readonly run: (
    examination: Examination,
  ) => Promise<Omit<DoctorFinding, 'id'>> | Omit<DoctorFinding, 'id'>;
}
