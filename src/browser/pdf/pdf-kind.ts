// Recognises PDF files by media type and name; loaded by every start, so it imports only types.
import type { Download } from '../state/downloads.ts';
import type { Tab } from '../tabs/tab.ts';

export const PDF_TYPE = 'application/pdf';
const PDF_TYPES = new Set<string | undefined>([PDF_TYPE, 'application/x-pdf']);
/** Larger files are not read. */
export const MAX_PDF_BYTES = 64 * 1024 * 1024;
const UNSPECIFIC_TYPES = new Set<string | undefined>([undefined, '', 'application/octet-stream']);

export const isPdfType = (type: string | undefined): boolean => PDF_TYPES.has(type);

/** Whether the media type or, if it is unspecific, the file name is that of a PDF. */
export const isPdfDownload = ({ type, file }: Download): boolean =>
  isPdfType(type) || (UNSPECIFIC_TYPES.has(type) && file.toLowerCase().endsWith('.pdf'));

/** Whether read calls in this tab get a PDF instead of a page. */
export const showsPdf = (tab: Tab): boolean =>
  tab.openedFile !== undefined ||
  isPdfType(tab.traffic.document(tab.frames.main.loaderId)?.mimeType);
