// Joins the pages of a PDF that several threads have read to one text. Pure.
import { type PdfPageBlocks, renderPages } from './layout.ts';

export interface PdfReading {
  /** The title of the document, or an empty text. */
  readonly title: string;
  readonly pageCount: number;
  /** The Markdown of each page that was read. */
  readonly pages: readonly string[];
  /** Numbers of pages that have no text. */
  readonly textless: readonly number[];
  /** Number of pieces of text that a reader cannot see, which were left out. */
  readonly hidden: number;
}

/** The pages that one thread has read. */
export interface PdfPart {
  /** The title of the document, or an empty text. */
  readonly title: string;
  readonly pageCount: number;
  readonly pages: readonly PdfPageBlocks[];
  /** The thread has read all pages of its range. */
  readonly isComplete: boolean;
  /** Number of pieces of text that a reader cannot see, which were left out. */
  readonly hidden: number;
}

/** Pages after a part that is not complete are left out, because the text would have a gap. */
export const joinParts = (parts: readonly PdfPart[]): PdfReading => {
  const gap = parts.findIndex(({ isComplete }) => !isComplete);
  const joined = gap < 0 ? parts : parts.slice(0, gap + 1);
  const pages = joined.flatMap((part) => part.pages);
  const { title = '', pageCount = 0 } = parts[0] ?? {};
  return {
    title,
    pageCount,
    pages: renderPages(pages, pageCount),
    textless: pages.flatMap(({ blocks }, index) => (blocks.length === 0 ? [index + 1] : [])),
    hidden: joined.reduce((sum, { hidden }) => sum + hidden, 0),
  };
};
