// Where on an element a pointer would meet it, and what it would meet instead.
import { isElement, localName, getRect, getRoot } from '../safe-dom.ts';
import type { Point } from './act-answers.ts';
import { composedParent, isInside } from './describe-target.ts';
import { atPagePoint, pageRoot } from './document.ts';

interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/**
 * The boxes of an element: several where its text wraps; those of its content where it has none of
 * its own.
 */
export const measureBoxes = (element: Element): DOMRect[] => {
  const own = [...element.getClientRects()].filter(hasArea);
  if (own.length > 0 || getComputedStyle(element).display !== 'contents') return own;
  const range = document.createRange();
  range.selectNodeContents(element);
  return [...range.getClientRects()].filter(hasArea);
};

const hasArea = ({ width, height }: DOMRect): boolean => width > 0 && height > 0;

const inViewport = ({ left, top, right, bottom }: Box): Box => ({
  left: Math.max(left, 0),
  top: Math.max(top, 0),
  right: Math.min(right, innerWidth),
  bottom: Math.min(bottom, innerHeight),
});

/** Where in a box to try, as shares of its width and height: its middle, then further out. */
const PLACES: readonly (readonly [number, number])[] = [
  [0.5, 0.5],
  [0.25, 0.5],
  [0.75, 0.5],
  [0.5, 0.25],
  [0.5, 0.75],
  [0.1, 0.5],
  [0.9, 0.5],
  [0.1, 0.1],
  [0.9, 0.9],
];

/** Points inside of the viewport at which the element may be met, the best first. */
const pointsOn = (boxes: readonly Box[]): Point[] => {
  const shown = boxes
    .map(inViewport)
    .filter(({ left, top, right, bottom }) => right - left >= 1 && bottom - top >= 1);
  return PLACES.flatMap(([across, down]) =>
    shown.slice(0, 4).map(({ left, top, right, bottom }) => ({
      x: left + (right - left) * across,
      y: top + (bottom - top) * down,
    })),
  );
};

/** What a pointer meets at a point, as seen from the tree in which `near` stands. */
const elementAt = (near: Element, { x, y }: Point): Element | null => {
  const root = getRoot(near);
  if (root === document) return atPagePoint(x, y);
  return root instanceof ShadowRoot ? root.elementFromPoint(x, y) : null;
};

/**
 * Whether a pointer at the point meets the element or what is shown in it. A label counts for its
 * control, because a press on it is a press on the control.
 */
const meets = (element: Element, met: Element | null): boolean => {
  if (!met) return false;
  if (isInside(met, element)) return true;
  const label = labelAround(met);
  return label !== undefined && label.control === element;
};

const labelAround = (element: Element): HTMLLabelElement | undefined => {
  for (let at: Element | undefined = element; at; at = composedParent(at))
    if (localName(at) === 'label') return at as HTMLLabelElement;
  return undefined;
};

/**
 * Hosts around the element, the outermost first: each must be met in its own tree for the inner one
 * to be met.
 */
const hostsAround = (element: Element): Element[] => {
  const hosts: Element[] = [];
  for (let root = getRoot(element); root instanceof ShadowRoot; root = getRoot(root.host))
    hosts.unshift(root.host);
  return hosts;
};

/** What lies over the element at the point; nothing when the pointer would meet it. */
export const coverAt = (element: Element, point: Point): Element | undefined => {
  for (const host of hostsAround(element)) {
    const met = elementAt(host, point);
    // The host's own slotted children are met in its tree in its stead.
    if (met && !isInside(met, host)) return met;
  }
  const met = elementAt(element, point);
  if (meets(element, met)) return undefined;
  return met ?? pageRoot();
};

export interface Meeting {
  readonly point?: Point;
  /** What was met at the best point instead. */
  readonly cover?: Element;
}

/** The point at which the element can be met as the page is scrolled now. */
export const intersect = (element: Element): Meeting => {
  let cover: Element | undefined;
  for (const point of pointsOn(measureBoxes(element))) {
    const over = coverAt(element, point);
    if (!over) return { point };
    cover ??= over;
  }
  return cover ? { cover } : {};
};

/** The middle of what is shown, whether or not something lies over it. */
export const measureMiddle = (element: Element): Point => {
  const { left, top, right, bottom } = inViewport(getRect(element));
  return { x: (left + right) / 2, y: (top + bottom) / 2 };
};

/** Whether anything of the element lies within the viewport. */
export const isInViewport = (element: Element): boolean =>
  pointsOn(measureBoxes(element)).length > 0;

/** Whether an event's path leads through the element; a closed root shows no more than its host. */
export const pathMeets = (path: readonly EventTarget[], element: Element): boolean => {
  const [first] = path;
  if (!(first instanceof Node) || !isElement(first)) return false;
  return meets(element, first) || hostsAround(element).includes(first);
};
