// Whether an element can be acted on now: shown, enabled, at rest, in view, and under the pointer;
// scrolled to where it must be.
import { attribute, hasAttribute, localName, matches, queryAll } from '../safe-dom.ts';
import { modalDialog, trees } from '../match-words.ts';
import type { Needs, Point, Problem } from './act-answers.ts';
import { composedParent, describe, isInside } from './describe-target.ts';
import { isEditable } from './form-fields.ts';
import { measureBoxes, isInViewport, intersect, measureMiddle } from './hit.ts';

export interface Actionable {
  readonly problem?: undefined;
  readonly point: Point;
  readonly scrolled: boolean;
}

const HIDDEN_BY: readonly (readonly [
  why: string,
  test: (style: CSSStyleDeclaration) => boolean,
])[] = [
  ['display: none', ({ display }) => display === 'none'],
  ['visibility: hidden', ({ visibility }) => visibility !== 'visible'],
];

/** Why the element is not shown; nothing when it is. */
const hiddenBecause = (element: Element): string | undefined => {
  if (element.checkVisibility({ visibilityProperty: true }) && measureBoxes(element).length > 0)
    return undefined;
  for (let at: Element | undefined = element; at; at = composedParent(at)) {
    const style = getComputedStyle(at);
    const reason = HIDDEN_BY.find(([, test]) => test(style))?.[0];
    if (reason)
      return at === element
        ? reason
        : `${reason} on <${localName(at)}${attribute(at, 'id') ? ` id="${attribute(at, 'id')}"` : ''}> around it`;
    if (localName(at) === 'details' && !hasAttribute(at, 'open')) return 'inside closed <details>';
  }
  return measureBoxes(element).length === 0 ? 'it has no size' : 'it is not rendered';
};

/** Why the element does not react to input; nothing when it does. */
const disabledBecause = (element: Element): string | undefined => {
  if (matches(element, ':disabled'))
    return hasAttribute(element, 'disabled') ? 'disabled' : 'its fieldset is disabled';
  for (let at: Element | undefined = element; at; at = composedParent(at)) {
    if (attribute(at, 'aria-disabled') === 'true') return 'aria-disabled';
    if (hasAttribute(at, 'inert')) return 'inert';
  }
  return undefined;
};

const DIALOGS = 'dialog[open],[role=dialog],[role=alertdialog],[aria-modal=true]';

/** The dialog that is open while other parts of the page are inert. */
const findOpenDialog = (element: Element): Element | undefined => {
  const isOpen = (dialog: Element): boolean =>
    hiddenBecause(dialog) === undefined && !isInside(element, dialog);
  return (
    modalDialog() ??
    trees()
      .flatMap((root) => [...queryAll(root, DIALOGS)].filter(isOpen))
      .at(-1)
  );
};

const describeDisabled = (element: Element, detail: string): Problem => {
  const dialog = detail === 'inert' ? findOpenDialog(element) : undefined;
  const problem = { problem: 'disabled', element: describe(element), detail } as const;
  return dialog ? { ...problem, cover: describe(dialog) } : problem;
};

/** A control that is hidden behind a label of its own is pressed through the label. */
export const findPressable = (element: Element): Element => {
  if (localName(element) !== 'input' || hiddenBecause(element) === undefined) return element;
  const labels = (element as HTMLInputElement).labels ?? [];
  return [...labels].find((label) => hiddenBecause(label) === undefined) ?? element;
};

const MOVING =
  /^(?:transform|translate|scale|rotate|offset|left|right|top|bottom|inset|margin|padding|width|height|min|max|flex|grid|gap)/;

const movesBox = ({ effect }: Animation): boolean => {
  if (!(effect instanceof KeyframeEffect)) return false;
  return effect
    .getKeyframes()
    .some((frame) => Object.keys(frame).some((property) => MOVING.test(property)));
};

/**
 * Animations under way that move the element; asked of it and of what is around it, not of the
 * whole page.
 */
