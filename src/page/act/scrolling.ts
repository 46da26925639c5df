// Reads scroll positions and waits until scrolling has ended.
import { ifDefined } from '../objects.ts';
import { findElement } from '../state.ts';
import type { Scrolled } from './act-answers.ts';
import { composedParent } from '../shadow.ts';
import { pageBody, pageRoot, pageScroller } from '../safe-dom.ts';
import { drawnWithin } from './rhythm.ts';

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
