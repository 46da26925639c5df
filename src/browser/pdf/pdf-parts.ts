// The text of a PDF, built from the parts that threads have read. Pure.
import { type PdfPageBlocks, renderPages } from './layout.ts';

export interface PdfReading {
  /** The title of the document, or an empty text. */
  readonly title: string;
  readonly pageCount: number;
  /** The Markdown of each page that was read. */
  readonly pages: readonly string[];
  /** Numbers of pages that have no text: pictures, empty and damaged pages. */
  readonly textless: readonly number[];
  /** Numbers of pages that are pictures without text. */
  readonly pictures: readonly number[];
  /** Numbers of pages that cannot be loaded. */
  readonly damaged: readonly number[];
  /** Number of pieces of text that a reader cannot see, which were left out. */
  readonly hidden: number;
}

export interface PdfPartPage extends PdfPageBlocks {
  readonly chars: number;
  readonly hidden: number;
}

/** Pages that one thread has read, without gaps. */
export interface PdfPart {
  readonly title: string;
  readonly pageCount: number;
  /** The index of the first page. */
  readonly start: number;
  readonly pages: readonly PdfPartPage[];
}

/** Pages after a gap and pages beyond `maxChars` are left out. The first part is not optional. */
export const buildReading = (parts: readonly PdfPart[], maxChars: number): PdfReading => {
  const { title = '', pageCount = 0 } = parts[0] ?? {};
  const pages = selectPages(parts, maxChars);
  return {
    title,
    pageCount,
    pages: renderPages(pages, pageCount),
    textless: listNumbers(pages, isTextless),
    pictures: listNumbers(pages, (page) => isTextless(page) && page.hasPictures),
    damaged: listNumbers(pages, ({ isDamaged = false }) => isDamaged),
    hidden: pages.reduce((sum, { hidden }) => sum + hidden, 0),
  };
};

const isTextless = ({ blocks }: PdfPartPage): boolean => blocks.length === 0;

const listNumbers = (
  pages: readonly PdfPartPage[],
  isListed: (page: PdfPartPage) => boolean,
): number[] => pages.flatMap((page, index) => (isListed(page) ? [index + 1] : []));

const selectPages = (parts: readonly PdfPart[], maxChars: number): PdfPartPage[] => {
  const pages: PdfPartPage[] = [];
  let chars = 0;
  for (const part of parts) {
    if (part.start !== pages.length) break;
    for (const page of part.pages) {
      if (chars >= maxChars) return pages;
      chars += page.chars;
      pages.push(page);
    }
  }
  return pages;
};
