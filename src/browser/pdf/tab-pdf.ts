// The text of the PDF that a tab shows, or that Chrome downloaded instead.
import { basename } from 'node:path';
import { attempt } from '../../core/attempt.ts';
import { fail } from '../../core/failure.ts';
import { parseUrl } from '../../core/text.ts';
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

interface PdfReadOptions {
  readonly workers: WorkerPool;
  readonly signal: AbortSignal;
  readonly background?: boolean;
}

/** The last reading of a tab; `key` identifies the document. */
const kept = new WeakMap<Tab, { readonly key: string; readonly pdf: OpenPdf }>();

/** Reads the PDF of a tab for which `showsPdf` is true. */
export const readTabPdf = async (tab: Tab, options: PdfReadOptions): Promise<OpenPdf> => {
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
  const off = tab.events.on('navigated', () => {
    kept.delete(tab);
    off();
  });
  return pdf;
};

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
export const describePdf = ({ pageCount, pages, textless }: PdfReading): string => {
  const parts = [`PDF, ${pageCount} ${pageCount === 1 ? 'page' : 'pages'}`];
  if (pages.length < pageCount) parts.push(`only the first ${pages.length} were read`);
  if (textless.length > 0 && textless.length === pages.length)
    parts.push('no page has text: it may be a scan');
  else if (textless.length > 0) {
    const more = textless.length > MAX_LISTED ? ' …' : '';
    parts.push(`pages without text: ${textless.slice(0, MAX_LISTED).join(', ')}${more}`);
  }
  if (pages.length > 1) parts.push(`cursor "p${pages.length}" starts at page ${pages.length}`);
  return parts.join('; ');
};
