// `openchrome top`: shows sessions, tabs and tasks and updates them; in a pipe it prints them once.
import { spawn } from 'node:child_process';
import { Failure, getErrorMessage } from '../../../core/failure.ts';
import { sleep } from '../../../core/time.ts';
import { requireNoWords, takeSwitches } from '../command-words.ts';
import type { CliContext, RunCommand } from '../command.ts';
import { readDaemonOverview } from '../daemon/control.ts';
import { findOwnEntry } from '../daemon/find-daemon.ts';
import type { DaemonOverview } from '../daemon/status.ts';
import type { TaskData } from '../task-views.ts';
import { INTERRUPTED, INTERRUPTED_STATUS, removeControls, runInterruptibly } from '../terminal.ts';
import { cutToWidth } from '../text-layout.ts';
import { isRunning, renderTop, sortTasks } from '../top-view.ts';

const ENTER = '\u001b[?1049h\u001b[?25l'; // alternate screen, without a cursor
const LEAVE = '\u001b[?25h\u001b[?1049l';
/** Terminals that know synchronised updates show a frame at once. */
const [BEGIN_FRAME, END_FRAME] = ['\u001b[?2026h\u001b[H', '\u001b[J\u001b[?2026l'];
const END_LINE = '\u001b[K';

interface ScreenEvents {
  readonly onKey: (key: string) => void;
  readonly onResize: () => void;
}

/**
 * A full-screen view of the terminal: draws frames in place, reads keys, and restores the
 * terminal.
 */
class FullScreen {
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

export const run: RunCommand = async (words, context, command) => {
  const { on, rest } = takeSwitches(command, words);
  requireNoWords(command, rest);
  const { terminal, wiring } = context;
  try {
    return await runInterruptibly(async (signal) => {
      const overview = await readDaemonOverview(wiring.home, signal);
      if (on.has('json')) terminal.out(JSON.stringify(overview));
      else if (terminal.interactive && process.stdin.isTTY)
        return new TopScreen(context, overview, signal).show();
      else terminal.out(printOnce(overview, context));
      return 0;
    });
  } catch (error) {
    if (error !== INTERRUPTED) throw error;
    return INTERRUPTED_STATUS;
  }
};

const printOnce = (overview: DaemonOverview, { terminal }: CliContext): string => {
  const columns = terminal.interactive ? terminal.columns : Infinity;
  const paint: typeof terminal.paint = (colour, text) => terminal.paint(colour, text);
  return renderTop(overview, { columns, now: Date.now(), paint }).join('\n');
};

const REFRESH_MS = 1000;
/** The head, blank lines and titles above the tasks. */
const FIXED_LINES = 4;
const KEYS = 'q quit   arrows or j select   k cancel the task   o dashboard';

class TopScreen {
  readonly #context: CliContext;
  readonly #interrupted: AbortSignal;
  /** Aborted when the view ends. */
  readonly #closing = new AbortController();
  #overview: DaemonOverview;
  #selected: string | undefined;
  /** Shown in the last line until the next key. */
  #message = KEYS;
  /** The task whose end the next key confirms. */
  #asked: TaskData | undefined;
  #status = 0;
  #draw = (): void => {};

  constructor(context: CliContext, overview: DaemonOverview, interrupted: AbortSignal) {
    this.#context = context;
    this.#overview = overview;
    this.#interrupted = interrupted;
  }

  async show(): Promise<number> {
    using screen = new FullScreen({
      onKey: (key) => this.#press(key),
      onResize: () => this.#draw(),
    });
    this.#draw = () => screen.draw(this.#renderFrame(screen));
    this.#draw();
    await this.#refreshUntilClosed();
    return this.#status;
  }

