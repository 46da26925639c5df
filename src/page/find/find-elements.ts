// Implements find: returns the elements that match a spec, best first.
import { defined } from '../defined.ts';
import type { FindAnswer, FindReply, FindSpec, FindWaited, WaitOptions } from './find-answers.ts';
import { describeHit, compareVisibility } from './hits.ts';
import { findMissing } from './missing.ts';
import { type RankedElement, Search } from './search.ts';
import { Wait } from './wait-for-content.ts';
import { Patience } from '../find-words.ts';
import { state } from '../state.ts';
import { suspect } from '../closed-root-suspects.ts';
import { trees } from '../trees.ts';
import { walkItems } from '../walk.ts';

/** Time limit of one search. */
const MAX_MS = 2000;
const MAX_CLOSEST = 5;

const open = (spec: FindSpec): Search => {
  state.suspects = [];
  return new Search(spec, trees(suspect), new Patience(MAX_MS));
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
