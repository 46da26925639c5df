// Finds a point where the pointer hits an element, or the element that covers it.
import { atPagePoint, getRect, getRoot, isElement, localName, pageRoot } from '../safe-dom.ts';
import type { Point } from './act-answers.ts';
import { composedParent, isInside } from '../shadow.ts';

interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/**
 * The client rects of an element (several if its text wraps), or of its content for `display:
 * contents`.
 */
export const measureBoxes = (element: Element): DOMRect[] => {
  const own = [...element.getClientRects()].filter(hasArea);
  if (own.length > 0 || getComputedStyle(element).display !== 'contents') return own;
  const range = document.createRange();
  range.selectNodeContents(element);
  return [...range.getClientRects()].filter(hasArea);
};

const hasArea = ({ width, height }: DOMRect): boolean => width > 0 && height > 0;

const clipToViewport = ({ left, top, right, bottom }: Box): Box => ({
  left: Math.max(left, 0),
  top: Math.max(top, 0),
  right: Math.min(right, innerWidth),
  bottom: Math.min(bottom, innerHeight),
});

/** Positions to try in a box, as fractions of its width and height: the centre first. */
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

/** Points of the boxes that are inside the viewport, in the order of PLACES. */
const listPoints = (boxes: readonly Box[]): Point[] => {
  const shown = boxes
    .map(clipToViewport)
    .filter(({ left, top, right, bottom }) => right - left >= 1 && bottom - top >= 1);
  return PLACES.flatMap(([across, down]) =>
    shown.slice(0, 4).map(({ left, top, right, bottom }) => ({
      x: left + (right - left) * across,
      y: top + (bottom - top) * down,
    })),
  );
};

/** Hit test in the document or shadow root that contains `near`. */
const elementAt = (near: Element, { x, y }: Point): Element | null => {
  const root = getRoot(near);
  if (root === document) return atPagePoint(x, y);
  return root instanceof ShadowRoot ? root.elementFromPoint(x, y) : null;
};

/**
 * Whether the hit element is the element or a descendant. A label counts as its control, because a
 * press on it activates the control.
 */
const meets = (element: Element, met: Element | null): boolean => {
  if (!met) return false;
  if (isInside(met, element)) return true;
  const label = findLabel(met);
  return label !== undefined && label.control === element;
};

const findLabel = (element: Element): HTMLLabelElement | undefined => {
  for (let at: Element | undefined = element; at; at = composedParent(at))
    if (localName(at) === 'label') return at as HTMLLabelElement;
  return undefined;
};

/** Shadow hosts around the element, outermost first. Each must be hit in its own tree. */
const findHosts = (element: Element): Element[] => {
  const hosts: Element[] = [];
  for (let root = getRoot(element); root instanceof ShadowRoot; root = getRoot(root.host))
    hosts.unshift(root.host);
  return hosts;
};

/** The element that covers this one at the point; undefined if the pointer hits this one. */
export const coverAt = (element: Element, point: Point): Element | undefined => {
  for (const host of findHosts(element)) {
    const met = elementAt(host, point);
    // A hit on a slotted child of the host counts as a hit on the host.
    if (met && !isInside(met, host)) return met;
  }
  const met = elementAt(element, point);
  if (meets(element, met)) return undefined;
  return met ?? pageRoot();
};

export interface PressedElement {
  readonly point?: Point;
  /** The element that was hit at the first point. */
  readonly cover?: Element;
}

/** Finds a point where the pointer hits the element at the current scroll position. */
export const intersect = (element: Element): PressedElement => {
  let cover: Element | undefined;
  for (const point of listPoints(measureBoxes(element))) {
    const over = coverAt(element, point);
    if (!over) return { point };
    cover ??= over;
  }
  return cover ? { cover } : {};
};

/** The centre of the part inside the viewport, even if it is covered. */
export const measureMiddle = (element: Element): Point => {
  const { left, top, right, bottom } = clipToViewport(getRect(element));
  return { x: (left + right) / 2, y: (top + bottom) / 2 };
};

/** Whether any part of the element is in the viewport. */
export const isInViewport = (element: Element): boolean =>
  listPoints(measureBoxes(element)).length > 0;

/** Whether an event hit the element. For a closed shadow root the path starts at the host. */
export const pathIncludes = (path: readonly EventTarget[], element: Element): boolean => {
  const [first] = path;
  if (!(first instanceof Node) || !isElement(first)) return false;
  return meets(element, first) || findHosts(element).includes(first);
};
