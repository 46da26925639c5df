// A terminal that collects what a command prints, for commands that run several others.
import { defined } from '../../core/defined.ts';
import { isRecord, tryParseJson } from '../../core/json.ts';
import type { Terminal } from './terminal.ts';

export interface Printed {
  readonly ok: boolean;
  readonly result?: unknown;
  readonly error?: unknown;
  /** What the command printed on stderr. */
  readonly notes?: readonly string[];
}

export class PrintedLines implements Terminal {
  readonly interactive = false;
  readonly #out: string[] = [];
  readonly #err: string[] = [];

  constructor(readonly real: Terminal) {}

  get columns(): number {
    return this.real.columns;
  }

  out(text: string): void {
    this.#out.push(text);
  }

  err(text: string): void {
    this.#err.push(text);
  }

  status(line?: string): void {
    this.real.status(line);
  }

  paint(_: unknown, text: string): string {
    return text;
  }

  paintError(_: unknown, text: string): string {
    return text;
  }

  describe(status: number): Printed {
    const text = this.#out.join('\n');
    const data = tryParseJson(text) ?? text;
    const error = status !== 0 && isRecord(data) ? data['error'] : undefined;
    return defined({
      ok: status === 0,
      result: error === undefined ? data : undefined,
      error,
      notes: this.#err.length > 0 ? this.#err : undefined,
    });
  }
}
