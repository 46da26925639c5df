// The working files of a recording: their lines, which the keeper redacts and writes up to a limit.
import { addCount } from '../../core/collections.ts';
import type { Locator, PageAction } from '../../page/recorder/messages.ts';
import type { PayloadWriter } from '../../store/files/payload-writer.ts';
import type { KeptFiles } from '../../store/tasks/working-files.ts';
import type { Job } from '../tasks/kind.ts';
import type { Export } from './recording-options.ts';

export const START = 'start.jsonl';
export const STEPS = 'steps.jsonl';
export const CALLS = 'calls.jsonl';
export const DOM = 'dom.jsonl';
export const CONSOLE = 'console.jsonl';
export const NETWORK = 'network.jsonl';
export const SCREENSHOTS = 'screenshots.jsonl';
export const RESOURCES = 'resources.jsonl';
export const NOTES = 'notes.jsonl';
export const END = 'end.jsonl';
/** The finished result, so that a cancelled recording is not assembled twice. */
export const RESULT = 'result.jsonl';

export interface KeptStart {
  readonly at: number;
  readonly url: string;
  readonly title: string;
  readonly tabId: string;
  readonly viewport?: { readonly width: number; readonly height: number };
  /** Folder of the exported files. */
  readonly folder: string;
  readonly exports: readonly Export[];
  readonly version: string;
}

/** A page action as a step, without the value of secret fields. */
type ActionStep = PageAction & {
  /** Name of the entered secret, if it has one. */
  readonly secretName?: string;
  /** The frame of the action, if it is not the main frame. */
  readonly frame?: { readonly url: string; readonly name: string };
};

export type NavigationStep =
  | { readonly kind: 'goto'; readonly url: string }
  | { readonly kind: 'back' | 'forward' | 'reload'; readonly url: string }
  /** A navigation that the page or the previous step caused. */
  | { readonly kind: 'arrived'; readonly url: string };

export interface DialogStep {
  readonly kind: 'dialog';
  readonly type: string;
  readonly message: string;
  readonly accepted: boolean;
  readonly text?: string;
}

/** A line of steps.jsonl. `by` is the tool that caused the step, or `person`. */
export type RecordedStep = { readonly at: number; readonly by: string } & (
  | ActionStep
  | NavigationStep
  | DialogStep
  | { readonly kind: 'popup'; readonly url: string }
);

export interface KeptCall {
  readonly at: number;
  readonly ms: number;
  readonly tool: string;
  readonly arguments: unknown;
  readonly failed?: string;
  /** One line per receipt of the tool. */
  readonly did?: readonly string[];
}

/** An rrweb event, with only the properties that are used here. */
export interface DomEvent {
  readonly type: number;
  readonly timestamp: number;
  readonly data: unknown;
}

export interface KeptConsole {
  readonly at: number;
  readonly level: string;
  readonly text: string;
  readonly url?: string;
  readonly line?: number;
}

export interface KeptRequest {
  readonly at: number;
  readonly method: string;
  readonly url: string;
  readonly type: string;
  readonly status?: number;
  readonly mimeType?: string;
  readonly ms?: number;
  readonly bytes?: number;
  readonly error?: string;
}

export interface KeptScreenshot {
  readonly at: number;
  readonly why: string;
  readonly base64: string;
}

/** An image, font or style sheet of the page, so that the replay needs no network. */
export interface KeptResource {
  readonly url: string;
  readonly mimeType: string;
  readonly base64: string;
}

/** A note about the recording as a whole. */
export interface KeptNote {
  readonly note: string;
}

export interface KeptEnd {
  readonly at: number;
  readonly reason: string;
  readonly url: string;
  readonly title: string;
}

export const loadAllLines = async <T>(kept: KeptFiles, file: string): Promise<T[]> => {
  const out: T[] = [];
  for await (const entry of kept.entries<T>(file)) out.push(entry);
  return out;
};

export type { Locator };

/** Extra space for steps after the limit for other entries is reached. */
const RESERVE_BYTES = 4_000_000;

type Weight = 'light' | 'heavy';

export class RecordingWriter {
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
