// The definition of a host, a program that starts MCP servers: its configuration file and our
// entry.

/** The command that the host runs. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** The environment; passed in for tests. */
export interface HostMachine {
  readonly platform: NodeJS.Platform;
  readonly homeDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface Host {
  /** The name on the command line. */
  readonly id: string;
  readonly name: string;
  /** Returns the path of the configuration file. */
  readonly file: (machine: HostMachine) => string;
  /** Returns the file's text with our entry added or removed, otherwise unchanged. */
  readonly edit: (text: string, launch: ServerCommand | undefined) => string;
  /** What the user must do for the change to take effect. */
  readonly afterwards: string;
}
