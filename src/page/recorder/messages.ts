// What the recorder in a page tells the engine; both sides read it from here.

/** Ways to name an element that hold outside of this run; the surer first. */
export interface Locator {
  readonly tag: string;
  /** Of an input. */
  readonly type?: string;
  readonly testId?: { readonly attribute: string; readonly value: string };
  /** Role and accessible name, where no other element of the page has both. */
  readonly role?: string;
  readonly name?: string;
  /** CSS, one selector for each open shadow root on the way, outermost first. */
  readonly css: readonly string[];
}

export type RecordedModifier = 'Alt' | 'Control' | 'Meta' | 'Shift';

export type PageAction =
  | {
      readonly kind: 'click';
      readonly target: Locator;
      readonly button?: 'right' | 'middle';
      /** The how-manieth click in a row this is. */
      readonly count?: number;
      readonly modifiers?: readonly RecordedModifier[];
      /**
       * Where it met what has no inner elements, a canvas or a picture: from the outer corner of
       * its border, which is so wide.
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
  /** `made`: by a script, not by input. `meant`: the scroll followed a wheel, a key or a finger. */
  | {
      readonly kind: 'action';
      readonly at: number;
      readonly action: PageAction;
      readonly made?: true;
      readonly meant?: true;
    }
  /**
   * A value that input (not a script) entered into a field for secrets, and the origin of the
   * document.
   */
  | { readonly kind: 'secret'; readonly value: string; readonly origin: string }
  /** Something of this size could not be told. */
  | { readonly kind: 'lost'; readonly chars: number };
