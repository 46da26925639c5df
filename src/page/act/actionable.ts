// Checks that an element is visible, enabled, not moving and hit by the pointer; scrolls to it.
import { attribute, hasAttribute, isAria, localName, matches, queryAll } from '../safe-dom.ts';
import { modalDialog, trees } from '../match-words.ts';
import type { Needs, Point, Problem } from './act-answers.ts';
import { describe } from './describe-target.ts';
import { composedParent, findAncestor, isInside } from '../shadow.ts';
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

const formatTag = (element: Element): string => {
  const id = attribute(element, 'id');
  return id ? `<${localName(element)} id="${id}">` : `<${localName(element)}>`;
};

/** Returns why the element is hidden, or undefined if it is visible. */
const hiddenBecause = (element: Element): string | undefined => {
  if (element.checkVisibility({ visibilityProperty: true }) && measureBoxes(element).length > 0)
    return undefined;
  for (let at: Element | undefined = element; at; at = composedParent(at)) {
    const style = getComputedStyle(at);
    const reason = HIDDEN_BY.find(([, test]) => test(style))?.[0];
    if (reason) return at === element ? reason : `${reason} on ${formatTag(at)} around it`;
    if (localName(at) === 'details' && !hasAttribute(at, 'open')) return 'inside closed <details>';
  }
  return measureBoxes(element).length === 0 ? 'it has no size' : 'it is not rendered';
};

/** Returns why the element is disabled, or undefined if it is enabled. */
const disabledBecause = (element: Element): string | undefined => {
  if (matches(element, ':disabled'))
    return hasAttribute(element, 'disabled') ? 'disabled' : 'its fieldset is disabled';
  for (let at: Element | undefined = element; at; at = composedParent(at)) {
    if (isAria(at, 'aria-disabled')) return 'aria-disabled';
    if (hasAttribute(at, 'inert')) return 'inert';
  }
  return undefined;
};

const DIALOGS = 'dialog[open],[role=dialog],[role=alertdialog],[aria-modal=true]';

/** The open dialog that makes the rest of the page inert. */
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

/** The size of inputs that only screen readers are meant to find: their label is drawn instead. */
const SCREEN_READER_PX = 2;

const isForScreenReaders = (element: Element): boolean =>
  measureBoxes(element).every(
    ({ width, height }) => width <= SCREEN_READER_PX && height <= SCREEN_READER_PX,
  );

/**
 * Returns the visible label of an input that is hidden or too small to be seen, because a press on
 * the label toggles the input.
 */
export const findPressable = (element: Element): Element => {
  if (localName(element) !== 'input') return element;
  if (hiddenBecause(element) === undefined && !isForScreenReaders(element)) return element;
  const labels = (element as HTMLInputElement).labels ?? [];
  return [...labels].find((label) => hiddenBecause(label) === undefined) ?? element;
};

const MOVING = new RegExp(
  '^(?:transform|translate|scale|rotate|offset|left|right|top|bottom|inset|margin|padding|' +
    'width|height|min|max|flex|grid|gap)',
);

const movesBox = ({ effect }: Animation): boolean => {
  if (!(effect instanceof KeyframeEffect)) return false;
  return effect
    .getKeyframes()
    .some((frame) => Object.keys(frame).some((property) => MOVING.test(property)));
};

/**
 * Running animations that move the element. Checks only the element and its ancestors, not the
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

/**
 * Scroll positions to try. The later ones move the element away from sticky headers and footers.
 */
const SCROLLS: readonly ScrollIntoViewOptions[] = [
  { block: 'center', inline: 'center', behavior: 'instant' },
  { block: 'end', inline: 'nearest', behavior: 'instant' },
  { block: 'start', inline: 'nearest', behavior: 'instant' },
];

/**
 * Returns true if scrolling could uncover the element: not under an overlay that fills the page.
 */
const mayScrollOut = (element: Element, cover: Element | undefined): boolean => {
  if (!cover || !isInViewport(element)) return true;
  if (isInside(element, cover)) return true; // the element is clipped by an ancestor
  const { width, height } = cover.getBoundingClientRect();
  return width * height < innerWidth * innerHeight * 0.9;
};

/** Finds a point where the pointer hits the element. Scrolls only if necessary. */
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
    ...explainMiss(element, over),
    element: describe(element),
    cover: describe(findNamedCover(over)),
  };
};

/**
 * An element with `pointer-events: none` is covered only if the element that was hit comes later in
 * the document. Otherwise the hit element is an ancestor or lies below.
 */
const explainMiss = (element: Element, met: Element): Problem => {
  if (getComputedStyle(element).pointerEvents !== 'none') return { problem: 'covered' };
  const isOver =
    !isInside(element, met) &&
    (element.compareDocumentPosition(met) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  return isOver
    ? { problem: 'covered', detail: 'it ignores clicks too (pointer-events: none)' }
    : { problem: 'untouchable' };
};

/**
 * Returns the nearest dialog, menu or landmark around the cover, because it is easier to recognize.
 */
const findNamedCover = (cover: Element): Element =>
  findAncestor(cover, (at) => matches(at, NAMED_COVERS)) ?? cover;

const NAMED_COVERS =
  'dialog,[role=dialog],[role=alertdialog],[role=alert],[role=banner],[role=navigation],' +
  '[role=status],[role=tooltip],[role=menu],[role=listbox]';

/** Checks the element once. Scrolls to it if necessary, but does not wait. */
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
      detail: hasAttribute(element, 'readonly') ? 'readonly' : 'it is not a text field',
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
