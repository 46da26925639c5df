// Ends leftover Chromes of dead servers and removes expired files; also runs without the engine.
import { reapOrphans } from '../../browser/launch/ownership.ts';
import type { Config } from '../../core/config.ts';
import type { Home } from '../../core/home.ts';
import type { Log } from '../../core/log.ts';
import { after } from '../../core/time.ts';
import { recordingsRetention } from '../../store/files/recordings.ts';
import {
  downloadRetention,
  evidenceRetention,
  journalRetention,
  loadRule,
  networkCacheRetention,
  type RetentionRule,
  snapshotRetention,
  Sweeper,
} from '../../store/files/sweeper.ts';

/** Delay before leftover Chromes of dead servers are ended: the first calls come first. */
const REAP_AFTER_MS = 3000;

export interface CleanupOptions {
  readonly config: Config;
  readonly home: Home;
  readonly log: Log;
  /** The rules of the stores of payloads and tasks, if an engine has opened these stores. */
  readonly storeRules?: readonly RetentionRule[];
}

/** Runs until it is disposed. Several processes may clean up the same home. */
export const startCleanup = (options: CleanupOptions): Disposable => {
  const { config, home, log, storeRules = buildStoreRules(options) } = options;
  const { keepDays } = config;
  const sweeper = new Sweeper(
    [
      ...storeRules,
      journalRetention(home.journal),
      networkCacheRetention(home.networkCache),
      recordingsRetention(home.recordings),
      evidenceRetention(home.evidence, keepDays),
      snapshotRetention(home.snapshots, keepDays),
      downloadRetention(home.downloads, keepDays),
    ],
    log,
  );
  const reaping = after(REAP_AFTER_MS, () => void reapLeftovers(home, log));
  return {
    [Symbol.dispose]: () => {
      sweeper[Symbol.dispose]();
      reaping[Symbol.dispose]();
    },
  };
};

const reapLeftovers = async (home: Home, log: Log): Promise<void> => {
  await reapOrphans({ home }).catch((error: unknown) =>
    log.warn('orphans could not be looked for', error),
  );
};

const buildStoreRules = ({ config, home }: CleanupOptions): readonly RetentionRule[] => [
  loadRule(
    {
      name: 'output handles',
      folder: home.output,
      everyMs: config.outputHandleSweepIntervalSeconds * 1000,
    },
    async () => (await import('./store-sweeps.ts')).createPayloadSweep(config, home),
  ),
  loadRule({ name: 'tasks', folder: home.tasks }, async () =>
    (await import('./store-sweeps.ts')).createTaskSweep(home),
  ),
];
