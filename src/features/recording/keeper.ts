// Writes down what is recorded, without its secrets, until there is enough: what was left out is
// counted and said.
import type { Redactor } from '../../core/redactor.ts';
import type { Job } from '../tasks/kind.ts';
import { NOTES } from './kept-lines.ts';

/** Steps are small and the point of it all: they go on for so long after the rest had to stop. */
const RESERVE_BYTES = 4_000_000;

type Weight = 'light' | 'heavy';

export class Keeper {
  readonly #job: Job;
  readonly #redactor: Redactor;
  readonly #maxBytes: number;
  readonly #leftOut = new Map<string, number>();
  readonly #said = new Set<string>();
  #bytes = 0;
  readonly #broken = new AbortController();
  #closed = false;

  constructor(job: Job, redactor: Redactor, maxBytes: number) {
    this.#job = job;
    this.#redactor = redactor;
    this.#maxBytes = maxBytes;
  }

  /** Aborts, with what went wrong, when nothing can be written any more. */
  get broken(): AbortSignal {
    return this.#broken.signal;
  }

  /** Whether there is room for more than the steps. */
  get full(): boolean {
    return this.#bytes >= this.#maxBytes;
  }

  /** Whether it was written. */
  keep(file: string, entry: object, weight: Weight): boolean {
    if (this.#closed) return false;
    const clean = this.#redactor.data(entry);
    const bytes = Buffer.byteLength(JSON.stringify(clean));
    const limit = weight === 'heavy' ? this.#maxBytes : this.#maxBytes + RESERVE_BYTES;
    if (this.#bytes + bytes > limit) {
      this.#leaveOut(file, weight, limit);
      return false;
    }
    this.#bytes += bytes;
    return this.#append(file, clean);
  }

  /** A line about the whole, said once. */
  note(note: string): void {
    if (this.#closed || this.#said.has(note)) return;
    this.#said.add(note);
    this.#append(NOTES, { note: this.#redactor.text(note) });
  }

  /** Says how much was left out, and takes nothing any more. */
  close(): void {
    for (const [file, count] of this.#leftOut)
      this.note(`${count} entries of ${nameOf(file)} were left out for size`);
    this.#closed = true;
  }

  /** Listeners of a page have nobody to tell of a disk that is full: the recording ends with it. */
  #append(file: string, entry: unknown): boolean {
    try {
      this.#job.append(file, entry);
      return true;
    } catch (error) {
      this.#closed = true;
      this.#broken.abort(error);
      return false;
    }
  }

  /**
   * What does not fit ends the heavy kinds for good: later changes of a document mean nothing
   * without the earlier ones.
   */
  #leaveOut(file: string, weight: Weight, limit: number): void {
    if (weight === 'heavy') this.#bytes = Math.max(this.#bytes, limit);
    this.note(
      `the size limit of ${this.#maxBytes / 1e6} MB was reached: from then on only steps were recorded`,
    );
    this.#leftOut.set(file, (this.#leftOut.get(file) ?? 0) + 1);
  }
}

const nameOf = (file: string): string => file.replace('.jsonl', '');
