// Waits for a match: searches again after each change of the document.
import { observeEverything } from '../act/rhythm.ts';
import { modalDialog } from '../match-words.ts';
import { state } from '../state.ts';
import type { FindWaited, WaitOptions } from './find-answers.ts';
import { explainUnusable, compareVisibility } from './hits.ts';
import type { Search } from './search.ts';

/** Events after which an element may become visible without a DOM change. */
const STYLE_EVENTS = [
  'transitionend',
  'animationstart',
  'animationend',
  'load',
  'toggle',
  'resize',
];
/**
 * Pause between searches as a multiple of the search time: searching uses at most a third of the
 * time.
 */
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

  /** `open` creates a search of the current page. */
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

  /** Batches successive changes into one search. */
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

/** Whether a match is visible. */
const isThere = (search: Search): boolean =>
  compareVisibility(search.run(), 1, true).some(
    ({ element }) => explainUnusable(element, modalDialog()) === '',
  );
