// All paths under the home folder.
import { homedir } from 'node:os';
import { join } from 'node:path';

export interface Home {
  readonly root: string;
  /** Stored payloads (output handles), one folder per day. */
  readonly output: string;
  /** The task ledger, one folder per task. */
  readonly tasks: string;
  readonly journal: string;
  readonly profile: string;
  readonly browsers: string;
  readonly downloads: string;
  /** One folder per recording of a tab. */
  readonly recordings: string;
  /** Default folder of evidence bundles. */
  readonly evidence: string;
  /** Saved sessions. They contain cookies, so only the owner may read them. */
  readonly snapshots: string;
  /** Saved logins, one private file each. */
  readonly logins: string;
  /** Recipes, one folder per site. */
  readonly recipes: string;
  /** Data that can be created again. */
  readonly cache: string;
  /** Compiled code of this program, written and read by Node. */
  readonly compiledCode: string;
  /** The last network capture of each workspace. */
  readonly networkCache: string;
  /** One small file per running server or Chrome; used to find orphaned processes. */
  readonly run: string;
  /** Hosts that the user confirmed for secrets. */
  readonly secretHosts: string;
  /** The key and the port of the paired extension. */
  readonly pairing: string;
  /** Decisions of the user that apply to later calls. */
  readonly approvals: string;
  /** Questions to the user that are open now, one file each, and their answers. */
  readonly waiting: string;
  /** The address file and the log of the daemon. */
  readonly daemon: string;
  readonly daemonLog: string;
  /** The key that signs the cookies of the dashboard. */
  readonly dashboardKey: string;
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
    logins: join(root, 'logins'),
    recipes: join(root, 'recipes'),
    cache: join(root, 'cache'),
    compiledCode: join(root, 'cache', 'compiled-code'),
    networkCache: join(root, 'cache', 'browser-network'),
    run: join(root, 'run'),
    secretHosts: join(root, 'secret-hosts.json'),
    pairing: join(root, 'extension.json'),
    approvals: join(root, 'approvals.json'),
    waiting: join(root, 'waiting'),
    daemon: join(root, 'daemon.json'),
    daemonLog: join(root, 'daemon.log'),
    dashboardKey: join(root, 'dashboard.key'),
  };
};
