// find: the elements that fit words, role, label, test id, selector and place, the best first, each in few words.
import { aroundOf } from './find/around.ts';
import type { FindAnswer, FindReply, FindSpec, FindWaited, Hit } from './find/answers.ts';
import { missingFrom } from './find/missing.ts';
import { type Found, Search } from './find/search.ts';
import { attribute, contains, hasAttribute, isBefore, localName } from './dom.ts';
import { idOf } from './ids.ts';
import { isSeen, modalDialog } from './match.ts';
import { nameOf } from './names.ts';
import { observeEverything } from './act/rhythm.ts';
import { roleOf } from './roles.ts';
import { Patience, piecesOf, TEST_IDS } from './seek.ts';
import { state } from './state.ts';
import { statesOf } from './states.ts';
import { suspect } from './suspects.ts';
import { oneLine } from './text.ts';
import { trees } from './trees.ts';
import { walkItems } from './walk.ts';
import { excerpt } from './words.ts';

/** No page keeps a search longer. */
const MAX_MS = 2000;
const MAX_NAME_CHARS = 60;
const MAX_CLOSEST = 5;

const open = (spec: FindSpec): Search => {
  state.suspects = [];
  return new Search(spec, trees(suspect), new Patience(MAX_MS));
};

export const find = (spec: FindSpec): FindReply => {
  const search = open(spec);
  let found: Found[];
  try {
    found = search.run();
  } catch (error) {
    if (error instanceof DOMException) return { problem: 'bad_selector' };
    throw error;
  }
  const shown = seenFirst(found.sort(byRank), spec.limit, spec.near === undefined ? byPlace : byRank);
  const miss = found.length === 0 ? missingFrom(search, MAX_CLOSEST) : undefined;
  const described = miss?.closest ?? shown;
  const hits = described.map((one) => describe(one, search));
  return {
    hits: miss ? [] : hits,
    total: found.length,
    seen: hits.filter(({ hidden }) => !hidden).length,
    closest: miss ? hits : [],
    ...(miss ? { missing: miss.missing, ...(miss.roles ? { roles: miss.roles } : {}) } : {}),
    suspects: state.suspects.length,
    cut: search.patience.over,
    walk: walkItems(described.map(({ element }) => element)),
  } satisfies FindAnswer;
};

const byRank = (a: Found, b: Found): number => a.rank[0] - b.rank[0] || a.rank[1] - b.rank[1];

/** Of those that fit equally well the first in the page comes first; only the few that are shown are worth the question. */
const byPlace = (a: Found, b: Found): number => byRank(a, b) || placeOrder(a.element, b.element);

const placeOrder = (a: Element, b: Element): number => (isBefore(a, b) ? -1 : 1);

/** The first that are seen, then, where there is room, those that are not. Nobody is asked whether it is seen without need. */
const seenFirst = (found: readonly Found[], limit: number, order: (a: Found, b: Found) => number): Found[] => {
  const seen: Found[] = [];
  const hidden: Found[] = [];
  const modal = modalDialog();
  for (const one of found) {
    if (seen.length >= limit) break;
    if (isReachable(one.element, modal) && isSeen(one.element)) seen.push(one);
    else if (hidden.length < limit) hidden.push(one);
  }
  return [...seen.sort(order), ...hidden.sort(order)].slice(0, limit);
};

const isReachable = (element: Element, modal: Element | undefined): boolean => !modal || contains(modal, element);

const describe = ({ element, rank }: Found, search: Search): Hit => {
  const { known, query, label, near } = search;
  const tag = localName(element);
  const role = roleOf(element, tag);
  const name = nameOf(element, tag, role, known).text || (isWordless(tag) ? '' : oneLine(piecesOf(element).join(' ')));
  const words = (query ?? label)?.words;
  const seen = isSeen(element);
  const hidden = !seen || !isReachable(element, modalDialog());
  const states = [statesOf(element, tag, role), ...extraStates(element, search), ...(hidden ? [seen ? 'behind-dialog' : 'hidden'] : [])];
  return {
    id: idOf(element),
    role: role || tag,
    name: excerpt(name, words?.stripped ?? words?.text ?? '', MAX_NAME_CHARS),
    states: states.filter(Boolean).join(' '),
    hidden,
    rank,
    around: aroundOf(element, known, near),
  };
};

/** Elements whose text is no name: what is typed into them, what they let one choose. */
const WORDLESS = new Set(['input', 'textarea', 'select', 'iframe', 'script', 'style']);
const isWordless = (tag: string): boolean => WORDLESS.has(tag);

const extraStates = (element: Element, { options, spec }: Search): string[] => {
  const option = options.get(element) as HTMLOptionElement | undefined;
  const testId = spec.testId === undefined ? undefined : TEST_IDS.find((name) => hasAttribute(element, name));
  const id = testId === undefined ? '' : (attribute(element, testId) ?? '');
  return [
    ...(option ? [`option=${JSON.stringify(excerpt(oneLine(option.label), '', MAX_NAME_CHARS))}`] : []),
    ...(id === '' || id === spec.testId ? [] : [`testId=${JSON.stringify(excerpt(oneLine(id), '', MAX_NAME_CHARS))}`]),
  ];
};

/** Whether something that fits is seen. */
const isThere = (search: Search): boolean =>
  seenFirst(search.run(), 1, byRank).some(({ element }) => isReachable(element, modalDialog()) && isSeen(element));

/** Styles may show something without a change of the document. */
const STYLE_EVENTS = ['transitionend', 'animationstart', 'animationend', 'load', 'toggle', 'resize'];
/** Of a page that changes all the time at most a third is spent on looking. */
const REST_FACTOR = 2;

const waits = new Map<number, () => void>();

/** Waits for something to fit: looks again whenever the document changes, until the time is up or nobody waits any more. */
export const findWait = (spec: FindSpec, ms: number, wait: number): Promise<FindWaited> =>
  new Promise((resolve) => {
    const ended = new AbortController();
    const end = (outcome: FindWaited): void => {
      if (ended.signal.aborted) return;
      ended.abort();
      observer.disconnect();
      clearTimeout(limit);
      clearTimeout(next);
      waits.delete(wait);
      resolve(outcome);
    };
    let next: ReturnType<typeof setTimeout> | undefined;
    let restMs = 0;
    const look = (): void => {
      next = undefined;
      const before = performance.now();
      const search = open(spec);
      const there = isThere(search);
      if (there) return end('found');
      if (state.suspects.length > 0) return end('suspects');
      observeEverything(observer, search.roots);
      restMs = (performance.now() - before) * REST_FACTOR;
    };
    // Many changes in a row are one.
    const changed = (): void => void (next ??= setTimeout(look, restMs));
    const observer = new MutationObserver(changed);
    const limit = setTimeout(() => end('time'), ms);
    waits.set(wait, () => end('stopped'));
    for (const name of STYLE_EVENTS) addEventListener(name, changed, { capture: true, passive: true, signal: ended.signal });
    look();
  });

export const findStop = (wait: number): void => waits.get(wait)?.();
