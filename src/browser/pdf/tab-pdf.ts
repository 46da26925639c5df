// The text of the PDF that a tab shows, or that Chrome downloaded instead.
import { basename } from 'node:path';
import { attempt } from '../../core/attempt.ts';
import { listDefined } from '../../core/collections.ts';
import { fail } from '../../core/failure.ts';
import { parseUrl, textIf } from '../../core/text.ts';
import { TimeSlices } from '../../core/time.ts';
import type { WorkerPool } from '../../core/worker-pool.ts';
import type { Download } from '../state/downloads.ts';
import type { Tab } from '../tabs/tab.ts';
import { identifyPdf, loadFile, loadTabPdf, waitForEnd } from './pdf-bytes.ts';
import { type PdfReading, readPdfText } from './pdf-text.ts';
import { takeReadAhead } from './read-ahead.ts';

export interface OpenPdf {
  readonly url: string;
  readonly title: string;
  readonly reading: PdfReading;
}

export interface PdfAccess {
  readonly workers: WorkerPool;
  /** Throws if the owner's rules forbid to read a document of these URLs. */
  readonly requireConsent?: (effect: 'read', urls: readonly string[]) => Promise<void>;
}

interface PdfReadOptions extends PdfAccess {
  readonly signal: AbortSignal;
  readonly background?: boolean;
}

/** The last reading of a tab; `key` identifies the document. */
const kept = new WeakMap<Tab, { readonly key: string; readonly pdf: OpenPdf }>();

/** Reads the PDF of a tab for which `showsPdf` is true. */
export const readTabPdf = async (tab: Tab, options: PdfReadOptions): Promise<OpenPdf> => {
  const pdf = await readOnce(tab, options);
  // The check before the call knows only the documents of the tab.
  if (tab.openedFile !== undefined) await options.requireConsent?.('read', [pdf.url]);
  return pdf;
};

const readOnce = async (tab: Tab, options: PdfReadOptions): Promise<OpenPdf> => {
  const { openedFile } = tab;
  const key = identifyPdf(tab);
  const last = kept.get(tab);
  if (last?.key === key) return last.pdf;
  kept.delete(tab);
  const { url } = openedFile ? await waitForEnd(tab, openedFile, options.signal) : tab;
  const reading =
    (await takeReadAhead(tab, key, options)) ??
    (await readPdfText(loadTabPdf(tab, options.signal), options));
  const pdf = { url, title: reading.title || findFileName(url), reading };
  kept.set(tab, { key, pdf });
  if (identifyPdf(tab) === key) tab.pdfTitle = pdf.title;
  const off = tab.events.on('navigated', () => {
    kept.delete(tab);
    off();
  });
  return pdf;
};

/** Whether the PDF of a tab contains a text; ignores case and the number of spaces. */
export const includesPdfText = async (
  tab: Tab,
  text: string,
  options: PdfReadOptions,
): Promise<boolean> => {
  const { reading } = await readTabPdf(tab, options);
  const wanted = simplify(text);
  const slices = new TimeSlices(options.signal);
  for (const page of reading.pages) {
    if (slices.isOver) await slices.pause();
    if (simplify(page).includes(wanted)) return true;
  }
  return false;
};

/** Without the marks of Markdown, which the text of pages contains. */
const simplify = (text: string): string =>
  text
    .replaceAll('\\', '')
    .replace(/[|#\s]+/g, ' ')
    .trim()
    .toLowerCase();

/** Reads the text of a complete download. */
export const readDownloadedPdf = async (
  { path, url, file }: Download,
  options: PdfReadOptions,
): Promise<OpenPdf> => {
  const bytes = path === undefined ? undefined : await loadFile(path);
  if (!bytes) throw fail('document_unreadable', `The file of the download is not on this machine.`);
  const reading = await readPdfText(bytes, options);
  return { url, title: reading.title || file, reading };
};

const findFileName = (url: string): string => {
  const path = parseUrl(url)?.pathname ?? '';
  return attempt(() => decodeURIComponent(basename(path)), basename(path));
};

const MAX_LISTED = 10;

/** One-line facts about a reading that its text does not contain. */
export const describePdf = (reading: PdfReading): string => {
  const { pageCount, pages, damaged } = reading;
  const parts = [`PDF, ${pageCount} ${pageCount === 1 ? 'page' : 'pages'}`];
  if (pages.length < pageCount) parts.push(`only the first ${pages.length} were read`);
  if (damaged.length > 0) parts.push(`damaged pages: ${listPages(damaged)}`);
  parts.push(...listDefined(describeTextlessPages(reading)));
  if (pages.length > 1) parts.push(`cursor "p${pages.length}" starts at page ${pages.length}`);
  return parts.join('; ');
};

/** Undefined if every page has text. */
export const describeTextlessPages = ({
  pages,
  textless,
  pictures,
  damaged,
}: PdfReading): string | undefined => {
  const unexplained = textless.filter((page) => !damaged.includes(page));
  if (unexplained.length === 0) return undefined;
  if (textless.length < pages.length) return `pages without text: ${listPages(unexplained)}`;
  return pictures.length === 0
    ? 'no page has text'
    : 'no page has text: it may be a scan, whose pages are pictures';
};

const listPages = (numbers: readonly number[]): string =>
  `${numbers.slice(0, MAX_LISTED).join(', ')}${textIf(numbers.length > MAX_LISTED, ' …')}`;
