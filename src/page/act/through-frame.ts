// Maps points between an iframe and the page that contains it.
import { getRect } from '../safe-dom.ts';
import { findElement, isHere } from '../ids.ts';
import type { Point, ThroughFrame } from './act-answers.ts';
import { describe } from './describe-target.ts';
import { pageScroller } from './document.ts';
import { coverAt } from './hit.ts';
import { frame } from './rhythm.ts';

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
export const mapToFrame = (owner: HTMLElement, { x, y }: Point): Point => {
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
