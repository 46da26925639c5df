// Saves and restores the field values and scroll positions of a page.
import { change, frame, task } from '../act/rhythm.ts';
import { pageRoot, pageScroller, queryAll } from '../safe-dom.ts';
import type { PageState, RestoreAnswer, RestoreRequest, SavedScroll } from '../state-answers.ts';
import { Filling, follow, pathTo, readFields, readPasswords } from '../page-state/field-state.ts';
import { trees } from '../shadow.ts';
import { implement } from '../page-functions.ts';

const MAX_SCROLLS = 50;

const readPosition = ({ scrollLeft, scrollTop }: Element): { x: number; y: number } => ({
  x: scrollLeft,
  y: scrollTop,
});

const readScrolls = (): SavedScroll[] => {
  const page = pageScroller();
  const moved = trees()
    .flatMap((root) => [...queryAll(root, '*')])
    .filter(
      (element) =>
        element !== page &&
        element !== pageRoot() &&
        (element.scrollTop !== 0 || element.scrollLeft !== 0),
    );
  return [
    ...moved
      .slice(0, MAX_SCROLLS)
      .map((element) => ({ at: pathTo(element), ...readPosition(element) })),
    { at: [], ...readPosition(page) },
  ];
};

const read = (): PageState => ({ ...readFields(), scrolls: readScrolls() });

/**
 * Scrolls to the saved position. Returns whether it was reached, with 1 px of tolerance because
 * browsers round positions.
 */
const restoreScroll = ({ at, x, y }: SavedScroll): boolean => {
  const scroller = at.length === 0 ? pageScroller() : follow(at);
  if (!scroller) return false;
  scroller.scrollTo({ left: x, top: y, behavior: 'instant' });
  return Math.abs(scroller.scrollTop - y) <= 1 && Math.abs(scroller.scrollLeft - x) <= 1;
};

/** Retries the unfinished items after each DOM change. Returns those that are left. */
const untilDone = async <T>(
  all: readonly T[],
  done: (one: T) => boolean,
  patienceMs: number,
): Promise<readonly T[]> => {
  const end = performance.now() + patienceMs;
  let left = all.filter((one) => !done(one));
  for (let rest = patienceMs; left.length > 0 && rest > 0; rest = end - performance.now()) {
    await change(rest);
    left = left.filter((one) => !done(one));
  }
  return left;
};

const restore = async ({ fields, scrolls, patienceMs }: RestoreRequest): Promise<RestoreAnswer> => {
  const fillings = fields.map((field) => new Filling(field));
  await untilDone(fillings, (filling) => filling.tryPut(), patienceMs);
  await task();
  await frame();
  const problems = fillings.flatMap(({ field, problem }) =>
    problem ? [{ label: field.label, why: problem }] : [],
  );
  const unreached = await untilDone(scrolls, restoreScroll, patienceMs);
  return {
    fields: fields.length - problems.length,
    scrolls: scrolls.length - unreached.length,
    problems,
    unreached: unreached.length,
  };
};

export const functions = implement('pageState', { read, readPasswords, restore });
