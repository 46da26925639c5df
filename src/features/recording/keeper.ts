// Writes redacted recording entries up to a size limit, and notes how many were left out.
import { addCount } from '../../core/collections.ts';
import type { PayloadWriter } from '../../store/files/payload-writer.ts';
import type { Job } from '../tasks/kind.ts';
import { NOTES } from './kept-lines.ts';

/** Extra space for steps after the limit for other entries is reached. */
const RESERVE_BYTES = 4_000_000;

type Weight = 'light' | 'heavy';

export class Keeper {
  readonly #job: Job;
  readonly #writer: PayloadWriter;
  readonly #maxBytes: number;
  readonly #leftOut = new Map<string, number>();
  readonly #said = new Set<string>();
  #bytes = 0;
  readonly #broken = new AbortController();
  #written: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(job: Job, writer: PayloadWriter, maxBytes: number) {
    this.#job = job;
    this.#writer = writer;
    this.#maxBytes = maxBytes;
  }

  /** Aborts with the error when an entry cannot be written. */
  get broken(): AbortSignal {
    return this.#broken.signal;
  }

  /** True if only light entries (steps and calls) are still accepted. */
  get full(): boolean {
    return this.#bytes >= this.#maxBytes;
  }

  /** Returns whether the entry was accepted. */
  keep(file: string, entry: object, weight: Weight): boolean {
    if (this.#closed) return false;
    const clean = this.#writer.clean(entry);
    const bytes = Buffer.byteLength(JSON.stringify(clean));
    const limit = weight === 'heavy' ? this.#maxBytes : this.#maxBytes + RESERVE_BYTES;
    if (this.#bytes + bytes > limit) {
      this.#leaveOut(file, weight, limit);
      return false;
    }
    this.#bytes += bytes;
    this.#append(file, clean);
    return true;
  }

  /** Adds a note about the whole recording, once per text. */
  note(note: string): void {
    if (this.#closed || this.#said.has(note)) return;
    this.#said.add(note);
    this.#append(NOTES, { note: this.#writer.cleanText(note) });
  }

  /** Notes how many entries were left out, rejects further ones, and waits until all are saved. */
  async close(): Promise<void> {
    for (const [file, count] of this.#leftOut)
      this.note(`${count} entries of ${stripExtension(file)} were omitted because of their size`);
    this.#closed = true;
    await this.#written;
  }

  /** Event listeners cannot handle a full disk, so a write error ends the recording. */
  #append(file: string, entry: unknown): void {
    this.#written = this.#job.append(file, entry).catch((error: unknown) => {
      this.#closed = true;
      this.#broken.abort(error);
    });
  }

  /**
   * The first heavy entry that does not fit ends all heavy entries, because later DOM changes
   * cannot be replayed without the earlier ones.
   */
  #leaveOut(file: string, weight: Weight, limit: number): void {
    if (weight === 'heavy') this.#bytes = Math.max(this.#bytes, limit);
    this.note(
      `the size limit of ${this.#maxBytes / 1e6} MB was reached: only steps were recorded after ` +
        'that',
    );
    addCount(this.#leftOut, file);
  }
}

const stripExtension = (file: string): string => file.replace('.jsonl', '');
