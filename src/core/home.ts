// All paths under the home folder.
import { homedir } from 'node:os';
import { join, sep } from 'node:path';

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
  // `join` reads every character: used for each path, V8 would optimise it, which takes 4 MiB.
  const start = join(root, sep);
  const inRoot = (path: string): string => start + path;
  return {
    root,
    output: inRoot('output'),
    tasks: env['OPENCHROME_TASK_ROOT'] || inRoot('tasks'),
    journal: inRoot('journal'),
    profile: inRoot('profile'),
    browsers: inRoot('browsers'),
    downloads: inRoot('downloads'),
    recordings: inRoot('recordings'),
    evidence: inRoot('evidence'),
    snapshots: inRoot('snapshots'),
    logins: inRoot('logins'),
    recipes: inRoot('recipes'),
    cache: inRoot('cache'),
    compiledCode: inRoot(`cache${sep}compiled-code`),
    networkCache: inRoot(`cache${sep}browser-network`),
    run: inRoot('run'),
    secretHosts: inRoot('secret-hosts.json'),
    pairing: inRoot('extension.json'),
    approvals: inRoot('approvals.json'),
    waiting: inRoot('waiting'),
    daemon: inRoot('daemon.json'),
    daemonLog: inRoot('daemon.log'),
    dashboardKey: inRoot('dashboard.key'),
  };
};
