// Picks the elements that may host a closed shadow root, which only the debugger can check.
import { addCount } from './objects.ts';
import {
  attribute,
  childElementCount,
  firstChild,
  firstElementChild,
  isText,
  localName,
  getData,
  method,
  nodeType,
} from './safe-dom.ts';
import { getShadowRoot } from './shadow.ts';
import { state } from './state.ts';
import { getStyle } from './style.ts';
import { isBlank } from './visible-text.ts';

/** Plain elements that can host a shadow root. */
const HOSTS = new Set([
  'article',
  'aside',
  'blockquote',
  'body',
  'div',
  'footer',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'header',
  'main',
  'nav',
  'p',
  'section',
  'span',
]);
/**
 * After this many elements of one tag without a closed root, others of the tag are checked only if
 * they are empty and have a size.
 */
const SAMPLES = 3;
const MAX_SUSPECTS = 100;
const MIN_SIDE_PX = 8;
const ELEMENT = 1;

/** Whether enough elements of this tag were checked and have no closed root. */
const isSampled = (tag: string): boolean => (state.clearedNames.get(tag) ?? 0) >= SAMPLES;

const isCustom = (tag: string): boolean => tag.includes('-');

/** Whether the element has neither child elements nor text. */
const isEmpty = (element: Element, child = firstChild(element)): boolean => {
  if (!child) return true;
  return isText(child) && isBlank(getData(child)) && childElementCount(element) === 0;
};

const formatSize = (element: Element): string => {
  const { offsetWidth, offsetHeight } = element as HTMLElement;
  return offsetWidth < MIN_SIDE_PX || offsetHeight < MIN_SIDE_PX
    ? ''
    : `${offsetWidth}x${offsetHeight}`;
};

/** Whether a background is painted, which explains why the empty box has a size. */
const isPainted = (element: Element): boolean => {
  const { backgroundImage, backgroundColor } = getStyle(element);
  return backgroundImage !== 'none' || !TRANSPARENT.test(backgroundColor);
};
const TRANSPARENT = /^(?:transparent|rgba\(0, 0, 0, 0\))$/;

/**
 * Called for every visible element with its first child; records those that may host a closed
 * shadow root.
 */
export const suspect = (element: Element, tag: string, first = firstChild(element)): void => {
  const isPlain = HOSTS.has(tag);
  if (isPlain && first && nodeType(first) === ELEMENT) {
    if (!isInFlatTree(first as Element)) suspectHost(element);
    return;
  }
  const custom = !isPlain && isCustom(tag);
  if (!custom && !isPlain) return;
  if (getShadowRoot(element) || state.suspects.length >= MAX_SUSPECTS) return;
  const empty = isEmpty(element, first);
  if (!empty && (!custom || isSampled(tag))) return;
  // An empty box with a size usually has a background, but may host a closed root.
  const size = empty ? formatSize(element) : 'any';
  if (size === '' && !custom) return;
  if (state.cleared.get(element) === size) return;
  if (custom && size === '' && isSampled(tag)) return;
  if (!custom && isPainted(element)) return void state.cleared.set(element, size);
  state.suspects.push(element);
};

/**
 * Since version 153 Chrome returns no style for an element outside the flattened tree. Older
 * versions return one, but the element is never visible.
 */
const isInFlatTree = (element: Element): boolean =>
  checkVisibility.call(element) || HIDING_DISPLAYS.has(getStyle(element).display);
const checkVisibility = method<(this: Element) => boolean>(Element, 'checkVisibility');
const HIDING_DISPLAYS = new Set(['none', 'contents', '']);

/** Called for a child that is not in the flattened tree: its parent must host a closed root. */
export const suspectHost = (parent: Element): void => {
  if (!getShadowRoot(parent) && state.cleared.get(parent) !== 'hidden-child')
    state.suspects.push(parent);
};

/** The state that a checked element is recorded with; it is checked again if this changes. */
const describeCleared = (element: Element, tag: string): string => {
  if (isEmpty(element)) return formatSize(element);
  return firstElementChild(element) && !isCustom(tag) ? 'hidden-child' : 'any';
};

/** Returns the elements to check, and clears the list. */
export const takeSuspects = (): Element[] => {
  const taken = [...new Set(state.suspects)];
  state.suspects = [];
  for (const element of taken) {
    const tag = localName(element);
    state.cleared.set(element, describeCleared(element, tag));
    if (isCustom(tag) && attribute(element, 'slot') === null) addCount(state.clearedNames, tag);
  }
  return taken;
};
