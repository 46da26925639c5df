// Fits Markdown, also of a PDF, into a token budget: an outline, a page of text, and a cursor.
import { defined } from '../core/defined.ts';
import { fail } from '../core/failure.ts';
import { matchGroups, quoteText, textIf } from '../core/text.ts';
import { estimateTokens } from './tokens.ts';

interface Budget {
  readonly maxTokens: number;
  readonly cursor?: string | undefined;
}

export interface MarkdownPage {
  /** Headings of the whole text with their cursors; only on the first of several pages. */
  readonly outline: readonly string[];
  /** A slice of the whole text; all pages concatenated are exactly the whole text. */
  readonly body: string;
  readonly shownTokens: number;
  readonly totalTokens: number;
  /** The cursor of the next page; absent on the last one. */
  readonly next?: string;
}

/** The share of a page's budget that the outline may take. */
const OUTLINE_SHARE = 0.25;
/** Reserved for the lines around the outline and for the line with the next cursor. */
const FRAME_TOKENS = 35;
/** A text of short lines and code needs up to 2 % more tokens than `estimateTokens` returns. */
const ESTIMATE_MARGIN = 1.03;
/** Cursors contain a hash of this many characters before them. */
const ANCHOR_CHARS = 160;

export const cutMarkdownPage = (whole: string, { maxTokens, cursor }: Budget): MarkdownPage => {
  const totalTokens = estimateTokens(whole);
  if (cursor === undefined && totalTokens * ESTIMATE_MARGIN <= maxTokens)
    return { outline: [], body: whole, shownTokens: totalTokens, totalTokens };
  const from = cursor === undefined ? 0 : findCursor(whole, cursor);
  const room = Math.max(1, maxTokens - FRAME_TOKENS);
  const outline = from === 0 ? outlineWithin(findHeadings(whole), room * OUTLINE_SHARE) : [];
  const body = takeTokens(whole, from, room - estimateTokens(outline.join('\n')));
  const end = from + body.length;
  return defined({
    outline,
    body,
    shownTokens: estimateTokens(body),
    totalTokens,
    next: end < whole.length ? cursorAt(whole, end) : undefined,
  });
};

export const renderMarkdownPage = ({
  outline,
  body,
  shownTokens,
  totalTokens,
  next,
}: MarkdownPage): string => {
  const lead = textIf(outline.length, `Outline (cursor, heading):\n${outline.join('\n')}\n---\n`);
  const count = (tokens: number): string => Math.ceil(tokens).toLocaleString('en');
  const trailer = textIf(
    next !== undefined,
    `\n… ${count(shownTokens)} of about ${count(totalTokens)} tokens; ` +
      `continue with cursor "${next}"`,
  );
  return lead + body + trailer;
};

interface Heading {
  readonly level: number;
  readonly offset: number;
  readonly text: string;
}

