// Builds a page of a crawl from the text of a PDF.
import type { OpenPdf } from '../../browser/pdf/tab-pdf.ts';
import type { StructuredContent } from './read-page.ts';
import { type CrawlFormat, MAX_CONTENT_CHARS } from './crawl-options.ts';

export interface PdfPage {
  readonly title: string;
  readonly content: string | StructuredContent;
  readonly truncated: boolean;
}

export const buildPdfPage = (
  { title, reading: { pages, pageCount } }: Pick<OpenPdf, 'title' | 'reading'>,
  format: CrawlFormat,
): PdfPage => {
  const whole = pages.join('');
  const text = whole.slice(0, MAX_CONTENT_CHARS).trimEnd();
  return {
    title,
    content: format === 'structured' ? buildStructured(text) : text,
    truncated: pages.length < pageCount || whole.length > MAX_CONTENT_CHARS,
  };
};

const buildStructured = (text: string): StructuredContent => ({
  headings: text.split('\n').flatMap((line) => {
    const heading = /^(#{1,6}) /.exec(line);
    const level = heading?.[1]?.length ?? 0;
    return level === 0 ? [] : [{ level, text: line.slice(level + 1) }];
  }),
  links: [],
  tables: [],
  json_ld: [],
  text,
});