export const findMovingAnimations = (element: Element): Animation[] => {
  const found: Animation[] = [];
  for (let at: Element | undefined = element; at; at = composedParent(at))
    for (const animation of at.getAnimations())
      if (animation.playState === 'running' && movesBox(animation)) found.push(animation);
  return found;
};

const isEndless = ({ effect }: Animation): boolean =>
  effect?.getComputedTiming().endTime === Infinity;

/** Ways to bring an element into view; the later ones move it out from under bars at the edges. */
const SCROLLS: readonly ScrollIntoViewOptions[] = [
  { block: 'center', inline: 'center', behavior: 'instant' },
  { block: 'end', inline: 'nearest', behavior: 'instant' },
  { block: 'start', inline: 'nearest', behavior: 'instant' },
];

/**
 * Whether scrolling could bring the element out from under what covers it: not when it lies in a
 * layer above the page.
 */
const mayScrollOut = (element: Element, cover: Element | undefined): boolean => {
  if (!cover || !isInViewport(element)) return true;
  if (isInside(element, cover)) return true; // clipped by what is around it
  const { width, height } = cover.getBoundingClientRect();
  return width * height < innerWidth * innerHeight * 0.9;
};

/** The point at which a pointer meets the element, after as little scrolling as it takes. */
const bringUnderPointer = (element: Element): Actionable | Problem => {
  let { point, cover } = intersect(element);
  if (point) return { point, scrolled: false };
  const first = cover;
  if (mayScrollOut(element, cover)) {
    for (const scroll of SCROLLS) {
      element.scrollIntoView(scroll);
      ({ point, cover } = intersect(element));
      if (point) return { point, scrolled: true };
    }
  }
  const over = cover ?? first;
  if (!over)
    return {
      problem: 'outside',
      element: describe(element),
      detail: 'it cannot be scrolled into view',
    };
  return {
    ...whyNotMet(element, over),
    element: describe(element),
    cover: describe(nameable(over)),
  };
};

/**
 * What is met instead of an element that takes no clicks lies around or behind it; what comes later
 * in the page lies over it.
 */
const whyNotMet = (element: Element, met: Element): Problem => {
  if (getComputedStyle(element).pointerEvents !== 'none') return { problem: 'covered' };
  const isOver =
    !isInside(element, met) &&
    (element.compareDocumentPosition(met) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  return isOver
    ? { problem: 'covered', detail: 'it takes no clicks either (pointer-events: none)' }
    : { problem: 'untouchable' };
};

/**
 * What covers is named by the outermost part of it that is no more than it: the dialog rather than
 * a span in it.
 */
const nameable = (cover: Element): Element => {
  for (let at: Element | undefined = cover; at; at = composedParent(at)) {
    if (
      /^(?:dialog|alertdialog|alert|banner|navigation|status|tooltip|menu|listbox)$/.test(
        attribute(at, 'role') ?? '',
      ) ||
      localName(at) === 'dialog'
    )
      return at;
  }
  return cover;
};

/** The element as it stands now. Scrolls, but waits for nothing. */
export const check = (element: Element, needs: Needs): Actionable | Problem => {
  const hidden = needs.hidden ? undefined : hiddenBecause(element);
  if (hidden !== undefined)
    return { problem: 'hidden', element: describe(element), detail: hidden };
  const disabled = needs.enabled ? disabledBecause(element) : undefined;
  if (disabled !== undefined) return describeDisabled(element, disabled);
  if (needs.editable && !isEditable(element))
    return {
      problem: 'not_editable',
      element: describe(element),
      detail: hasAttribute(element, 'readonly') ? 'readonly' : 'it is no text field',
    };
  if (needs.pointer) {
    if (findMovingAnimations(element).some((animation) => !isEndless(animation)))
      return { problem: 'moving', element: describe(element) };
    return bringUnderPointer(element);
  }
  if (needs.hidden || needs.anywhere) return { point: { x: 0, y: 0 }, scrolled: false };
  const inView = isInViewport(element);
  if (!inView) element.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
  return { point: measureMiddle(element), scrolled: !inView };
};
