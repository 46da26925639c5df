// Finds the element at a point of a frame, also through the iframes of its page.
import { FRAME_TAGS } from '../element-kinds.ts';
import { isControl } from '../match-words.ts';
import { defined, ifDefined } from '../objects.ts';
import { computeRole } from '../roles.ts';
import { atPagePoint, getRect, localName, pageScroller, queryAll } from '../safe-dom.ts';
import { findAncestor, getShadowRoot } from '../shadow.ts';
import { findElement, isHere } from '../state.ts';
import type { AtPoint, Point, ThroughFrame } from './act-answers.ts';
import { describe } from './describe-target.ts';
import { coverAt } from './hit.ts';
import { mapToFrame, mapToParent } from './frame-points.ts';
import { frame } from './rhythm.ts';
import { beginWatch } from './watch.ts';

const isVisible = ({ x, y }: Point): boolean =>
  x >= 0 && y >= 0 && x < innerWidth && y < innerHeight;

/** Scrolls the nearest scroll container of the iframe so that the point is at its centre. */
const bringIntoView = (owner: HTMLElement, inner: Point): void => {
  const { y, x } = mapToParent(owner, inner);
  for (let at = owner.parentElement; at; at = at.parentElement) {
    const { overflowY, overflowX } = getComputedStyle(at);
    if (/auto|scroll/.test(overflowY + overflowX) || at === pageScroller()) {
      const box = at === pageScroller() ? { top: 0, left: 0 } : getRect(at);
      at.scrollBy({
        top: y - box.top - at.clientHeight / 2,
        left: x - box.left - at.clientWidth / 2,
        behavior: 'instant',
      });
      return;
    }
  }
  pageScroller().scrollBy({
    top: y - innerHeight / 2,
    left: x - innerWidth / 2,
    behavior: 'instant',
  });
};

/** Waits two frames; after them the browser process knows the new layout. */
export const waitForLayout = async (): Promise<void> => {
  await frame();
  await frame();
};

const findCover = (owner: Element, point: Point): Element | undefined =>
  isVisible(point) ? coverAt(owner, point) : undefined;

export const mapThroughFrame = (id: number, inner: Point): ThroughFrame => {
  const owner = findElement(id) as HTMLElement | undefined;
  if (!owner || !isHere(owner)) return { problem: 'stale' };
  let point = mapToParent(owner, inner);
  let cover = findCover(owner, point);
  const scrolled = cover !== undefined || !isVisible(point);
  if (scrolled) {
    bringIntoView(owner, inner);
    point = mapToParent(owner, inner);
    cover = findCover(owner, point);
  }
  if (!isVisible(point))
    return {
      problem: 'outside',
      element: describe(owner),
      detail: 'its frame cannot be scrolled into view',
    };
  return cover ? { problem: 'covered', cover: describe(cover) } : { point, scrolled };
};

const isActionable = (element: Element): boolean => {
  const tag = localName(element);
  return tag === 'label' || isControl(element, computeRole(element, tag));
};

/** The innermost element at the point, including elements in known shadow roots. */
const innermostAt = ({ x, y }: Point): Element | undefined => {
  let met = atPagePoint(x, y) ?? undefined;
  while (met) {
    const inner: Element | null | undefined = getShadowRoot(met)?.elementFromPoint(x, y);
    if (!inner || inner === met) break;
    met = inner;
  }
  return met;
};

/** The nearest actionable ancestor, else the actionable element closest to the point. */
const actionableNear = (met: Element | undefined, point: Point): Element | undefined => {
  const around = findAncestor(met, isActionable);
  if (around) return around;
  let nearest: Element | undefined;
  let least = REACH_PX;
  for (const element of queryAll(
    document,
    'a[href],button,input,select,textarea,summary,[role],[onclick],[tabindex],[contenteditable]',
  )) {
    const distance = distanceTo(getRect(element), point);
    if (
      distance < least &&
      isActionable(element) &&
      element.checkVisibility({ visibilityProperty: true })
    ) {
      least = distance;
      nearest = element;
    }
  }
  return nearest;
};

const REACH_PX = 100;

const distanceTo = (
  { left, top, right, bottom, width, height }: DOMRect,
  { x, y }: Point,
): number => {
  if (width === 0 || height === 0) return Infinity;
  return Math.hypot(Math.max(left - x, 0, x - right), Math.max(top - y, 0, y - bottom));
};

/**
 * Starts a watch on the element at the point and describes it. For an iframe, also maps the point
 * into its document.
 */
export const atPoint = (point: Point): AtPoint => {
  const met = innermostAt(point);
  const near = actionableNear(met, point);
  const inside = near && met !== undefined && near.contains(met);
  const watch = beginWatch(inside ? near : met);
  const isFrame = met && FRAME_TAGS.has(localName(met));
  return defined({
    watch,
    width: innerWidth,
    height: innerHeight,
    met: ifDefined(met, describe),
    near: ifDefined(near, describe),
    inside,
    inner: isFrame ? mapToFrame(met as HTMLElement, point) : undefined,
  });
};
