// Worker thread that reads the text of PDF files.
import { parentPort } from 'node:worker_threads';
import { getErrorMessage } from '../../../core/failure.ts';
import { monotonicMs } from '../../../core/time.ts';
import { buildBlocks, type PdfPageBlocks, renderPages } from '../layout.ts';
import { readPdfPage } from '../page-text.ts';
import { OutOfMemory, Pdfium } from '../pdfium.ts';

export interface PdfRequest {
  /** PDFium, compiled once for all threads. */
  readonly module: WebAssembly.Module;
  readonly bytes: Uint8Array;
  readonly limits: {
    readonly memoryBytes: number;
    readonly pages: number;
    readonly chars: number;
    readonly timeMs: number;
  };
}

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

export type PdfProblem = 'empty' | 'broken' | 'password' | 'unsupported' | 'memory';

export type PdfAnswer =
  | { readonly reading: PdfReading }
  | { readonly problem: PdfProblem; readonly message: string };

/** Error numbers of PDFium; other numbers mean a broken file. */
const PROBLEMS: Readonly<Record<number, PdfProblem>> = { 4: 'password', 5: 'unsupported' };

/**
 * PDFium reads the children of the whole document for each page: the time for all pages grows with
 * the square of their number. In longer documents headings and tables are found by their layout.
 */
const MAX_TAGGED_PAGES = 50;

const read = ({ module, bytes, limits }: PdfRequest): PdfAnswer => {
  if (bytes.length === 0) return { problem: 'empty', message: 'the file is empty' };
  const endsAt = monotonicMs() + limits.timeMs;
  try {
    const pdfium = new Pdfium(module, limits.memoryBytes);
    const { call } = pdfium;
    const document = call.FPDF_LoadMemDocument(pdfium.store(bytes), bytes.length, 0);
    if (document === 0) {
      const error = call.FPDF_GetLastError();
      return { problem: PROBLEMS[error] ?? 'broken', message: `PDFium error ${error}` };
    }
    return { reading: readDocument(pdfium, document, { ...limits, endsAt }) };
  } catch (error) {
    const problem = error instanceof OutOfMemory ? 'memory' : 'broken';
    return { problem, message: getErrorMessage(error) };
  }
};

const readDocument = (
  pdfium: Pdfium,
  document: number,
  limits: PdfRequest['limits'] & { readonly endsAt: number },
): PdfReading => {
  const pageCount = pdfium.call.FPDF_GetPageCount(document);
  const pages: PdfPageBlocks[] = [];
  let charsLeft = limits.chars;
  let hidden = 0;
  while (pages.length < Math.min(pageCount, limits.pages)) {
    if (charsLeft <= 0 || (pages.length > 0 && monotonicMs() > limits.endsAt)) break;
    const options = { maxChars: charsLeft, withTags: pageCount <= MAX_TAGGED_PAGES };
    const page = readPage(pdfium, document, pages.length, options);
    charsLeft -= page.chars;
    hidden += page.hidden;
    pages.push({ blocks: buildBlocks(page.runs), hasPictures: page.hasPictures });
  }
  return {
    title: readTitle(pdfium, document),
    pageCount,
    pages: renderPages(pages, pageCount),
    textless: pages.flatMap(({ blocks }, index) => (blocks.length === 0 ? [index + 1] : [])),
    hidden,
  };
};

/** A page that PDFium cannot load has no content. */
const readPage = (
  pdfium: Pdfium,
  document: number,
  index: number,
  options: { readonly maxChars: number; readonly withTags: boolean },
): ReturnType<typeof readPdfPage> => {
  const page = pdfium.call.FPDF_LoadPage(document, index);
  if (page === 0) return { runs: [], hasPictures: false, chars: 0, hidden: 0 };
  try {
    return readPdfPage(pdfium, page, options);
  } finally {
    pdfium.call.FPDF_ClosePage(page);
  }
};

const TITLE = new TextEncoder().encode('Title\0');

const readTitle = (pdfium: Pdfium, document: number): string => {
  const tag = pdfium.store(TITLE);
  return pdfium
    .readText((buffer, bytes) => pdfium.call.FPDF_GetMetaText(document, tag, buffer, bytes))
    .trim();
};

parentPort?.on('message', (request: PdfRequest) => parentPort?.postMessage(read(request)));
