// Prints a page as a PDF, read as a stream to avoid a second copy in memory.
import { defined } from '../../core/defined.ts';
import { fail } from '../../core/failure.ts';
import type { CdpSession } from '../cdp/connection.ts';
import { CdpError } from '../cdp/errors.ts';
import type { Tab } from './tab.ts';

/** Width and height in inches. */
const PAPER = {
  letter: [8.5, 11],
  legal: [8.5, 14],
  tabloid: [11, 17],
  a3: [11.7, 16.54],
  a4: [8.27, 11.69],
  a5: [5.83, 8.27],
} as const;

export type PaperFormat = keyof typeof PAPER;
export const PAPER_FORMATS = Object.keys(PAPER) as PaperFormat[];

export interface PdfOptions {
  readonly format: PaperFormat;
  readonly landscape: boolean;
  readonly background: boolean;
  readonly scale: number;
  /** Applies to all four sides. */
  readonly marginCm: number;
  /** For example `1-3, 5`; all pages if undefined. */
  readonly pageRanges?: string;
}

interface Pdf {
  readonly bytes: Uint8Array;
  readonly pages: number;
}

const CM_PER_INCH = 2.54;
const MAX_BYTES = 200 * 1024 * 1024;

export const printPdf = async (
  tab: Tab,
  options: PdfOptions,
  signal: AbortSignal,
): Promise<Pdf> => {
  const [paperWidth, paperHeight] = PAPER[options.format];
  const margin = options.marginCm / CM_PER_INCH;
  const request = defined({
    paperWidth,
    paperHeight,
    marginTop: margin,
    marginBottom: margin,
    marginLeft: margin,
    marginRight: margin,
    landscape: options.landscape,
    printBackground: options.background,
    scale: options.scale,
    pageRanges: options.pageRanges,
    transferMode: 'ReturnAsStream' as const,
  });
  const { stream } = await tab.cdp
    .send('Page.printToPDF', request, signal)
    .catch((error: unknown) => {
      throw toPrintFailure(error);
    });
  if (stream === undefined) throw fail('capture_failed', 'Chrome returned no PDF.');
  const bytes = await readStream(tab.cdp, stream, signal);
  return { bytes, pages: countPages(bytes) };
};

const readStream = async (
  cdp: CdpSession,
  handle: string,
  signal: AbortSignal,
): Promise<Uint8Array> => {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for (;;) {
      const { data, base64Encoded, eof } = await cdp.send(
        'IO.read',
        { handle, size: 1024 * 1024 },
        signal,
      );
      const part = Buffer.from(data, base64Encoded ? 'base64' : 'latin1');
      parts.push(part);
      size += part.length;
      if (size > MAX_BYTES)
        throw fail('capture_failed', `The PDF is larger than ${MAX_BYTES} bytes.`, {
          situation: 'pdf_too_large',
        });
      if (eof) return Buffer.concat(parts);
    }
  } finally {
    // Chrome closes the stream itself if the page is gone
    void cdp.send('IO.close', { handle }).catch(() => {});
  }
};

/** Chrome writes one uncompressed dictionary per page. */
const countPages = (bytes: Uint8Array): number =>
  Buffer.from(bytes)
    .toString('latin1')
    .match(/\/Type\s*\/Page\b(?!s)/g)?.length ?? 0;

/** Maps Chrome's print errors to failures that name the wrong argument. */
const toPrintFailure = (error: unknown): unknown => {
  if (!(error instanceof CdpError)) return error;
  if (/page range/i.test(error.message))
    return fail(
      'invalid_argument',
      'The page ranges are not valid for this page.',
      { argument: 'pageRanges', situation: 'page_ranges_invalid' },
      error,
    );
  if (/margin|content area|invalid print param/i.test(error.message))
    return fail(
      'invalid_argument',
      'The margins leave no space for content on the paper.',
      { argument: 'marginCm' },
      error,
    );
  if (/printing failed/i.test(error.message))
    return fail(
      'capture_failed',
      'Chrome could not print the page: it is loading, or another print is running.',
      {},
      error,
    );
  return error;
};
