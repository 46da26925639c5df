// Checks whether an element is visible, and if not, why.
import { ifDefined } from '../objects.ts';
import { composedParent, findAncestor } from '../shadow.ts';
import { measureBoxes, intersect } from '../act/hit.ts';
import { attributeText, elementId, getRect, localName, matches } from '../safe-dom.ts';

/** Short label of an element: tag with id, or with up to two classes. */
export const shortLabel = (element: Element): string => {
  const id = elementId(element);
  if (id) return `${localName(element)}#${id.slice(0, 60)}`;
  const classes = attributeText(element, 'class').trim().split(/\s+/).filter(Boolean).slice(0, 2);
  return localName(element) + classes.map((name) => `.${name.slice(0, 40)}`).join('');
};

const on = (what: string, at: Element, element: Element): string =>
  at === element ? what : `${what} on ${shortLabel(at)}`;

/** Returns `visible`, or the reason why the element is not visible. */
export const describeVisibility = (element: Element): string =>
  notRendered(element) ?? transparent(element) ?? outOfSight(element) ?? 'visible';

const notRendered = (element: Element): string | undefined => {
  if (getComputedStyle(element).display === 'none') return `not rendered: ${noneReason(element)}`;
  for (let at = composedParent(element); at; at = composedParent(at)) {
    const { display, contentVisibility } = getComputedStyle(at);
    if (display === 'none') return `not rendered: ${on(noneReason(at), at, element)}`;
    if (contentVisibility === 'hidden')
      return `not rendered: ${on('content-visibility: hidden', at, element)}`;
    if (matches(at, 'details:not([open])') && !element.closest('summary'))
      return `not rendered: inside closed ${shortLabel(at)}`;
  }
  const { visibility } = getComputedStyle(element);
  if (visibility === 'visible') return undefined;
  let source = element;
  for (
    let at = composedParent(element);
    at && getComputedStyle(at).visibility === visibility;
    at = composedParent(at)
  )
    source = at;
  return `invisible: ${on(`visibility: ${visibility}`, source, element)}`;
};

const noneReason = (element: Element): string => {
  const [, reason = 'display: none'] =
    NONE_REASONS.find(([selector]) => matches(element, selector)) ?? [];
  return reason;
};

/** Reasons for `display: none`, by selector. */
const NONE_REASONS = [
  ['[hidden]', 'hidden attribute'],
  ['[popover]:not(:popover-open)', 'popover that is not open'],
  ['dialog:not([open])', 'dialog that is not open'],
] as const;

const transparent = (element: Element): string | undefined => {
  const source = findAncestor(element, (at) => Number(getComputedStyle(at).opacity) === 0);
  return ifDefined(source, (at) => `invisible: ${on('opacity: 0', at, element)}`);
};

const outOfSight = (element: Element): string | undefined => {
  const box = getRect(element);
  if (measureBoxes(element).length === 0)
    return `no size (${round(box.width)}x${round(box.height)})`;
  const clip = findClipper(element);
  if (clip?.hidden === 1) return `clipped away by ${shortLabel(clip.by)}`;
  if (box.right + scrollX <= 0 || box.bottom + scrollY <= 0)
    return 'outside of the page: left of or above its edge';
  if (box.bottom <= 0) return 'visible after scrolling up';
  if (box.top >= innerHeight) return 'visible after scrolling down';
  if (box.right <= 0 || box.left >= innerWidth) return 'visible after scrolling sideways';
  const { point, cover } = intersect(element);
  if (!point && cover && getComputedStyle(element).pointerEvents !== 'none')
    return `covered by ${shortLabel(cover)}`;
  return ifDefined(
    clip,
    (clip) => `visible, ${Math.round(clip.hidden * 100)} % of it clipped by ${shortLabel(clip.by)}`,
  );
};

interface Clip {
  readonly by: Element;
  /** Fraction of the element's area that is clipped. */
  readonly hidden: number;
}

/** The nearest ancestor that clips more than 2 % of the element. */
export const findClipper = (element: Element): Clip | undefined => {
  const box = getRect(element);
  const area = box.width * box.height;
  if (area === 0) return undefined;
  const { position } = getComputedStyle(element);
  for (
    let at = composedParent(element);
    at && at !== document.documentElement && at !== document.body;
    at = composedParent(at)
  ) {
    const style = getComputedStyle(at);
    if (style.overflow === 'visible' && style.clipPath === 'none') continue;
    if (position === 'fixed' || (position === 'absolute' && style.position === 'static')) continue;
    const around = getRect(at);
    const width = Math.max(0, Math.min(box.right, around.right) - Math.max(box.left, around.left));
    const height = Math.max(0, Math.min(box.bottom, around.bottom) - Math.max(box.top, around.top));
    const hidden = 1 - (width * height) / area;
    if (hidden > 0.02) return { by: at, hidden };
  }
  return undefined;
};

export const round = (value: number): number => Math.round(value * 10) / 10;
