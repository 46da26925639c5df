// Maps points between an iframe and the page that contains it.
import { getRect } from '../safe-dom.ts';
import type { Point } from './act-answers.ts';

const px = (length: string): number => Number.parseFloat(length) || 0;

/** The position, scale and inner offset of an iframe in the parent page. */
const measureFrame = (owner: HTMLElement) => {
  const { left, top, width, height } = getRect(owner);
  const { paddingLeft, paddingTop } = getComputedStyle(owner);
  return {
    left,
    top,
    scaleX: owner.offsetWidth > 0 ? width / owner.offsetWidth : 1,
    scaleY: owner.offsetHeight > 0 ? height / owner.offsetHeight : 1,
    insetX: owner.clientLeft + px(paddingLeft),
    insetY: owner.clientTop + px(paddingTop),
  };
};

/** Maps a point of the iframe to the parent page, including scaled iframes. */
export const mapToParent = (owner: HTMLElement, { x, y }: Point): Point => {
  const { left, top, scaleX, scaleY, insetX, insetY } = measureFrame(owner);
  return { x: left + (insetX + x) * scaleX, y: top + (insetY + y) * scaleY };
};

/** Maps a point of the parent page to the iframe. */
export const mapToFrame = (owner: HTMLElement, { x, y }: Point): Point => {
  const { left, top, scaleX, scaleY, insetX, insetY } = measureFrame(owner);
  return { x: (x - left) / scaleX - insetX, y: (y - top) / scaleY - insetY };
};