  async #refreshUntilClosed(): Promise<void> {
    const signal = AbortSignal.any([this.#interrupted, this.#closing.signal]);
    try {
      for (;;) {
        await sleep(REFRESH_MS, signal);
        await this.#refresh(signal);
      }
    } catch (error) {
      if (this.#interrupted.aborted) throw INTERRUPTED;
      if (!signal.aborted) throw error;
    }
  }

  async #refresh(signal: AbortSignal): Promise<void> {
    try {
      this.#overview = await readDaemonOverview(this.#context.wiring.home, signal);
    } catch (error) {
      if (signal.aborted || !(error instanceof Failure)) throw error;
      this.#message = `${error.message} The last known state is shown.`;
    }
    this.#draw();
  }

  #renderFrame({ columns, rows }: FullScreen): readonly string[] {
    const { terminal } = this.#context;
    const selected = this.#findSelected()?.task_id;
    const lines = renderTop(this.#overview, {
      columns,
      maxTabs: Math.max(1, Math.floor(rows / 2) - FIXED_LINES),
      now: Date.now(),
      selected,
      paint: (colour, text) => terminal.paint(colour, text),
    });
    const room = Math.max(1, rows - 2);
    const cut = lines.length - room;
    const shown = cut > 0 ? [...lines.slice(0, room - 1), `... and ${cut + 1} more lines`] : lines;
    return [...shown, '', terminal.paint('dim', cutToWidth(this.#message, columns))];
  }

  /** The task that the user selected, or the first one. */
  #findSelected(): TaskData | undefined {
    const tasks = sortTasks(this.#overview);
    return tasks.find(({ task_id: id }) => id === this.#selected) ?? tasks[0];
  }

  #press(key: string): void {
    const asked = this.#asked;
    this.#asked = undefined;
    this.#message = KEYS;
    if (key === 'interrupt') this.#close(INTERRUPTED_STATUS);
    else if (asked) this.#answer(asked, key);
    else this.#actions[key]?.();
    this.#draw();
  }

  readonly #actions: Readonly<Record<string, () => void>> = {
    q: () => this.#close(0),
    k: () => this.#askToCancel(),
    o: () => this.#openDashboard(),
    j: () => this.#select(1),
    down: () => this.#select(1),
    up: () => this.#select(-1),
  };

  #close(status: number): void {
    this.#status = status;
    this.#closing.abort();
  }

  #select(step: number): void {
    const tasks = sortTasks(this.#overview);
    const at = tasks.findIndex(({ task_id: id }) => id === this.#findSelected()?.task_id);
    this.#selected = tasks[Math.min(tasks.length - 1, Math.max(0, at + step))]?.task_id;
  }

  #askToCancel(): void {
    const task = this.#findSelected();
    if (!task || !isRunning(task)) {
      this.#message = task ? `Task ${task.task_id} has ended.` : 'There is no task.';
      return;
    }
    this.#asked = task;
    this.#message = `Cancel ${task.kind} ${task.task_id}? y: cancel it, any other key: keep it`;
  }

  #answer(task: TaskData, key: string): void {
    if (key !== 'y') return void (this.#message = `Task ${task.task_id} continues.`);
    this.#message = `Cancelling ${task.task_id} ...`;
    void this.#report(this.#cancel(task));
  }

  async #cancel({ task_id: id }: TaskData): Promise<string> {
    const { signal } = this.#closing;
    const client = await this.#context.wiring.connect({ flags: [], start: false, signal });
    const { isError } = await client.callTool('oc_task_cancel', { task_id: id }, { signal });
    return isError ? `Task ${id} could not be cancelled.` : `Task ${id} is cancelled.`;
  }

  #openDashboard(): void {
    const found = this.#context.program.findCommand(['dashboard']);
    if (!('command' in found)) {
      this.#message = 'This version has no dashboard.';
      return;
    }
    this.#message = 'Opening the dashboard ...';
    void this.#report(openDashboard());
  }

  /** Shows the outcome in the last line. */
  async #report(work: Promise<string>): Promise<void> {
    this.#message = await work.catch((error: unknown) => getErrorMessage(error));
    this.#draw();
  }
}

/** The command prints the URL; it also works if no browser could be opened. */
const openDashboard = (): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [findOwnEntry(), 'dashboard'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (printed += chunk));
    child.once('error', reject);
    child.once('close', () => resolve(`Dashboard: ${printed.trim().split('\n')[0] ?? ''}`));
  });
