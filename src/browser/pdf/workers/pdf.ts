// Worker thread that reads the text of PDF files.
import { parentPort } from 'node:worker_threads';
import { getErrorMessage } from '../../../core/failure.ts';
import { monotonicMs } from '../../../core/time.ts';
import { buildBlocks, type PdfPageBlocks } from '../layout.ts';
import { readPdfPage } from '../page-text.ts';
import { joinParts, type PdfPart, type PdfReading } from '../pdf-parts.ts';
import { OutOfMemory, Pdfium } from '../pdfium.ts';

export interface PdfRequest {
  /** PDFium, compiled once for all threads. */
  readonly module: WebAssembly.Module;
  readonly bytes: Uint8Array;
  /** Long documents are read by several threads, each a range of pages. */
  readonly part: { readonly index: number; readonly count: number };
  readonly limits: {
    readonly memoryBytes: number;
    readonly pages: number;
    readonly chars: number;
    readonly timeMs: number;
  };
}

export type PdfProblem = 'empty' | 'broken' | 'password' | 'unsupported' | 'memory';

export type PdfAnswer =
  | { readonly reading: PdfReading }
  /** The pages of one of several threads. */
  | { readonly part: PdfPart }
  /** Too many blocks for the main thread: one thread must read the whole document. */
  | { readonly isDense: true }
  | { readonly problem: PdfProblem; readonly message: string };

/** Error numbers of PDFium; other numbers mean a broken file. */
const PROBLEMS: Readonly<Record<number, PdfProblem>> = { 4: 'password', 5: 'unsupported' };

/**
 * PDFium reads the children of the whole document for each page: the time for all pages grows with
 * the square of their number. In longer documents headings and tables are found by their layout.
 */
const MAX_TAGGED_PAGES = 50;

const MIN_SPLIT_PAGES = 60;
/** The main thread joins the parts; more blocks would block it for too long. */
const MAX_BLOCKS = 20_000;

const read = ({ module, bytes, part, limits }: PdfRequest): PdfAnswer => {
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
    const read = readDocument(pdfium, document, part, { ...limits, endsAt });
    if (part.count === 1) return { reading: joinParts([read]) };
    return countBlocks(read) > MAX_BLOCKS ? { isDense: true } : { part: read };
  } catch (error) {
    const problem = error instanceof OutOfMemory ? 'memory' : 'broken';
    return { problem, message: getErrorMessage(error) };
  }
};

const readDocument = (
  pdfium: Pdfium,
  document: number,
  part: PdfRequest['part'],
  limits: PdfRequest['limits'] & { readonly endsAt: number },
): PdfPart => {
  const pageCount = pdfium.call.FPDF_GetPageCount(document);
  const [first, end] = findRange(Math.min(pageCount, limits.pages), part);
  const pages: PdfPageBlocks[] = [];
  let charsLeft = limits.chars;
  let hidden = 0;
  while (first + pages.length < end) {
    if (charsLeft <= 0 || (pages.length > 0 && monotonicMs() > limits.endsAt)) break;
    const options = { maxChars: charsLeft, withTags: pageCount <= MAX_TAGGED_PAGES };
    const page = readPage(pdfium, document, first + pages.length, options);
    charsLeft -= page.chars;
    hidden += page.hidden;
    pages.push({ blocks: buildBlocks(page.runs), hasPictures: page.hasPictures });
  }
  return {
    title: readTitle(pdfium, document),
    pageCount,
    pages,
    isComplete: first + pages.length === end,
    hidden,
  };
};

const countBlocks = ({ pages }: PdfPart): number =>
  pages.reduce((sum, { blocks }) => sum + blocks.length, 0);

/** The first part of a short document has all its pages. */
const findRange = (pages: number, { index, count }: PdfRequest['part']): [number, number] => {
  if (pages < MIN_SPLIT_PAGES) return index === 0 ? [0, pages] : [0, 0];
  const findStart = (part: number): number => Math.floor((pages * part) / count);
  return [findStart(index), findStart(index + 1)];
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
