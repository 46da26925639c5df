// What small page-scripts answer: plain data that the browser room reads. No DOM types here, so
// that both sides can import it.

/**
 * What a watched page tells instead of its facts when its content changed, before the time of the
 * change.
 */
export const CHANGED = '~';

export interface PageFacts {
  readonly title: string;
  readonly login: boolean;
  readonly botWall: string | undefined;
}

/** JSON of a value, cut to the bound that was asked for; `length` is that of the whole. */
export interface Serialised {
  readonly json: string;
  readonly length: number;
}

/** Where an element lies in the viewport of its frame. */
export interface ElementArea {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** An alert that a document shows. */
export interface Alert {
  readonly role: 'alert';
  readonly text: string;
}
