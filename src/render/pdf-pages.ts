// Cuts the pages of a PDF to a token budget, and renders matches with their page numbers.
import { matchGroups, quoteText } from '../core/text.ts';
import { cutMarkdownPage, type MarkdownPage } from './markdown-text.ts';

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

/** The offset of a page that is named as `p12`; undefined for other cursors and missing pages. */
const findPageCursor = (pages: readonly string[], cursor: string): string | undefined => {
  const [, digits] = matchGroups(/^p(\d{1,5})$/, cursor);
  const index = Number(digits ?? 0) - 1;
  if (index < 0 || index >= pages.length) return undefined;
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
