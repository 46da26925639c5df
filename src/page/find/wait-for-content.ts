// Waits for something to fit: looks again whenever the document changes, never by the clock.
import { observeEverything } from '../act/rhythm.ts';
import { modalDialog } from '../match-words.ts';
import { state } from '../state.ts';
import type { FindWaited, WaitOptions } from './find-answers.ts';
import { absence, compareVisibility } from './hits.ts';
import type { Search } from './search.ts';

/** Styles may show something without a change of the document. */
const STYLE_EVENTS = [
  'transitionend',
  'animationstart',
  'animationend',
  'load',
  'toggle',
  'resize',
];
/** Of the time of a page that changes without end at most a third is spent on looking. */
const REST_FACTOR = 2;

export class Wait {
  readonly ended: Promise<FindWaited>;
  readonly #open: () => Search;
  readonly #suspicious: boolean;
  readonly #over = new AbortController();
  readonly #observer = new MutationObserver(() => this.#changed());
  readonly #limit: ReturnType<typeof setTimeout>;
  #next: ReturnType<typeof setTimeout> | undefined;
  #restMs = 0;
  #resolve: (outcome: FindWaited) => void = () => {};

  /** `open` begins a search of the page as it is then. */
  constructor(open: () => Search, { ms, suspicious }: Omit<WaitOptions, 'wait'>) {
    this.#open = open;
    this.#suspicious = suspicious;
    this.ended = new Promise((resolve) => (this.#resolve = resolve));
    this.#limit = setTimeout(() => this.end('time'), ms);
    for (const name of STYLE_EVENTS)
      addEventListener(name, () => this.#changed(), {
        capture: true,
        passive: true,
        signal: this.#over.signal,
      });
    this.#look();
  }

  end(outcome: FindWaited): void {
    this.#over.abort();
    this.#observer.disconnect();
    clearTimeout(this.#limit);
    clearTimeout(this.#next);
    this.#resolve(outcome);
  }

  /** Many changes in a row are one. */
  #changed(): void {
    this.#next ??= setTimeout(() => this.#look(), this.#restMs);
  }

  #look(): void {
    this.#next = undefined;
    const startedAt = performance.now();
    const search = this.#open();
    if (isThere(search)) return this.end('found');
    if (this.#suspicious && state.suspects.length > 0) return this.end('suspects');
    observeEverything(this.#observer, search.roots);
    this.#restMs = (performance.now() - startedAt) * REST_FACTOR;
  }
}

/** Whether something that fits is seen. */
const isThere = (search: Search): boolean =>
  compareVisibility(search.run(), 1, true).some(
    ({ element }) => absence(element, modalDialog()) === '',
  );
