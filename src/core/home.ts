// Where things live: every path under the one home folder is named here.
import { homedir } from 'node:os';
import { join } from 'node:path';

export interface Home {
  readonly root: string;
  /** Payloads stored behind a handle, one folder per day. */
  readonly output: string;
  /** The ledger: one folder per task. */
  readonly tasks: string;
  readonly journal: string;
  readonly profile: string;
  readonly browsers: string;
  readonly downloads: string;
  /** One folder per recording of a tab. */
  readonly recordings: string;
  /** Evidence bundles for which no other place was named. */
  readonly evidence: string;
  /** Saved sessions: they hold cookies, and are for their owner alone. */
  readonly snapshots: string;
  /** The last network capture of each workspace. */
  readonly networkCache: string;
  /** One small file per running server or Chrome of ours: what orphan reaping goes by. */
  readonly run: string;
  /** Hosts that the user confirmed for secrets. */
  readonly secretHosts: string;
  /** Where the command line's daemon is reached, and what it logs. */
  readonly daemon: string;
  readonly daemonLog: string;
}

export const resolveHome = (env: NodeJS.ProcessEnv = process.env): Home => {
  const root = env['OPENCHROME_HOME'] || join(homedir(), '.openchrome');
  return {
    root,
    output: join(root, 'output'),
    tasks: env['OPENCHROME_TASK_ROOT'] || join(root, 'tasks'),
    journal: join(root, 'journal'),
    profile: join(root, 'profile'),
    browsers: join(root, 'browsers'),
    downloads: join(root, 'downloads'),
    recordings: join(root, 'recordings'),
    evidence: join(root, 'evidence'),
    snapshots: join(root, 'snapshots'),
    networkCache: join(root, 'cache', 'browser-network'),
    run: join(root, 'run'),
    secretHosts: join(root, 'secret-hosts.json'),
    daemon: join(root, 'daemon.json'),
    daemonLog: join(root, 'daemon.log'),
  };
};
