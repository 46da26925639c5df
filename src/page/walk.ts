// Walks a document, a part of it, or the items around elements; lists what needs the debugger.
import { takeSuspects } from './closed-root-suspects.ts';
import { keepFlags } from './attribute-flags.ts';
import { assignId, findElement, isHere, state } from './state.ts';
import { keepFingerprints } from './kept-fingerprints.ts';
import { encodeLines } from './line-output.ts';
import { compact, defined } from './objects.ts';
import { getRect, getTitle, isElement, matches, parentNode, rootElement } from './safe-dom.ts';
import { selectFirst } from './selectors.ts';
import { trees } from './shadow.ts';
import { isRepeated } from './structure-lines.ts';
import { getStyle } from './style.ts';
import { shortLine } from './visible-text.ts';
import { BEHIND, IN_VIEW, type WalkOptions } from './walk-record.ts';
import { Walker } from './walker.ts';

/**
 * Returns a header line and one line per node (see walk-record.ts); null if the root does not
 * exist.
 */
export const walk = (options: WalkOptions = {}): string | null => {
  hasWalked = true;
  return keepFlags(() => walkDocument(options));
};

const walkDocument = (options: WalkOptions): string | null => {
  const start = findStart(options);
  if (start === undefined) return null;
  state.suspects = [];
  state.frames = [];
  const walker = new Walker(options);
  walker.prepare(document);
  if (start) walkInto(walker, start);
  return encode(walker, options);
};

let hasWalked = false;

/** Enough elements for V8 to compile the code, and few enough not to block the page. */
const REHEARSED = 1000;
/**
 * Time of one rehearsal. Short, so that a call does not wait long, and V8 can install the code that
 * it compiles in the background.
 */
const REHEARSED_MS = 8;
const MAX_REHEARSALS = 8;
/** The first walk of a page takes longer than a rehearsal. */
const MAX_ROUND_MS = 20;
/** V8 compiles code better after several runs. */
const MAX_ROUNDS = 20;

/**
 * Walks the start of the document several times while the page is idle, because the first runs of
 * this code are slow. Resolves after the first idle time to the number of elements that may host a
 * closed shadow root.
 */
export const warmUpWalk = (): Promise<number> =>
  new Promise((resolve) => {
    requestIdleCallback(() => {
      if (hasWalked) return resolve(0);
      const rounds = rehearse(MAX_ROUNDS);
      resolve(rehearsed.length);
      rehearseAgain(MAX_ROUNDS - rounds, MAX_REHEARSALS - 1);
    });
  });

/** Walks up to `maxRounds` times; returns the number of walks. */
const rehearse = (maxRounds: number): number => {
  const { suspects, frames } = state; // a caller may not have taken them yet
  const endsAt = performance.now() + REHEARSED_MS;
  let rounds = 0;
  for (; rounds === 0 || (rounds < maxRounds && performance.now() < endsAt); rounds++) {
    keepFlags(() => walkDocument({ maxElements: REHEARSED, maxMs: MAX_ROUND_MS }));
    if (!hasRehearsed) rehearsed = state.suspects;
    hasRehearsed = true;
  }
  Object.assign(state, { suspects, frames });
  return rounds;
};

const rehearseAgain = (rounds: number, times: number): void => {
  if (rounds <= 0 || times <= 0) return;
  requestIdleCallback(() => {
    if (!hasWalked) rehearseAgain(rounds - rehearse(rounds), times - 1);
  });
};

let hasRehearsed = false;
let rehearsed: Element[] = [];

/**
 * The suspects of the rehearsal, once. They are not recorded as checked, because the page may still
 * create its shadow roots.
 */
export const takeRehearsed = (): [suspects: Element[]] => {
  const suspects = rehearsed;
  rehearsed = [];
  return [suspects];
};

/** The start element: null in an empty document, undefined if it was not found. */
const findStart = ({ root, selector }: WalkOptions): Element | null | undefined => {
  if (root !== undefined) {
    const element = findElement(root);
    return element && isHere(element) ? element : undefined;
  }
  return selector === undefined ? rootElement(document) : selectFirst(selector, trees);
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

/** The row, card or list item around an element, else the element itself. */
const findItem = (element: Element): Element => {
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
 * Walks the items around several elements at once, so that they get the same roles as in a read.
 */
export const walkItems = (elements: readonly Element[]): string =>
  keepFlags(() => walkAround(elements));

const walkAround = (elements: readonly Element[]): string => {
  const walker = new Walker({ maxChars: 1_000_000, maxMs: 500 });
  walker.prepare(document);
  for (const item of new Set(elements.map(findItem))) walkInto(walker, item);
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
  out.encode(lines, walker.hasShadowRoots ? undefined : keepFingerprints());
  if (behind.length > 0) lines.push(BEHIND, ...behind);
  if (viewportAbove !== undefined && out.size > viewportAbove)
    lines.push(IN_VIEW + inView(controls));
  return lines.join('\n');
};

/** Time limit for reading content that is out of reach. */
const MAX_BEHIND_MS = 300;

/** The lines outside of a modal dialog, and those inside elements that are inert or aria-hidden. */
const encodeBehind = (
  { out, modal, hasDialog, outOfReach }: Walker,
  { maxChars, urls }: WalkOptions,
): string[] => {
  const lines: string[] = [];
  if (modal) {
    encodeLines(out.lines.slice(0, modal[0]), lines);
    encodeLines(out.lines.slice(modal[1]), lines);
  }
  // Without a dialog, these elements are decorations or closed parts of the page.
  if (!hasDialog || outOfReach.length === 0) return lines;
  const { suspects } = state; // closed shadow roots are opened only for visible content
  const walker = new Walker(defined({ maxMs: MAX_BEHIND_MS, ...compact({ maxChars, urls }) }));
  walker.prepare(document);
  for (const element of outOfReach) walkInto(walker, element);
  state.suspects = suspects;
  walker.out.encode(lines);
  return lines;
};

/** The ids of the controls that are in the viewport, relative to the base. */
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

// Lists what needs the debugger after a walk: possible closed shadow roots, and frames.

/** A window serialises to a short reference; an element would serialise with all attributes. */
const getWindow = (frame: Element): Window | Element =>
  (frame as HTMLIFrameElement).contentWindow ?? frame;

type ClosedContent = [suspects: Element[], frames: (number | Window | Element)[]];
const NOTHING: ClosedContent = [[], []];

/**
 * Returns the elements to check for a closed root (and clears that list), and the walked frames,
 * each frame preceded by the id of its element. Undefined if there are none.
 */
export const takeClosedContent = (): ClosedContent | undefined => {
  const suspects = takeSuspects();
  if (suspects.length === 0 && state.frames.length === 0) return undefined;
  return [suspects, state.frames.flatMap((frame) => [assignId(frame), getWindow(frame)])];
};

/**
 * Chrome returns a plain string twice, but a string in an array once. The
 * array pays off above this length.
 */
const MAX_ALONE = 20_000;

/** Runs a walk; adds the elements and frames that it could not look into, if there are any. */
export const walkWithClosedContent = (
  options: WalkOptions,
): string | null | [walk: string, ...ClosedContent] => {
  const answer = walk(options);
  if (answer === null) return null;
  const rest = takeClosedContent();
  return rest || answer.length > MAX_ALONE ? [answer, ...(rest ?? NOTHING)] : answer;
};
