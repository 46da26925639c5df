// What the command line can have done: wired in app.ts, because a frontend does not know the browser.
import type { Config } from '../../core/config.ts';
import type { Finding } from '../../work/doctor/index.ts';

export interface InstalledBrowser {
  readonly path: string;
  readonly product: string;
  readonly source: string;
}

export interface Wiring {
  /** The configuration from these flags, the environment and openchrome.json. */
  loadConfig(flags: readonly string[]): Promise<Config>;
  /** Serves MCP until the client is gone. */
  serve(flags: readonly string[]): Promise<void>;
  runDoctor(config: Config, signal: AbortSignal): Promise<readonly Finding[]>;
  installBrowser(progress: (line: string) => void, signal: AbortSignal): Promise<InstalledBrowser>;
}
