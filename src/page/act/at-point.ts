// Finds the element at a point of a frame; maps points between an iframe and its page.
import { isTypable } from '../element-kinds.ts';
import { defined } from '../objects.ts';
import { computeRole, CONTROL_ROLES } from '../roles.ts';
import {
  atPagePoint,
  attribute,
  getRect,
  hasAttribute,
  localName,
  pageScroller,
  queryAll,
} from '../safe-dom.ts';
import { getShadowRoot, composedParent } from '../shadow.ts';
import { findElement, isHere } from '../state.ts';
import type { AtPoint, Point, ThroughFrame } from './act-answers.ts';
import { describe } from './describe-target.ts';
import { coverAt } from './hit.ts';
import { frame } from './rhythm.ts';
import { beginWatch } from './watch.ts';

// Maps points between an iframe and the page that contains it.

const px = (length: string): number => Number.parseFloat(length) || 0;

/** Maps a point of the iframe to the parent page, including scaled iframes. */
const mapToParent = (owner: HTMLElement, { x, y }: Point): Point => {
  const { left, top, width, height } = getRect(owner);
  const { paddingLeft, paddingTop } = getComputedStyle(owner);
  const scaleX = owner.offsetWidth > 0 ? width / owner.offsetWidth : 1;
  const scaleY = owner.offsetHeight > 0 ? height / owner.offsetHeight : 1;
  return {
    x: left + (owner.clientLeft + px(paddingLeft) + x) * scaleX,
    y: top + (owner.clientTop + px(paddingTop) + y) * scaleY,
  };
};

/** Maps a point of the parent page to the iframe. */
const mapToFrame = (owner: HTMLElement, { x, y }: Point): Point => {
  const { left, top, width, height } = getRect(owner);
  const { paddingLeft, paddingTop } = getComputedStyle(owner);
  const scaleX = owner.offsetWidth > 0 ? width / owner.offsetWidth : 1;
  const scaleY = owner.offsetHeight > 0 ? height / owner.offsetHeight : 1;
  return {
    x: (x - left) / scaleX - owner.clientLeft - px(paddingLeft),
    y: (y - top) / scaleY - owner.clientTop - px(paddingTop),
  };
};

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

export const mapThroughFrame = (id: number, inner: Point): ThroughFrame => {
  const owner = findElement(id) as HTMLElement | undefined;
  if (!owner || !isHere(owner)) return { problem: 'stale' };
  let point = mapToParent(owner, inner);
  let cover = isVisible(point) ? coverAt(owner, point) : undefined;
  const scrolled = cover !== undefined || !isVisible(point);
  if (scrolled) {
    bringIntoView(owner, inner);
    point = mapToParent(owner, inner);
    cover = isVisible(point) ? coverAt(owner, point) : undefined;
  }
  if (!isVisible(point))
    return {
      problem: 'outside',
      element: describe(owner),
      detail: 'its frame cannot be scrolled into view',
    };
  return cover ? { problem: 'covered', cover: describe(cover) } : { point, scrolled };
};

const isActionable = (element: Element): boolean =>
  CONTROL_ROLES.has(computeRole(element, localName(element))) ||
  hasAttribute(element, 'onclick') ||
  isTypable(element) ||
  (hasAttribute(element, 'tabindex') && attribute(element, 'tabindex') !== '-1') ||
  localName(element) === 'label';

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
  for (let at = met; at; at = composedParent(at)) if (isActionable(at)) return at;
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
  const watch = beginWatch(near && met && (near === met || near.contains(met)) ? near : met);
  const tag = met ? localName(met) : '';
  return defined({
    watch,
    width: innerWidth,
    height: innerHeight,
    met: met ? describe(met) : undefined,
    near: near ? describe(near) : undefined,
    inside: near ? met !== undefined && (near === met || near.contains(met)) : undefined,
    inner:
      met && (tag === 'iframe' || tag === 'frame')
        ? mapToFrame(met as HTMLElement, point)
        : undefined,
  });
};