const findHeadings = (markdown: string): Heading[] => {
  const headings: Heading[] = [];
  let fence = '';
  for (const { line, offset } of splitLines(markdown)) {
    const mark = /^\s*(`{3,})/.exec(line)?.[1];
    if (mark && fence === '') fence = mark;
    else if (fence !== '' && line.trim() === fence) fence = '';
    const level = fence === '' ? (/^(#{1,6}) /.exec(line)?.[1]?.length ?? 0) : 0;
    if (level > 0) headings.push({ level, offset, text: line.slice(0, 200).trimEnd() });
  }
  return headings;
};

/** As many heading levels as fit, at least the first of the topmost headings. */
const outlineWithin = (headings: readonly Heading[], maxTokens: number): string[] => {
  for (let deepest = 6; deepest >= 1; deepest--) {
    const lines = headings
      .filter(({ level }) => level <= deepest)
      .map(({ offset, text }) => `${offset} ${text}`);
    if (estimateTokens(lines.join('\n')) <= maxTokens) return lines;
  }
  const top = Math.min(...headings.map(({ level }) => level));
  const lines: string[] = [];
  let left = maxTokens;
  for (const { offset, text } of headings.filter(({ level }) => level === top)) {
    const line = `${offset} ${text}`;
    left -= estimateTokens(line) + 1;
    if (left < 0) return [...lines, '…'];
    lines.push(line);
  }
  return lines;
};

function* splitLines(text: string, from = 0): Generator<{ line: string; offset: number }> {
  for (let offset = from; offset < text.length;) {
    const end = text.indexOf('\n', offset);
    const next = end < 0 ? text.length : end + 1;
    yield { line: text.slice(offset, next), offset };
    offset = next;
  }
}

/**
 * As much as fits from an offset on: whole blocks if possible, else whole lines, else whole
 * characters.
 */
const takeTokens = (text: string, from: number, maxTokens: number): string => {
  let left = maxTokens;
  let end = from;
  let blockEnd = from;
  for (const { line, offset } of splitLines(text, from)) {
    left -= estimateTokens(line);
    if (left < 0) break;
    end = offset + line.length;
    // A heading stays with the text below it.
    if (text.startsWith('\n', end) && !/^#{1,6} /.test(line)) blockEnd = end + 1;
  }
  if (end >= text.length) return text.slice(from);
  if (end === from) return firstCharacters(text, from, maxTokens);
  // A block that spans several pages is cut at a line.
  return text.slice(from, blockEnd - from >= (end - from) / 2 ? blockEnd : end);
};

/** For a single line that is longer than the page. */
const firstCharacters = (text: string, from: number, maxTokens: number): string => {
  let low = 1;
  let high = Math.min(text.length - from, Math.max(1, Math.floor(maxTokens)) * 12);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (estimateTokens(text.slice(from, from + middle)) <= maxTokens) low = middle;
    else high = middle - 1;
  }
  const splitsPair =
    /[\uD800-\uDBFF]$/.test(text.slice(from, from + low)) && from + low < text.length;
  return text.slice(from, from + low + (splitsPair ? 1 : 0));
};

/** FNV-1a, to recognise the text before a cursor. */
const hash = (text: string): string => {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return (value >>> 0).toString(36);
};

const anchorAt = (text: string, offset: number): string =>
  hash(text.slice(Math.max(0, offset - ANCHOR_CHARS), offset));

const cursorAt = (text: string, offset: number): string => `${offset}-${anchorAt(text, offset)}`;

/**
 * The position of a cursor: its offset, or the only position to which the text before it has moved.
 */
const findCursor = (text: string, cursor: string): number => {
  const [, digits, anchor] = matchGroups(/^(\d{1,9})(?:-([0-9a-z]{1,7}))?$/, cursor);
  if (digits === undefined)
    throw fail('invalid_argument', `"${cursor.slice(0, 40)}" is not a cursor of read_page.`, {
      argument: 'cursor',
    });
  const offset = Number(digits);
  if (anchor === undefined && offset < text.length) return offset;
  if (anchor !== undefined && offset <= text.length && anchorAt(text, offset) === anchor)
    return offset;
  const moved =
    anchor === undefined
      ? []
      : lineStarts(text).filter((start) => anchorAt(text, start) === anchor);
  if (moved.length === 1 && moved[0] !== undefined) return moved[0];
  throw fail('page_changed', 'The content has changed since the cursor was returned.', {
    hint: 'Read the page again without cursor.',
    retryable: false,
  });
};

const lineStarts = (text: string): number[] => [...splitLines(text)].map(({ offset }) => offset);

// Cuts the pages of a PDF to a token budget, and renders matches with their page numbers.

interface PdfBudget {
  readonly maxTokens: number;
  /** A text above this size becomes a handle, so it is not cut. */
  readonly inlineLimitBytes: number;
  /** A cursor of an earlier reply, or `p12` for page 12. */
  readonly cursor?: string | undefined;
}

export const cutPdfPages = (
  pages: readonly string[],
  { maxTokens, inlineLimitBytes, cursor }: PdfBudget,
): MarkdownPage => {
  const whole = pages.join('');
  if (cursor !== undefined)
    return cutMarkdownPage(whole, { maxTokens, cursor: findPageCursor(pages, cursor) ?? cursor });
  const isStored = Buffer.byteLength(whole) > inlineLimitBytes;
  return cutMarkdownPage(whole, { maxTokens: isStored ? Infinity : maxTokens });
};

/** The offset of a page that is named as `p12`; undefined for other cursors. */
const findPageCursor = (pages: readonly string[], cursor: string): string | undefined => {
  const [, digits] = matchGroups(/^p(\d{1,9})$/, cursor);
  if (digits === undefined) return undefined;
  const index = Number(digits) - 1;
  if (index < 0 || index >= pages.length)
    throw fail('invalid_argument', `Page ${Number(digits)} was not found in the PDF.`, {
      argument: 'cursor',
      hint: `Use "p1" to "p${pages.length}".`,
    });
  let offset = 0;
  for (const page of pages.slice(0, index)) offset += page.length;
  return String(offset);
};

export interface PdfMatches {
  readonly kind: 'pdf';
  readonly total: number;
  readonly matches: readonly { readonly page: number; readonly text: string }[];
}

export const renderPdfMatches = ({ total, matches }: PdfMatches, query: string): string => {
  if (total === 0) return `No match in the PDF for ${quoteText(query)}.`;
  const lines = matches.map(({ page, text }) => `page ${page}: ${text}`);
  const more = total - matches.length;
  return more > 0 ? `${lines.join('\n')}\n… ${more} more` : lines.join('\n');
};
