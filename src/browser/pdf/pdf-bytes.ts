// The bytes of the PDF that a tab shows, or that Chrome downloaded instead.
import { fail } from '../../core/failure.ts';
import { openRegularFile, Unreadable } from '../../system/private-files.ts';
import type { CdpSession } from '../cdp/connection.ts';
import type { Download } from '../state/downloads.ts';
import type { Tab } from '../tabs/tab.ts';
import type { Body } from '../traffic/bodies.ts';
import { MAX_PDF_BYTES } from './pdf-kind.ts';
import { createTooLarge } from './pdf-text.ts';

const CHUNK_BYTES = 1024 * 1024;

/** Differs for each document and each download of the tab. */
export const identifyPdf = ({ openedFile, frames }: Tab): string =>
  openedFile ? `download ${openedFile}` : `document ${frames.main.loaderId}`;

export const loadTabPdf = (tab: Tab, signal: AbortSignal): Promise<Uint8Array> =>
  tab.openedFile ? loadOpenedFile(tab, tab.openedFile, signal) : loadShown(tab, signal);

/**
 * Loads the bytes that Chrome has kept or written to disk, and sends no request. Undefined if
 * Chrome has not kept all of them, or if there are more than `maxBytes`.
 */
export const loadReceivedPdf = async (
  tab: Tab,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> => {
  if (tab.openedFile) {
    const { state, path, receivedBytes } = await waitForEnd(tab, tab.openedFile, signal);
    const isReadable = state === 'completed' && path !== undefined && receivedBytes <= maxBytes;
    return isReadable ? loadFile(path) : undefined;
  }
  const record = tab.traffic.document(tab.frames.main.loaderId);
  if (!record) return undefined;
  if (!record.ended) await tab.traffic.events.next('finished', (one) => one === record, signal);
  if (record.decodedBytes > maxBytes) return undefined;
  const bytes = decodeBody(await tab.traffic.body(record, signal));
  return bytes && hasEnd(bytes) ? bytes : undefined;
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

export const waitForEnd = async (tab: Tab, id: string, signal: AbortSignal): Promise<Download> => {
  for (;;) {
    const download = tab.downloads.find((one) => one.id === id);
    if (!download) throw new Error(`download ${id} of the tab is missing`);
    if (download.state !== 'in_progress') return download;
    await tab.events.next('download', undefined, signal);
  }
};

export const loadFile = async (path: string): Promise<Uint8Array | undefined> => {
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
