// Implements find: returns the elements that match a spec, best first; can wait for a match.
import { observeEverything } from '../act/rhythm.ts';
import { suspect } from '../closed-root-suspects.ts';
import { FindPatience } from '../find-words.ts';
import { modalDialog } from '../match-words.ts';
import { defined } from '../objects.ts';
import { trees } from '../shadow.ts';
import { state } from '../state.ts';
import { walkItems } from '../walk.ts';
import type { FindAnswer, FindReply, FindSpec, FindWaited, WaitOptions } from './find-answers.ts';
import { compareVisibility, describeHit, explainUnusable, findMissing } from './hits.ts';
import { type RankedElement, Search } from './search.ts';

// Waits for a match: searches again after each change of the document.

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

class Wait {
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

/** Time limit of one search. */
const MAX_MS = 2000;
const MAX_CLOSEST = 5;

const open = (spec: FindSpec): Search => {
  state.suspects = [];
  return new Search(spec, trees(suspect), new FindPatience(MAX_MS));
};

export const find = (spec: FindSpec): FindReply => {
  const search = open(spec);
  try {
    return answer(search, search.run());
  } catch (error) {
    if (error instanceof DOMException && spec.selector !== undefined)
      return { problem: 'bad_selector' };
    throw error;
  }
};

const answer = (search: Search, found: RankedElement[]): FindAnswer => {
  const { limit, near } = search.spec;
  const miss = found.length === 0 ? findMissing(search, MAX_CLOSEST) : undefined;
  const described = miss?.closest ?? compareVisibility(found, limit, near !== undefined);
  const hits = described.map((one) => describeHit(one, search));
  return {
    hits: miss ? [] : hits,
    total: found.length,
    seen: miss ? 0 : hits.filter(({ hidden }) => !hidden).length,
    closest: miss ? hits : [],
    ...defined({ missing: miss?.missing, roles: miss?.roles }),
    suspects: state.suspects.length,
    cut: search.patience.over,
    walk: walkItems(described.map(({ element }) => element)),
  };
};

const waits = new Map<number, Wait>();

/**
 * Resolves when a visible element matches, when the time is up, or when `findStop` is called with
 * the same id.
 */
export const findWait = async (spec: FindSpec, options: WaitOptions): Promise<FindWaited> => {
  const wait = new Wait(() => open(spec), options);
  waits.set(options.wait, wait);
  try {
    return await wait.ended;
  } finally {
    waits.delete(options.wait);
  }
};

export const findStop = (number: number): void => waits.get(number)?.end('stopped');
