// Results of the small page scripts: plain data without DOM types, imported by both sides.

/** Prefix of the result of a watched page whose content changed; the time of the change follows. */
export const CHANGED = '~';

export interface PageFacts {
  readonly title: string;
  readonly login: boolean;
  readonly botWall: string | undefined;
}

/** JSON of a value, cut to the requested length; `length` is the length of the whole text. */
export interface Serialised {
  readonly json: string;
  readonly length: number;
}

/** Position and size of an element in the viewport of its frame. */
export interface ElementArea {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The area of a field with a secret; the id is the same as long as the element exists. */
export interface SecretArea extends ElementArea {
  readonly id: number;
}

/** An alert that a document shows. */
export interface Alert {
  readonly role: 'alert';
  readonly text: string;
}

export interface ReplayRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text?: string;
  readonly base64?: string;
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

export type ReplayAnswer =
  | {
      readonly status: number;
      readonly url: string;
      readonly contentType: string;
      readonly size: number;
      readonly text?: string;
      readonly base64?: string;
      readonly truncated?: true;
    }
  | { readonly error: string };
