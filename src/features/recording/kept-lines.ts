// The working files of a recording and the types of their lines, which are redacted when written.
import type { Locator, PageAction } from '../../page/recorder/messages.ts';
import type { KeptFiles } from '../../store/tasks/working-files.ts';
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
