// Writes data to stdout and messages to stderr, with colours on a terminal; cancels work on Ctrl-C.
import { fail } from '../../core/failure.ts';
import { textIf } from '../../core/text.ts';

export interface Terminal {
  /** stdout is a terminal. */
  readonly interactive: boolean;
  readonly columns: number;
  out(text: string): void;
  err(text: string): void;
  /**
   * Shows a line on stderr that the next call replaces, only on a terminal. Without a line it is
   * cleared.
   */
  status(line?: string): void;
  /** Colours text for stdout. */
  paint(colour: Colour, text: string): string;
  /** Colours text for stderr. */
  paintError(colour: Colour, text: string): string;
}

const COLOURS = { red: 31, green: 32, yellow: 33, dim: 2, bold: 1 } as const;
export type Colour = keyof typeof COLOURS;

const CLEAR_LINE = '\r\u001b[K';

/**
 * Our own colour codes, and all other characters that control a terminal: escape codes and
 * bidirectional marks.
 */
const OBEYED =
  // oxlint-disable-next-line no-control-regex
  /\u001b\[(?:0|1|2|31|32|33)m|\r(?=\n)|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Removes control characters of pages; keeps our colours. */
export const removeControls = (text: string): string =>
  text.replace(OBEYED, (found) => {
    if (found.length > 1) return found;
    return textIf(found !== '\r', '?');
  });

/**
 * Text from pages must not move the cursor, change the title or forge a line on a terminal. Output
 * to a program is unchanged.
 */
const shownOn = ({ isTTY }: NodeJS.WriteStream, text: string): string =>
  isTTY ? removeControls(text) : text;

export const createTerminal = (env: NodeJS.ProcessEnv = process.env): Terminal => {
  const interactive = process.stdout.isTTY;
  const watched = process.stderr.isTTY && env['TERM'] !== 'dumb';
  const allowsColour = (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
  const paintIf =
    (isTerminal: boolean) =>
    (colour: Colour, text: string): string =>
      isTerminal && allowsColour ? `\u001b[${COLOURS[colour]}m${text}\u001b[0m` : text;
  let standing = false;
  const clear = (): void => {
    if (standing) process.stderr.write(CLEAR_LINE);
    standing = false;
  };
  endOnBrokenPipe(process.stdout);
  process.stderr.on('error', () => {}); // stderr is closed: the error cannot be reported
  return {
    interactive,
    columns: process.stdout.columns || parseColumns(env['COLUMNS']) || DEFAULT_COLUMNS,
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
    paint: paintIf(interactive),
    paintError: paintIf(process.stderr.isTTY),
  };
};

const DEFAULT_COLUMNS = 100;
const MIN_COLUMNS = 20;

/** COLUMNS sets the width of help in a pipe; undefined if it is not a usable width. */
const parseColumns = (text = ''): number | undefined =>
  /^\d{1,4}$/.test(text) && Number(text) >= MIN_COLUMNS ? Number(text) : undefined;

/** The exit status after a broken pipe: 128 plus the number of SIGPIPE. */
const BROKEN_PIPE = 141;
/** Exit status if stdout cannot be written, for example because the disk is full. */
const NOT_WRITTEN = 1;

/**
 * A broken pipe (`openchrome ... | head -1`) ends the process quietly; the daemon then cancels the
 * call.
 */
const endOnBrokenPipe = (stream: NodeJS.WriteStream): void => {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(BROKEN_PIPE);
    process.stderr.write(`openchrome: cannot write the output: ${error.message}\n`);
    process.exit(NOT_WRITTEN);
  });
};

/** The abort reason of an interrupted command; compared by identity, not by message. */
export const INTERRUPTED = fail('cancelled', 'Interrupted: the work was cancelled.');

/** The exit status after Ctrl-C: 128 plus the number of SIGINT. */
export const INTERRUPTED_STATUS = 130;

const SIGNAL_NAMES = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Cancels the work on Ctrl-C, SIGTERM or a closed terminal; a second signal ends the process at
 * once.
 */
export const runInterruptibly = async <T>(
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const controller = new AbortController();
  const interrupt = (): void => controller.abort(INTERRUPTED);
  for (const name of SIGNAL_NAMES) process.once(name, interrupt);
  try {
    return await work(controller.signal);
  } finally {
    for (const name of SIGNAL_NAMES) process.removeListener(name, interrupt);
  }
};
