// A host is a program that starts MCP servers: where it keeps its configuration, and how our entry in it looks.

/** What the host is to run. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
}

/** What is known of the machine; given in, so that nothing here looks around by itself. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly homeDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface Host {
  /** As it is named on the command line. */
  readonly id: string;
  readonly name: string;
  /** Its configuration file. */
  readonly file: (machine: Machine) => string;
  /** The text of the file with our entry, or without it; the rest of it stays as it was. */
  readonly edit: (text: string, launch: Launch | undefined) => string;
  /** What to do for the host to see it. */
  readonly afterwards: string;
}
