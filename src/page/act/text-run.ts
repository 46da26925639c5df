// Lets the engine send the texts of several fields at once: each text enters its own field or none.
import { getShadowRoot } from '../shadow.ts';
import type { FormText } from './act-answers.ts';
import { focusedElement } from './describe-target.ts';

/** A dialog blocks the handlers of an event longer: the engine then ends the form. */
export const MAX_HANDLERS_MS = 100;

interface Expected {
  readonly element: Element;
  readonly text: string;
}

/**
 * Chrome handles texts that are sent at once without running a task of the page in between. So the
 * run moves the focus while the `input` event of a text is dispatched, after the page's handlers. A
 * text that arrives while its field does not have the focus is rejected before it is inserted, and
 * the run ends early.
 */
export class TextRun {
  /** The texts that have not arrived. */
  readonly #left: string[];
  readonly #moveOn: () => Expected | undefined;
  readonly #onEnd: () => void;
  #expected: Expected | undefined;
  /** When the last text was let through, until the page has handled it. */
  #enteredAt: number | undefined;
  /** The event of that text. Handlers may edit, which dispatches further events meanwhile. */
  #event: Event | undefined;
  #hasFailed = false;

  /**
   * `moveOn` focuses the field of the next text, or returns undefined if it cannot. `onEnd` is
   * called when all texts have arrived and the last one was handled or rejected.
   */
  constructor(
    expected: Expected,
    following: readonly FormText[],
    moveOn: () => Expected | undefined,
    onEnd: () => void,
  ) {
    this.#expected = expected;
    this.#left = [expected.text, ...following.map(({ text }) => text)];
    this.#moveOn = moveOn;
    this.#onEnd = onEnd;
    addEventListener('beforeinput', this.#judge, { capture: true });
    addEventListener('input', this.#note, { capture: true });
    addEventListener('input', this.#handled);
  }

  /** Whether a text did not reach its field. */
  get endedEarly(): boolean {
    return this.#hasFailed || this.#left.length > 0 || this.#expected !== undefined;
  }

  /** Whether the field that has the focus still waits for its text. */
  get lacksText(): boolean {
    return this.#expected !== undefined;
  }

  end(): void {
    removeEventListener('beforeinput', this.#judge, { capture: true });
    removeEventListener('input', this.#note, { capture: true });
    removeEventListener('input', this.#handled);
  }

  readonly #judge = (event: InputEvent): void => {
    if (!event.isTrusted || event.inputType !== 'insertText') return;
    const at = this.#left.indexOf(event.data ?? '');
    if (at < 0) return; // typed by the user
    this.#left.splice(at, 1);
    const { element, text } = this.#expected ?? {};
    if (!this.#hasFailed && text === event.data && focusedElement(getShadowRoot) === element) {
      this.#expected = undefined;
      this.#enteredAt = performance.now();
      this.#event = undefined;
      return;
    }
    event.preventDefault();
    event.stopImmediatePropagation();
    this.#hasFailed = true;
    if (this.#left.length === 0) this.#onEnd();
  };

  readonly #note = (event: Event): void => {
    if (event.isTrusted) this.#event ??= event;
  };

  readonly #handled = (event: Event): void => {
    if (event !== this.#event || this.#enteredAt === undefined) return;
    const isSoon = performance.now() - this.#enteredAt < MAX_HANDLERS_MS;
    this.#enteredAt = undefined;
    if (this.#left.length === 0) {
      if (isSoon) this.#onEnd();
      return;
    }
    this.#expected = isSoon && !this.#hasFailed ? this.#moveOn() : undefined;
    if (!this.#expected) this.#hasFailed = true;
  };
}
