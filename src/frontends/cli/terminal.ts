// Where the command line writes: data to stdout, everything about it to stderr, colours only for people.

export interface Terminal {
  /** A person reads stdout, not a program. */
  readonly interactive: boolean;
  readonly columns: number;
  out(text: string): void;
  err(text: string): void;
  paint(colour: Colour, text: string): string;
}

const COLOURS = { red: 31, green: 32, yellow: 33, dim: 2, bold: 1 } as const;
export type Colour = keyof typeof COLOURS;

export const createTerminal = (env: NodeJS.ProcessEnv = process.env): Terminal => {
  const interactive = process.stdout.isTTY;
  const colourful = interactive && env['NO_COLOR'] === undefined && env['TERM'] !== 'dumb';
  ignoreBrokenPipe(process.stdout);
  return {
    interactive,
    columns: process.stdout.columns || 100,
    out: (text) => void process.stdout.write(`${text}\n`),
    err: (text) => void process.stderr.write(`${text}\n`),
    paint: (colour, text) => (colourful ? `\u001b[${COLOURS[colour]}m${text}\u001b[0m` : text),
  };
};

/** `openchrome … | head -1` is no error. */
const ignoreBrokenPipe = (stream: NodeJS.WriteStream): void => {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
};
