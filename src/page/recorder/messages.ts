// Messages from the recorder in a page to the engine; used by both sides.
import type { RecordedElement } from '../recorded/recorded-answers.ts';

/** Ways to find an element in another run, most reliable first. */
export interface Locator {
  readonly tag: string;
  /** The type of an input. */
  readonly type?: string;
  readonly testId?: { readonly attribute: string; readonly value: string };
  /** Role and accessible name, only if no other element has both. */
  readonly role?: string;
  readonly name?: string;
  /** All facts of an element that has a name, for recipes. */
  readonly facts?: RecordedElement;
  /** One CSS selector per tree, from the document through the open shadow roots. */
  readonly css: readonly string[];
}

export type RecordedModifier = 'Alt' | 'Control' | 'Meta' | 'Shift';

export type PageAction =
  | {
      readonly kind: 'click';
      readonly target: Locator;
      readonly button?: 'right' | 'middle';
      /** The number of clicks in a row, as in `event.detail`. */
      readonly count?: number;
      readonly modifiers?: readonly RecordedModifier[];
      /**
       * The position in a canvas or image, from the outer corner of its border; `borderX` and
       * `borderY` are the border widths.
       */
      readonly spot?: {
        readonly x: number;
        readonly y: number;
        readonly borderX: number;
        readonly borderY: number;
      };
    }
  | {
      readonly kind: 'fill';
      readonly target: Locator;
      readonly value: string;
      readonly secret?: true;
    }
  | { readonly kind: 'select'; readonly target: Locator; readonly values: readonly string[] }
  | { readonly kind: 'check'; readonly target: Locator; readonly checked: boolean }
  | { readonly kind: 'upload'; readonly target: Locator; readonly files: readonly string[] }
  | {
      readonly kind: 'press';
      readonly target?: Locator;
      readonly key: string;
      readonly modifiers?: readonly RecordedModifier[];
    }
  | { readonly kind: 'drag'; readonly target: Locator; readonly to: Locator }
  | { readonly kind: 'hover'; readonly target: Locator }
  | { readonly kind: 'scroll'; readonly x: number; readonly y: number };

export type PageMessage =
  /** Events of rrweb, in order. */
  | { readonly kind: 'dom'; readonly events: readonly unknown[] }
  /** `made`: by a script. `meant`: the scroll followed a wheel, key or touch event. */
  | {
      readonly kind: 'action';
      readonly at: number;
      readonly action: PageAction;
      readonly made?: true;
      readonly meant?: true;
    }
  /**
   * A value that a user (not a script) typed into a secret field, and the origin of the document.
   */
  | { readonly kind: 'secret'; readonly value: string; readonly origin: string }
  /** A message of this length was dropped. */
  | { readonly kind: 'lost'; readonly chars: number };
