// Which elements may hide a closed shadow root: no script can see one, so the debugger is asked,
// about as few as possible.
import {
  attribute,
  childElementCount,
  firstChild,
  firstElementChild,
  isText,
  localName,
  getData,
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
 * After so many of a name without a closed root, others of that name are asked about only on
 * further suspicion.
 */
const SAMPLES = 3;
const MAX_SUSPECTS = 100;
const MIN_SIDE_PX = 8;

const isCustom = (tag: string): boolean => tag.includes('-');

/** Whether the element shows nothing of its own: no child element, no text. */
const isEmpty = (element: Element): boolean => {
  const child = firstChild(element);
  if (!child) return true;
  return isText(child) && isBlank(getData(child)) && childElementCount(element) === 0;
};

const sizeOf = (element: Element): string => {
  const { offsetWidth, offsetHeight } = element as HTMLElement;
  return offsetWidth < MIN_SIDE_PX || offsetHeight < MIN_SIDE_PX
    ? ''
    : `${offsetWidth}x${offsetHeight}`;
};

/** Whether something is painted in the box that explains why it is there. */
const isPainted = (element: Element): boolean => {
  const { backgroundImage, backgroundColor } = getStyle(element);
  return backgroundImage !== 'none' || !TRANSPARENT.test(backgroundColor);
};
const TRANSPARENT = /^(?:transparent|rgba\(0, 0, 0, 0\))$/;

/** Called for every element that is shown; notes those whose inside may be hidden from scripts. */
export const suspect = (element: Element, tag: string): void => {
  const custom = isCustom(tag);
  if (!custom && !HOSTS.has(tag)) return;
  if (getShadowRoot(element) || state.suspects.length >= MAX_SUSPECTS) return;
  const empty = isEmpty(element);
  if (!empty && (!custom || (state.clearedNames.get(tag) ?? 0) >= SAMPLES)) return;
  // An empty box of some size has something in it that we do not see; a background usually, a
  // closed root perhaps.
  const size = empty ? sizeOf(element) : 'any';
  if (size === '' && !custom) return;
  if (state.cleared.get(element) === size) return;
  if (custom && size === '' && (state.clearedNames.get(tag) ?? 0) >= SAMPLES) return;
  if (!custom && isPainted(element)) return void state.cleared.set(element, size);
  state.suspects.push(element);
};

/** A child that is in no flattened tree: its parent shows a root that we do not see. */
export const suspectHost = (parent: Element): void => {
  if (!getShadowRoot(parent) && state.cleared.get(parent) !== 'hidden-child')
    state.suspects.push(parent);
};

/** The elements to ask about; forgets them. */
export const takeSuspects = (): Element[] => {
  const taken = [...new Set(state.suspects)];
  state.suspects = [];
  for (const element of taken) {
    const tag = localName(element);
    state.cleared.set(
      element,
      isEmpty(element)
        ? sizeOf(element)
        : firstElementChild(element) && !isCustom(tag)
          ? 'hidden-child'
          : 'any',
    );
    if (isCustom(tag) && attribute(element, 'slot') === null)
      state.clearedNames.set(tag, (state.clearedNames.get(tag) ?? 0) + 1);
  }
  return taken;
};
