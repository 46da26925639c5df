// Where the command line writes: data to stdout, everything about it to stderr, colours only for
// people.

export interface Terminal {
  /** A person reads stdout, not a program. */
  readonly interactive: boolean;
  readonly columns: number;
  out(text: string): void;
  err(text: string): void;
  /**
   * A line on stderr that the next one takes the place of; only where a person sees it. Nothing
   * said clears it.
   */
  status(line?: string): void;
  paint(colour: Colour, text: string): string;
}

const COLOURS = { red: 31, green: 32, yellow: 33, dim: 2, bold: 1 } as const;
export type Colour = keyof typeof COLOURS;

const CLEAR_LINE = '\r\u001b[K';

/**
 * Colours of ours, and whatever else a terminal would obey: escape codes, and the marks that turn
 * text around.
 */
const OBEYED =
  // oxlint-disable-next-line no-control-regex
  /\u001b\[(?:0|1|2|31|32|33)m|\r(?=\n)|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/**
 * What is shown quotes pages, which must not move the cursor, change the title or forge a line.
 * Programs get every byte.
 */
const shownOn = ({ isTTY }: NodeJS.WriteStream, text: string): string =>
  isTTY
    ? text.replace(OBEYED, (found) => (found.length > 1 ? found : found === '\r' ? '' : '?'))
    : text;

export const createTerminal = (env: NodeJS.ProcessEnv = process.env): Terminal => {
  const interactive = process.stdout.isTTY;
  const watched = process.stderr.isTTY && env['TERM'] !== 'dumb';
  const colourful = interactive && env['NO_COLOR'] === undefined && env['TERM'] !== 'dumb';
  let standing = false;
  const clear = (): void => {
    if (standing) process.stderr.write(CLEAR_LINE);
    standing = false;
  };
  endOnBrokenPipe(process.stdout);
  process.stderr.on('error', () => {}); // nobody is left to be told
  return {
    interactive,
    columns: process.stdout.columns || 100,
    out: (text) => {
      clear();
      process.stdout.write(`${shownOn(process.stdout, text)}\n`);
    },
    err: (text) => {
      clear();
      process.stderr.write(`${shownOn(process.stderr, text)}\n`);
    },
    status: (line) => {
      if (!watched) return;
      clear();
      if (line === undefined) return;
      standing = true;
      process.stderr.write(
        shownOn(process.stderr, line).slice(0, (process.stderr.columns || 80) - 1),
      );
    },
    paint: (colour, text) => (colourful ? `\u001b[${COLOURS[colour]}m${text}\u001b[0m` : text),
  };
};

/** What a shell reports of a program whose reader went away: 128 and the number of SIGPIPE. */
const BROKEN_PIPE = 141;
/** A full disk behind `> file`: there is no place left for a failure as JSON. */
const NOT_WRITTEN = 1;

/**
 * `openchrome … | head -1` is no error, and nothing more is worth doing; the daemon takes our end
 * for a cancelled call.
 */
const endOnBrokenPipe = (stream: NodeJS.WriteStream): void => {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(BROKEN_PIPE);
    process.stderr.write(
      `openchrome: what was to be printed could not be written: ${error.message}\n`,
    );
    process.exit(NOT_WRITTEN);
  });
};
