// A full-screen view of the terminal: draws frames in place, reads keys, and restores the terminal.
import { removeControls } from './terminal.ts';

const ENTER = '\u001b[?1049h\u001b[?25l'; // alternate screen, without a cursor
const LEAVE = '\u001b[?25h\u001b[?1049l';
/** Terminals that know synchronised updates show a frame at once. */
const [BEGIN_FRAME, END_FRAME] = ['\u001b[?2026h\u001b[H', '\u001b[J\u001b[?2026l'];
const END_LINE = '\u001b[K';

export interface ScreenEvents {
  readonly onKey: (key: string) => void;
  readonly onResize: () => void;
}

export class FullScreen {
  readonly #input = process.stdin;
  readonly #output = process.stdout;
  readonly #events: ScreenEvents;
  #shown = '';

  constructor(events: ScreenEvents) {
    this.#events = events;
    this.#output.write(ENTER);
    this.#input.setRawMode(true);
    this.#input.setEncoding('utf8');
    this.#input.on('data', this.#read);
    this.#input.resume();
    this.#output.on('resize', this.#resize);
    process.once('exit', this.#restore); // also after an error that was not handled
  }

  get columns(): number {
    return this.#output.columns;
  }

  get rows(): number {
    return this.#output.rows;
  }

  /** Overwrites the last frame; writes nothing if the frame is unchanged. */
  draw(lines: readonly string[]): void {
    const frame = lines
      .slice(0, this.rows)
      .map((line) => removeControls(line) + END_LINE)
      .join('\r\n');
    if (frame === this.#shown) return;
    this.#shown = frame;
    this.#output.write(`${BEGIN_FRAME}${frame}${END_FRAME}`);
  }

  [Symbol.dispose](): void {
    process.removeListener('exit', this.#restore);
    this.#output.removeListener('resize', this.#resize);
    this.#input.removeListener('data', this.#read);
    this.#input.pause();
    this.#restore();
  }

  readonly #restore = (): void => {
    this.#input.setRawMode(false);
    this.#output.write(LEAVE);
  };

  readonly #resize = (): void => {
    this.#shown = '';
    this.#events.onResize();
  };

  /** A chunk can contain several keys, if they were pressed quickly. */
  readonly #read = (chunk: string): void => {
    for (const [key] of chunk.matchAll(KEY)) this.#events.onKey(KEY_NAMES[key] ?? key);
  };
}

const KEY =
  // oxlint-disable-next-line no-control-regex
  /\u001b[[O][A-Z]|[^]/gu;

const KEY_NAMES: Readonly<Record<string, string>> = {
  '\u001b[A': 'up',
  '\u001bOA': 'up',
  '\u001b[B': 'down',
  '\u001bOB': 'down',
  '\u0003': 'interrupt',
};
