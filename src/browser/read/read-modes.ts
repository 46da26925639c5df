// Reads a page or one element as an outline, raw HTML, a style report, Markdown or records.
import { defined, ifDefined } from '../../core/defined.ts';
import type {
  CssElement,
  CssPage,
  DomNode,
  ExtractAnswer,
  HtmlAnswer,
  InertHtml,
  MarkdownAnswer,
  RefTarget,
} from '../../page/read-answers.ts';
import type { MarkdownRequest } from '../../page/page-functions.ts';
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
    return defined({ ...node, ref: ifDefined(target, refOf), children: below });
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

interface HtmlOptions extends ReadTarget {
  /** Include the element's own tag. */
  readonly outer: boolean;
}

type Html = Pick<HtmlAnswer, 'html' | 'length'>;

/** Returns undefined if no element matches the selector. */
export const findHtml = async (
  tab: Tab,
  { selector, ref, outer }: HtmlOptions,
  signal: AbortSignal,
): Promise<Html | undefined> => {
  const found = await callTargetFrame(
    tab,
    { selector, ref },
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

// Reads the content of a page as Markdown, including cross-origin frames.

type Markdown = Omit<MarkdownAnswer, 'title' | 'frames'>;

/** Maximum length of the Markdown of one document. */
const MAX_MARKDOWN_CHARS = 2_000_000;

interface MarkdownOptions extends ReadTarget {
  /** Include the URLs of links and images. */
  readonly urls: boolean;
}

export const readMarkdown = async (
  tab: Tab,
  { urls, ...place }: MarkdownOptions,
  signal: AbortSignal,
): Promise<Markdown> => {
  const args = { urls, maxChars: MAX_MARKDOWN_CHARS };
  const { answer, frame } = await callOwnFrame(
    tab,
    place,
    { call: inPage.markdown.read, request: (subject) => ({ ...args, subject }) },
    signal,
  );
  const { markdown, part, wordsOutside, truncated } = answer;
  return {
    markdown: answer.frames.length ? await withFrames(frame, answer, args, signal) : markdown,
    part,
    wordsOutside,
    truncated,
  };
};

/** Replaces the placeholder line of each cross-origin frame by the content of the frame. */
const withFrames = async (
  frame: Frame,
  { markdown, frames }: MarkdownAnswer,
  args: MarkdownRequest,
  signal: AbortSignal,
): Promise<string> => {
  const inner = await listInnerFrames(frame, signal);
  let whole = markdown;
  for (const { id, line } of frames) {
    const child = inner.get(id);
    const answer =
      child &&
      (await fromInnerFrame(
        (patience) => callUntilOpen(child, inPage.markdown.read, args, patience),
        signal,
      ));
    if (answer && 'markdown' in answer && answer.markdown !== '')
      whole = whole.replace(line, () => answer.markdown);
  }
  return whole;
};

// Reads all possible records (tables, repeated groups) of a page, without interpreting them.

export type PageRecords = ExtractAnswer;
export type { RecordGroup as Group, Leaf, Table } from '../../page/read-answers.ts';

interface ExtractOptions extends ReadTarget {
  readonly multiple: boolean;
}

export const readRecords = async (
  tab: Tab,
  { multiple, ...place }: ExtractOptions,
  signal: AbortSignal,
): Promise<PageRecords> => {
  const { answer } = await callOwnFrame(
    tab,
    place,
    { call: inPage.extract.read, request: (subject) => ({ subject, multiple }) },
    signal,
  );
  return answer;
};
