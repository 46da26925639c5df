// Waits until a text or an element appears or disappears, and until scrolling has ended.
import { isSeen, trees } from '../match-words.ts';
import { attempt, ifDefined } from '../objects.ts';
import { pageBody, pageRoot, pageScroller, rootElement } from '../safe-dom.ts';
import { selectAll } from '../selectors.ts';
import { composedParent } from '../shadow.ts';
import { findElement } from '../state.ts';
import { oneLine } from '../visible-text.ts';
import type { PageCondition, Scrolled, Waited } from './act-answers.ts';
import { change, drawnWithin, frame } from './rhythm.ts';

/** Animations and media queries change the page without a DOM change, so poll as well. */
const RECHECK_MS = 200;

const bare = (text: string): string => text.replace(/\s+/g, '').toLowerCase();

const readInnerText = (root: Document | ShadowRoot): string => {
  if (root instanceof Document) return (rootElement(root) as HTMLElement | null)?.innerText ?? '';
  return [...root.children].map((child) => (child as HTMLElement).innerText ?? '').join('\n');
};

const readTextContent = (root: Document | ShadowRoot): string =>
  (root instanceof Document ? rootElement(root)?.textContent : root.textContent) ?? '';

/** Whether the text is visible, also across elements and in shadow roots. Ignores case. */
export const textShown = (text: string): boolean => {
  const wanted = oneLine(text).toLowerCase();
  const needle = bare(text);
  return trees().some((root) => {
    // textContent is a cheap check; innerText forces a layout.
    if (!bare(readTextContent(root)).includes(needle)) return false;
    return oneLine(readInnerText(root)).toLowerCase().includes(wanted);
  });
};

/** Number of visible elements that match; undefined if the selector is invalid. */
const countShown = (selector: string): number | undefined =>
  attempt(() => selectAll(trees(), selector).filter(isSeen).length);

const isMet = ({ text, selector, gone = false }: PageCondition): Waited => {
  if (text !== undefined) return textShown(text) !== gone ? 'met' : 'not_yet';
  const count = countShown(selector ?? '');
  if (count === undefined) return 'bad_selector';
  return count > 0 !== gone ? 'met' : 'not_yet';
};

/** Waits until the condition is true or the time is up. */
export const waitFor = async (condition: PageCondition, maxMs: number): Promise<Waited> => {
  const endsAt = performance.now() + maxMs;
  for (;;) {
    const state = isMet(condition);
    const left = endsAt - performance.now();
    if (state !== 'not_yet' || left <= 0) return state;
    await change(Math.min(left, RECHECK_MS));
    await frame(); // batches successive changes
  }
};

const SCROLLS = /auto|scroll|overlay/;

/** The nearest ancestor that scrolls along the axis, else the page. */
const findScroller = (element: Element | undefined, axis: 'x' | 'y'): Element => {
  for (let at = element; at; at = composedParent(at)) {
    const { overflowX, overflowY } = getComputedStyle(at);
    const room =
      axis === 'x'
        ? at.scrollWidth > at.clientWidth && SCROLLS.test(overflowX)
        : at.scrollHeight > at.clientHeight && SCROLLS.test(overflowY);
    if (room && at !== pageBody() && at !== pageRoot()) return at;
  }
  return pageScroller();
};

const readPosition = (scroller: Element): Scrolled => ({
  x: Math.round(scroller.scrollLeft),
  y: Math.round(scroller.scrollTop),
  maxX: Math.max(0, scroller.scrollWidth - scroller.clientWidth),
  maxY: Math.max(0, scroller.scrollHeight - scroller.clientHeight),
  width: scroller.clientWidth,
  height: scroller.clientHeight,
});

export const scrollPosition = (id: number | undefined, axis: 'x' | 'y'): Scrolled =>
  readPosition(findScroller(ifDefined(id, findElement), axis));

/** If the position has not changed after this many frames, the wheel event has no effect. */
const FRAMES_TO_START = 4;

/** Waits until the position differs from `from` and is stable for two frames, or the time is up. */
export const scrollRest = async (
  id: number | undefined,
  axis: 'x' | 'y',
  from: { readonly x: number; readonly y: number },
  startMs: number,
  maxMs: number,
): Promise<Scrolled> => {
  const scroller = findScroller(ifDefined(id, findElement), axis);
  const begun = performance.now();
  let last = readPosition(scroller);
  let still = 0;
  for (let frames = 1; still < 2; frames++) {
    const left = maxMs - (performance.now() - begun);
    const drawn = left > 0 && (await drawnWithin(left));
    const now = readPosition(scroller);
    if (!drawn) return now;
    const moved = now.x !== from.x || now.y !== from.y;
    const over = moved || (frames >= FRAMES_TO_START && performance.now() - begun > startMs);
    still = now.x === last.x && now.y === last.y && over ? still + 1 : 0;
    last = now;
  }
  return last;
};
