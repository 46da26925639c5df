// The walks that can be asked for: of a document, of a part of it, of the surroundings of an
// element; their answers as text.
import { defined } from './defined.ts';
import { isElement, matches, parentNode, getRect, rootElement, getTitle } from './safe-dom.ts';
import { findElement, assignId, isHere } from './ids.ts';
import { encodeLines } from './line-output.ts';
import { BEHIND, IN_VIEW, type WalkOptions } from './walk-record.ts';
import { queryInTrees } from './shadow.ts';
import { state } from './state.ts';
import { getStyle } from './style.ts';
import { isRepeated } from './structure-lines.ts';
import { shortLine } from './visible-text.ts';
import { Walker } from './walker.ts';

/**
 * The whole walk as text: a line about itself, then one line for each node (see record.ts). Null
 * when its root is not there.
 */
export const walk = (options: WalkOptions = {}): string | null => {
  const start = startOf(options);
  if (start === undefined) return null;
  hasWalked = true;
  state.suspects = [];
  state.frames = [];
  const walker = new Walker(options);
  walker.prepare(document);
  if (start) walkInto(walker, start);
  return encode(walker, options);
};

let hasWalked = false;

/**
 * Enough elements for the engine to know this code, and few enough for a page to spare the time.
 */
const REHEARSED = 1000;
const REHEARSED_MS = 20;

/**
 * Walks the beginning of the document for practice, when the page has nothing else to do: code that
 * runs for the first time is slow. Answers how many elements it met that may hide a closed shadow
 * root.
 */
export const rehearse = (): Promise<number> =>
  new Promise((resolve) => {
    requestIdleCallback(() => {
      if (hasWalked) return resolve(0);
      const { suspects } = state; // somebody may be about to take them
      walk({ maxElements: REHEARSED, maxMs: REHEARSED_MS });
      rehearsed = state.suspects;
      state.suspects = suspects;
      resolve(rehearsed.length);
    });
  });

let rehearsed: Element[] = [];

/**
 * What the rehearsal suspected; once, and without a note that it was looked into: the page may
 * still be about to build its roots.
 */
export const takeRehearsed = (): [suspects: Element[]] => {
  const suspects = rehearsed;
  rehearsed = [];
  return [suspects];
};

/** The element to start from: null in an empty document, undefined when it is not there. */
const startOf = ({ root, selector }: WalkOptions): Element | null | undefined => {
  if (root !== undefined) {
    const element = findElement(root);
    return element && isHere(element) ? element : undefined;
  }
  return selector === undefined ? rootElement(document) : queryInTrees(document, selector);
};

const walkInto = (walker: Walker, start: Element): void => {
  const parent = parentNode(start);
  walker.start(
    start,
    parent !== null && isElement(parent) && getStyle(parent).cursor === 'pointer',
  );
};

const ITEMS = 'li,tr,article,[role=row],[role=listitem],[role=article]';
const MAX_CLIMB = 12;
const MAX_TITLE_CHARS = 300;

/** The row, card or list item that an element stands in, else the element itself. */
const itemAround = (element: Element): Element => {
  for (
    let at: Node | null = parentNode(element), i = 0;
    at && isElement(at) && i < MAX_CLIMB;
    at = parentNode(at), i++
  ) {
    if (matches(at, ITEMS) || isRepeated(at)) return at;
  }
  return element;
};

/**
 * Walks the items around several elements at once, so that they get the roles that a reading gives
 * them.
 */
export const walkItems = (elements: readonly Element[]): string => {
  const walker = new Walker({ maxChars: 1_000_000, maxMs: 500 });
  walker.prepare(document);
  for (const item of new Set(elements.map(itemAround))) walkInto(walker, item);
  return encode(walker, {});
};

const encode = (walker: Walker, options: WalkOptions): string => {
  const { out, modal, stopped, controls } = walker;
  const { viewportAbove } = options;
  const behind = options.behind ? encodeBehind(walker, options) : [];
  if (modal)
    for (const [i, line] of out.lines.entries())
      if (i < modal[0] || i >= modal[1]) line.dead = true;
  const title = shortLine(getTitle(document), MAX_TITLE_CHARS);
  const lines = [
    [
      state.base,
      state.suspects.length,
      stopped ? 1 : 0,
      modal ? 1 : 0,
      state.frames.length,
      title,
    ].join('\t'),
  ];
  out.encode(lines);
  if (behind.length > 0) lines.push(BEHIND, ...behind);
  if (viewportAbove !== undefined && out.size > viewportAbove)
    lines.push(IN_VIEW + inView(controls));
  return lines.join('\n');
};

/** Reading what is out of reach must not take long. */
const MAX_BEHIND_MS = 300;

/**
 * The lines outside of a modal dialog, and those inside of elements that are inert or hidden by
 * aria-hidden.
 */
const encodeBehind = (
  { out, modal, hasDialog, outOfReach }: Walker,
  { maxChars, urls }: WalkOptions,
): string[] => {
  const lines: string[] = [];
  if (modal) {
    encodeLines(out.lines.slice(0, modal[0]), lines);
    encodeLines(out.lines.slice(modal[1]), lines);
  }
  // Without a dialog these are decorations, or parts that a page has put away.
  if (!hasDialog || outOfReach.length === 0) return lines;
  const { suspects } = state; // closed shadow roots are opened only for what is shown
  const walker = new Walker(
    defined({
      maxMs: MAX_BEHIND_MS,
      maxChars: maxChars ? maxChars : undefined,
      urls: urls ? urls : undefined,
    }),
  );
  walker.prepare(document);
  for (const element of outOfReach) walkInto(walker, element);
  state.suspects = suspects;
  walker.out.encode(lines);
  return lines;
};

/** The numbers of the controls that can be seen without scrolling. */
const inView = (controls: readonly Element[]): string => {
  const { innerWidth, innerHeight } = window;
  const ids: number[] = [];
  for (const element of controls) {
    const { top, bottom, left, right, width, height } = getRect(element);
    if (
      bottom > 0 &&
      top < innerHeight &&
      right > 0 &&
      left < innerWidth &&
      width > 0 &&
      height > 0
    )
      ids.push(assignId(element) - state.base);
  }
  return ids.join(',');
};
