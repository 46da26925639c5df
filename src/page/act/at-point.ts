// Finds the element at a point of a frame, and the nearest element that can be acted on.
import { defined } from '../defined.ts';
import { attribute, hasAttribute, localName, queryAll, getRect } from '../safe-dom.ts';
import { isTypable } from '../interactive.ts';
import { CONTROL_ROLES, computeRole } from '../roles.ts';
import { getShadowRoot } from '../shadow.ts';
import type { AtPoint, Point } from './act-answers.ts';
import { composedParent, describe } from './describe-target.ts';
import { atPagePoint } from './document.ts';
import { mapToFrame } from './through-frame.ts';
import { beginWatch } from './watch.ts';

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
