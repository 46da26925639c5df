// Reads the element outline, the raw HTML and the style report of a page or of one element.
import { defined } from '../../core/defined.ts';
import type {
  CssElement,
  CssPage,
  DomNode,
  HtmlAnswer,
  InertHtml,
  RefTarget,
} from '../../page/read-answers.ts';
import type { Frame } from '../tabs/frames.ts';
import { inPage } from '../tabs/in-page.ts';
import type { Tab } from '../tabs/tab.ts';
import {
  assignRefs,
  callOwnFrame,
  callTargetFrame,
  callUntilOpen,
  type ReadTarget,
} from './call-page.ts';
import { fromInnerFrame, listInnerFrames } from './frame-owners.ts';

/** An element of the outline. Elements that only wrap one another are merged into one node. */
interface OutlineNode {
  readonly label: string;
  readonly text?: string;
  readonly note?: string;
  readonly folded?: string;
  /** Set for elements that can be acted on or expanded. */
  readonly ref?: string;
  readonly children: readonly OutlineNode[];
}

interface DomOptions extends ReadTarget {
  readonly depth?: number | undefined;
  readonly urls: boolean;
  /** Approximate maximum length of all lines; upper levels of the tree come first. */
  readonly maxChars: number;
}

/** The part of `maxChars` that one subframe may use. */
const FRAME_SHARE = 0.3;

export const readDom = async (
  tab: Tab,
  { depth, urls, maxChars, ...place }: DomOptions,
  signal: AbortSignal,
): Promise<OutlineNode> => {
  const { answer, frame } = await callOwnFrame(
    tab,
    place,
    {
      call: inPage.domOutline.read,
      request: (subject) => ({ subject, depth, urls, maxChars }),
    },
    signal,
  );
  return join(tab, frame, answer.root, { urls, maxChars: maxChars * FRAME_SHARE }, signal);
};

/** Assigns refs, and inserts the documents of frames below the elements that show them. */
const join = async (
  tab: Tab,
  frame: Frame,
  root: DomNode,
  args: Pick<DomOptions, 'urls' | 'maxChars'>,
  signal: AbortSignal,
): Promise<OutlineNode> => {
  const frames = hasFrame(root) ? await listInnerFrames(frame, signal) : new Map<number, Frame>();
  const refOf = assignRefs(tab, frame);
  const visit = async ({
    target,
    frame: showsFrame,
    children = [],
    ...node
  }: DomNode): Promise<OutlineNode> => {
    const inner = showsFrame && target ? frames.get(target.id) : undefined;
    const below = [];
    for (const child of children) below.push(await visit(child));
    if (inner) below.push(await readInner(tab, inner, args, signal));
    return defined({ ...node, ref: target ? refOf(target) : undefined, children: below });
  };
  return visit(root);
};

const readInner = async (
  tab: Tab,
  frame: Frame,
  args: Pick<DomOptions, 'urls' | 'maxChars'>,
  signal: AbortSignal,
): Promise<OutlineNode> => {
  const answer = await fromInnerFrame(
    (patience) => callUntilOpen(frame, inPage.domOutline.read, args, patience),
    signal,
  );
  if (!answer || 'problem' in answer)
    return { label: '#document', note: 'did not respond', children: [] };
  const root = await join(
    tab,
    frame,
    answer.root,
    { ...args, maxChars: args.maxChars * FRAME_SHARE },
    signal,
  );
  return { label: '#document', note: frame.url.slice(0, 200), children: [root] };
};

const hasFrame = ({ frame, children = [] }: DomNode): boolean =>
  frame === true || children.some(hasFrame);

// Reads a report of the styles and layout of a page or of one element.

export type { CssElement, CssPage } from '../../page/read-answers.ts';

type CssReport =
  | { readonly page: CssPage; readonly element?: undefined }
  | { readonly element: CssElement; readonly page?: undefined };

export const readCss = async (
  tab: Tab,
  place: ReadTarget,
  signal: AbortSignal,
): Promise<CssReport & { readonly refOf: (target: RefTarget) => string }> => {
  const { answer, frame } = await callOwnFrame(
    tab,
    place,
    { call: inPage.css.read, request: (subject) => ({ subject }) },
    signal,
  );
  return { ...answer, refOf: assignRefs(tab, frame) };
};

// Reads the raw HTML of a page or of one element.

/** Maximum length of the HTML; the answer contains the full length. */
const MAX_CHARS = 30_000_000;

interface HtmlOptions {
  readonly selector?: string | undefined;
  /** Include the element's own tag. */
  readonly outer: boolean;
}

type Html = Pick<HtmlAnswer, 'html' | 'length'>;

/** Returns undefined if no element matches the selector. */
export const findHtml = async (
  tab: Tab,
  { selector, outer }: HtmlOptions,
  signal: AbortSignal,
): Promise<Html | undefined> => {
  const found = await callTargetFrame(
    tab,
    { selector },
    {
      call: inPage.html.read,
      request: (subject) => ({ subject, outer, maxChars: MAX_CHARS }),
    },
    signal,
  );
  return found?.answer;
};

/**
 * Returns the whole document of a frame, including shadow roots, without scripts that run on
 * opening.
 */
export const readInertHtml = (frame: Frame, signal: AbortSignal): Promise<InertHtml> =>
  frame.call(inPage.html.readInert, [MAX_CHARS], signal);
