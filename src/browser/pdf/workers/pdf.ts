// Worker thread that reads the text of PDF files.
import { parentPort } from 'node:worker_threads';
import { getErrorMessage } from '../../../core/failure.ts';
import { monotonicMs } from '../../../core/time.ts';
import { buildBlocks } from '../layout.ts';
import { readPdfPage } from '../page-text.ts';
import { buildReading, type PdfPart, type PdfPartPage, type PdfReading } from '../pdf-parts.ts';
import { OutOfMemory, Pdfium } from '../pdfium.ts';

export interface PdfRequest {
  /** PDFium, compiled once for all threads. */
  readonly module: WebAssembly.Module;
  readonly bytes: Uint8Array;
  /** Another thread reads the other half of the pages; undefined: read all pages. */
  readonly half?: PdfHalf | undefined;
  readonly limits: {
    readonly memoryBytes: number;
    readonly pages: number;
    readonly chars: number;
    readonly timeMs: number;
  };
}

export type PdfHalf = 'first' | 'second';

export type PdfProblem = 'empty' | 'broken' | 'password' | 'unsupported' | 'memory';

export type PdfAnswer =
  | { readonly reading: PdfReading }
  | { readonly part: PdfPart }
  | { readonly problem: PdfProblem; readonly message: string };

/** Error numbers of PDFium; other numbers mean a broken file. */
const PROBLEMS: Readonly<Record<number, PdfProblem>> = { 4: 'password', 5: 'unsupported' };

/**
 * PDFium reads the children of the whole document for each page: the time for all pages grows with
 * the square of their number. In longer documents headings and tables are found by their layout.
 */
const MAX_TAGGED_PAGES = 50;

/**
 * Documents with fewer pages are not divided, because a second thread takes time to start, nor
 * those with more pages, because the main thread would be busy with the parts.
 */
const DIVIDED_PAGES = { min: 30, max: 1000 } as const;

const read = ({ module, bytes, half, limits }: PdfRequest): PdfAnswer => {
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
    return readDocument(pdfium, document, { half, limits: { ...limits, endsAt } });
  } catch (error) {
    const problem = error instanceof OutOfMemory ? 'memory' : 'broken';
    return { problem, message: getErrorMessage(error) };
  }
};

interface PartLimits {
  readonly chars: number;
  readonly endsAt: number;
}

const readDocument = (
  pdfium: Pdfium,
  document: number,
  {
    half,
    limits,
  }: { readonly half: PdfHalf | undefined; readonly limits: PdfRequest['limits'] & PartLimits },
): PdfAnswer => {
  const pageCount = pdfium.call.FPDF_GetPageCount(document);
  const title = readTitle(pdfium, document);
  const end = Math.min(pageCount, limits.pages);
  const isDivided = half && pageCount >= DIVIDED_PAGES.min && pageCount <= DIVIDED_PAGES.max;
  if (!isDivided) {
    const pages = half === 'second' ? [] : readPages(pdfium, document, [0, end], limits);
    const part = { title, pageCount, start: 0, pages };
    return half === 'second' ? { part } : { reading: buildReading([part], limits.chars) };
  }
  const middle = Math.floor(end / 2);
  const [from, to] = half === 'first' ? [0, middle] : [middle, end];
  const pages = readPages(pdfium, document, [from, to], limits);
  return { part: { title, pageCount, start: from, pages } };
};

/** Stops before `to` if a limit is reached. */
const readPages = (
  pdfium: Pdfium,
  document: number,
  [from, to]: readonly [number, number],
  limits: PartLimits,
): PdfPartPage[] => {
  const withTags = pdfium.call.FPDF_GetPageCount(document) <= MAX_TAGGED_PAGES;
  const pages: PdfPartPage[] = [];
  let maxChars = limits.chars;
  for (let index = from; index < to; index++) {
    if (maxChars <= 0 || (index > from && monotonicMs() > limits.endsAt)) break;
    const page = readPage(pdfium, document, index, { maxChars, withTags });
    maxChars -= page.chars;
    pages.push(page);
  }
  return pages;
};

const readPage = (
  pdfium: Pdfium,
  document: number,
  index: number,
  options: { readonly maxChars: number; readonly withTags: boolean },
): PdfPartPage => {
  const page = pdfium.call.FPDF_LoadPage(document, index);
  if (page === 0) return { blocks: [], hasPictures: false, isDamaged: true, chars: 0, hidden: 0 };
  try {
    const { runs, ...facts } = readPdfPage(pdfium, page, options);
    return { ...facts, blocks: buildBlocks(runs) };
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
