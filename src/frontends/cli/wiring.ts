// What the command line can have done: wired at the root, because a frontend does not know the
// browser.
import type { Config, Settings } from '../../core/config.ts';
import type { Home } from '../../core/home.ts';
import type { Finding } from '../../features/doctor/index.ts';
import type { Wishes } from '../mcp/client-facts.ts';
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
  readonly signal: AbortSignal;
}

export interface Connecting {
  /** Flags of the configuration, for a daemon that is started. */
  readonly flags: readonly string[];
  readonly session?: string;
  /** How the replies are to be formed. */
  readonly wishes?: Wishes;
  /** Whether to start a daemon where none runs. */
  readonly start: boolean;
  readonly signal: AbortSignal;
}

export interface Wiring {
  readonly home: Home;
  /** The configuration from these flags, the environment and openchrome.json. */
  loadConfig(flags: readonly string[]): Promise<Config>;
  /** The configuration with the keys that a running daemon must agree with. */
  loadSettings(flags: readonly string[]): Promise<Settings>;
  /** Serves MCP until the client is gone. */
  serve(flags: readonly string[]): Promise<void>;
  runDoctor(config: Config, signal: AbortSignal): Promise<readonly Finding[]>;
  installBrowser(progress: (line: string) => void, signal: AbortSignal): Promise<InstalledBrowser>;
  /** The daemon of this home. */
  connect(options: Connecting): Promise<DaemonClient>;
  /** A call that is answered from the home folder alone, in this process. */
  callStored(call: StoredCall): Promise<ToolAnswer>;
  /** The session of commands that name none. */
  readonly session?: string;
  /** All of stdin, as text. */
  readStdin(): Promise<string>;
}
