// Functions for the command line, wired at the root: frontends do not import the browser.
import type { Config, Settings } from '../../core/config.ts';
import type { Home } from '../../core/home.ts';
import type { Waiting } from '../../features/consent/waiting.ts';
import type { Finding } from '../../features/doctor/index.ts';
import type { CheckedLogin, SavedLoginFacts } from '../../features/session/saved-login.ts';
import type { NewEntries } from '../../store/tasks/working-files.ts';
import type { ClusterMember } from '../../store/cluster/cluster-store.ts';
import type { ShellClient } from '../../pipeline/call.ts';
import type { ClientPreferences } from '../mcp/client-facts.ts';
import type { DaemonClient, ToolAnswer } from './client.ts';

export interface InstalledBrowser {
  readonly path: string;
  readonly product: string;
  readonly source: string;
}

export interface StoredCall {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
  readonly session?: string;
  readonly shell: ShellClient;
  readonly signal: AbortSignal;
}

export interface RecordLogin {
  readonly url: string;
  readonly name: string;
  readonly config: Config;
  readonly waitForUser: () => Promise<void>;
  readonly signal: AbortSignal;
}

export interface Connecting {
  /** Configuration flags for a daemon that has to be started. */
  readonly flags: readonly string[];
  readonly session?: string;
  /** Output settings of the replies. */
  readonly wishes?: ClientPreferences;
  /** Start a daemon if none is running. */
  readonly start: boolean;
  /** Identify the daemon by its process; `no_daemon` if it does not respond. */
  readonly quick?: boolean;
  /** Called with the reason if the tabs of an earlier daemon are gone. */
  readonly onLostTabs?: (reason: string) => void;
  readonly signal: AbortSignal;
}

export interface FollowedFile extends NewEntries, AsyncDisposable {}

export interface Wiring {
  readonly home: Home;
  /** Loads the configuration from these flags, the environment and openchrome.json. */
  loadConfig(flags: readonly string[]): Promise<Config>;
  /** Loads the configuration and the names of the keys that a running daemon must agree with. */
  loadSettings(flags: readonly string[]): Promise<Settings>;
  /** Serves MCP until the client disconnects. */
  serve(flags: readonly string[]): Promise<void>;
  /** Works for a cluster until a signal ends the process. */
  work(flags: readonly string[]): Promise<void>;
  /**
   * Follows a working file of a task in the cluster's database. Undefined without a cluster: the
   * file is in the home folder.
   */
  followInCluster(taskId: string, file: string): Promise<FollowedFile | undefined>;
  /** The live processes of the cluster. */
  listWorkers(flags: readonly string[]): Promise<readonly ClusterMember[]>;
  runDoctor(config: Config, signal: AbortSignal): Promise<readonly Finding[]>;
  installBrowser(progress: (line: string) => void, signal: AbortSignal): Promise<InstalledBrowser>;
  /** Adds a missing scheme as for every page that is opened; throws if it is not an address. */
  parseAddress(text: string): Promise<string>;
  /** Opens a site in a visible window and saves its login when the user has finished. */
  recordLogin(options: RecordLogin): Promise<SavedLoginFacts>;
  /** Opens the page of a saved login without a window, and reports whether it still works. */
  checkLogin(name: string, config: Config, signal: AbortSignal): Promise<CheckedLogin>;
  /** The questions that wait for the user, of all servers of this home. */
  openWaiting(): Promise<Waiting>;
  /** Connects to the daemon of this home folder. */
  connect(options: Connecting): Promise<DaemonClient>;
  /** Answers a call from the home folder in this process, without a daemon. */
  callStored(call: StoredCall): Promise<ToolAnswer>;
  /** The session of commands that do not name one. */
  readonly session?: string;
  /** Reads stdin to its end. */
  readStdin(): Promise<string>;
  /** Reads the lines of stdin as they arrive. */
  readLines(): AsyncIterable<string>;
}
