// The PDF that a tab shows, or that Chrome downloaded instead: its bytes and its text.
import { basename } from 'node:path';
import { attempt } from '../../core/attempt.ts';
import { fail } from '../../core/failure.ts';
import { parseUrl } from '../../core/text.ts';
import type { WorkerPool } from '../../core/worker-pool.ts';
import { openRegularFile, Unreadable } from '../../system/private-files.ts';
import type { CdpSession } from '../cdp/connection.ts';
import type { Download } from '../state/downloads.ts';
import type { Tab } from '../tabs/tab.ts';
import type { Body } from '../traffic/bodies.ts';
import { MAX_PDF_BYTES } from './pdf-kind.ts';
import { createTooLarge, type PdfReading, readPdfText } from './pdf-text.ts';

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

const CHUNK_BYTES = 1024 * 1024;

/** The last reading of a tab; `key` identifies the document. */
const kept = new WeakMap<Tab, { readonly key: string; readonly pdf: OpenPdf }>();

/** Reads the PDF of a tab for which `showsPdf` is true. */
export const readTabPdf = async (tab: Tab, options: PdfReadOptions): Promise<OpenPdf> => {
  const { openedFile, frames } = tab;
  const key = openedFile ? `download ${openedFile}` : `document ${frames.main.loaderId}`;
  const last = kept.get(tab);
  if (last?.key === key) return last.pdf;
  kept.delete(tab);
  const { url } = openedFile ? await waitForEnd(tab, openedFile, options.signal) : tab;
  const bytes = openedFile
    ? loadOpenedFile(tab, openedFile, options.signal)
    : loadShown(tab, options.signal);
  const reading = await readPdfText(bytes, options);
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

/** Waits until the download is complete. If its file is on another machine, loads the URL again. */
const loadOpenedFile = async (tab: Tab, id: string, signal: AbortSignal): Promise<Uint8Array> => {
  const download = await waitForEnd(tab, id, signal);
  const { url, path } = download;
  if (download.state === 'canceled')
    throw fail('document_unreadable', 'The download of the PDF was canceled.', {
      situation: 'pdf_download_canceled',
    });
  const bytes = path === undefined ? undefined : await loadFile(path);
  return bytes ?? loadResource(tab, url, signal);
};

const waitForEnd = async (tab: Tab, id: string, signal: AbortSignal): Promise<Download> => {
  for (;;) {
    const download = tab.downloads.find((one) => one.id === id);
    if (!download) throw new Error(`download ${id} of the tab is missing`);
    if (download.state !== 'in_progress') return download;
    await tab.events.next('download', undefined, signal);
  }
};

const loadFile = async (path: string): Promise<Uint8Array | undefined> => {
  try {
    await using file = await openRegularFile(path, MAX_PDF_BYTES);
    return await file?.readFile();
  } catch (error) {
    if (error instanceof Unreadable) throw createTooLarge(error.message);
    throw error;
  }
};

/** If Chrome has not kept the response, it is loaded again through the page's network. */
const loadShown = async (tab: Tab, signal: AbortSignal): Promise<Uint8Array> => {
  const record = tab.traffic.document(tab.frames.main.loaderId);
  const bytes = record && decodeBody(await tab.traffic.body(record, signal));
  if (bytes && hasEnd(bytes)) return bytes;
  if (record && record.method !== 'GET')
    throw fail(
      'document_unreadable',
      `The PDF is the response to a ${record.method} request, which is not sent again.`,
      { situation: 'pdf_of_form' },
    );
  return loadResource(tab, tab.url, signal);
};

/** Undefined if the body is missing or cut, or is a text from which the bytes cannot be restored. */
const decodeBody = ({ base64, text, truncated }: Body): Uint8Array | undefined => {
  if (truncated) return undefined;
  if (base64 !== undefined) return Buffer.from(base64, 'base64');
  const isAscii = text?.startsWith('%PDF-') && Buffer.byteLength(text) === text.length;
  return isAscii ? Buffer.from(text ?? '') : undefined;
};

const END_MARK = '%%EOF';
/** The mark is within this distance of the end. */
const END_BYTES = 1024;

/** Chrome may return only the beginning of a body that its viewer reads. */
const hasEnd = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes.subarray(-END_BYTES)).includes(END_MARK);

const loadResource = async (tab: Tab, url: string, signal: AbortSignal): Promise<Uint8Array> => {
  if (!/^https?:/.test(url) || !tab.guard.mayLoadUnintercepted(url))
    return fetchInPage(tab, url, signal);
  const { resource } = await tab.cdp.send(
    'Network.loadNetworkResource',
    {
      frameId: tab.id,
      url,
      options: { disableCache: false, includeCredentials: true },
    },
    signal,
  );
  const { success, stream, httpStatusCode, netErrorName } = resource;
  if (!success || stream === undefined)
    throw fail(
      'navigation_failed',
      `The PDF could not be loaded: ${netErrorName ?? `HTTP ${httpStatusCode ?? 0}`}.`,
    );
  return readStream(tab.cdp, stream, signal);
};

/** A request of the page itself: the interception of a restricted tab checks it. */
const fetchInPage = async (tab: Tab, url: string, signal: AbortSignal): Promise<Uint8Array> => {
  const { main } = tab.frames;
  const uniqueContextId = await main.contextId('isolated', signal);
  const expression = `fetch(${JSON.stringify(url)}, {cache: 'force-cache', credentials: 'include'})
    .then((response) => response.blob())`;
  const { result, exceptionDetails } = await main.session.send(
    'Runtime.evaluate',
    { expression, uniqueContextId, awaitPromise: true },
    signal,
  );
  const { objectId } = result;
  if (exceptionDetails || objectId === undefined)
    throw fail('navigation_failed', 'The PDF could not be loaded by its page.');
  try {
    const { uuid } = await main.session.send('IO.resolveBlob', { objectId }, signal);
    return await readStream(main.session, `blob:${uuid}`, signal);
  } finally {
    main.release(objectId);
  }
};

const readStream = async (
  cdp: CdpSession,
  handle: string,
  signal: AbortSignal,
): Promise<Uint8Array> => {
  const chunks: Buffer[] = [];
  try {
    for (let size = 0; ;) {
      const request = { handle, size: CHUNK_BYTES };
      const { data, base64Encoded, eof } = await cdp.send('IO.read', request, signal);
      const chunk = Buffer.from(data, base64Encoded ? 'base64' : 'latin1');
      chunks.push(chunk);
      size += chunk.length;
      if (size > MAX_PDF_BYTES) throw createTooLarge(`it has more than ${MAX_PDF_BYTES} bytes`);
      if (eof) return Buffer.concat(chunks);
    }
  } finally {
    // Chrome closes the stream itself if the page is gone
    void cdp.send('IO.close', { handle }).catch(() => {});
  }
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
