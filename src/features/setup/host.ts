// A host is a program that starts MCP servers: where it keeps its configuration, and how our entry
// in it looks.

/** What the host is to run. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** What is known of the machine; given in, so that nothing here looks around by itself. */
export interface HostMachine {
  readonly platform: NodeJS.Platform;
  readonly homeDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface Host {
  /** As it is named on the command line. */
  readonly id: string;
  readonly name: string;
  /** Its configuration file. */
  readonly file: (machine: HostMachine) => string;
  /** The text of the file with our entry, or without it; the rest of it stays as it was. */
  readonly edit: (text: string, launch: ServerCommand | undefined) => string;
  /** What to do for the host to see it. */
  readonly afterwards: string;
}
