// downloads: lists the files that pages of the session downloaded, with path and progress.
import { z } from 'zod';
import { defined, valueIf } from '../../core/defined.ts';
import { fail, type Failure } from '../../core/failure.ts';
import { quoteText } from '../../core/text.ts';
import { isPdfDownload } from '../../browser/pdf/pdf-kind.ts';
import type { Download } from '../../browser/state/downloads.ts';
import { cutPdfPages, type MarkdownPage, renderMarkdownPage } from '../../render/markdown-text.ts';
import type { Context } from '../../toolkit/context.ts';
import { defineTool } from '../../toolkit/define-tool.ts';

/**
 * The downloads of this session. One without a known session belongs to the sessions that use
 * Chrome's profile, but only while no session has its own storage: it could be of such a session.
 */
const listDownloads = ({ services: { browser }, session }: Context): readonly Download[] => {
  const isShared = browser.sessions.every(({ storage }) => storage === 'profile');
  return browser.downloads.filter((one) =>
    one.session === undefined ? isShared : one.session === session.name,
  );
};

const buildEntry = ({ startedAt, receivedBytes, totalBytes, state, ...facts }: Download): object =>
  defined({
    ...facts,
    session: undefined,
    state,
    sizeBytes: state === 'completed' ? receivedBytes : (totalBytes ?? null),
    receivedBytes: valueIf(state === 'in_progress', receivedBytes),
    startedAt: new Date(startedAt).toISOString(),
  });

interface DownloadText extends MarkdownPage {
  readonly kind: 'text';
}

interface DownloadList {
  readonly kind?: undefined;
  readonly canceled?: string;
  readonly downloads?: readonly object[];
  readonly older?: number;
}

const rejectDownload = (all: readonly Download[], message: string, hint?: string): Failure =>
  fail(
    'invalid_argument',
    message,
    defined({
      argument: 'id',
      hint,
      downloads: all.map((one) => `${one.id} ${one.state} ${one.file.slice(0, 100)}`),
    }),
  );

const requireDownload = (all: readonly Download[], id: string): Download => {
  const download = all.find((one) => one.id === id);
  if (download) return download;
  const hint =
    all.length === 0 ? 'The session has no downloads.' : 'Use the id of one of the downloads.';
  throw rejectDownload(all, `The download ${quoteText(id)} does not exist.`, hint);
};

/** The text of a complete PDF. */
const readText = async (
  all: readonly Download[],
  id: string,
  { max_tokens, cursor }: { readonly max_tokens: number; readonly cursor?: string | undefined },
  { services, signal, note, leftOut, inlineLimitBytes, requireConsent }: Context,
): Promise<DownloadText> => {
  const download = requireDownload(all, id);
  const { state } = download;
  const name = `The download ${id} (${quoteText(download.file)})`;
  if (!isPdfDownload(download)) throw rejectDownload(all, `${name} is not a PDF file.`);
  if (state === 'in_progress')
    throw rejectDownload(all, `${name} is not complete.`, 'Wait for it with [[waitForDownload]].');
  if (state !== 'completed') throw rejectDownload(all, `${name} was canceled.`);
  await requireConsent('read', [download.url]);
  const { describePdf, readDownloadedPdf } = await import('../../browser/pdf/tab-pdf.ts');
  const { reading } = await readDownloadedPdf(download, { workers: services.workers, signal });
  leftOut(reading.hidden);
  if (cursor === undefined) note(`[${describePdf(reading)}]`);
  const budget = { maxTokens: max_tokens, cursor, inlineLimitBytes: inlineLimitBytes() };
  return { kind: 'text', ...cutPdfPages(reading.pages, budget) };
};

export const downloads = defineTool({
  name: 'downloads',
  description:
    'List downloads of the session: id, url, file, path on disk, type, size, state; cancel a ' +
    'running one; or read the text of a PDF. Files are saved under the home folder. To wait for ' +
    'one use wait_for {download}.',
  returns:
    '{downloads: [{id, url, file, path?, state, sizeBytes, startedAt, …}], older?}; ' +
    'read: {text, …}',
  keywords: 'file save pdf text',
  tier: 2,
  traits: {
    effect: ({ action }) => (action === 'cancel' ? 'act' : 'read'),
    scope: 'browser',
    observation: ({ action }) => action !== 'cancel',
    duration: 'instant',
    dialog: 'allowed',
    timeoutMs: 20_000,
    large: true,
  },
  input: () => ({
    action: z.enum(['list', 'cancel', 'read']).default('list'),
    id: z.string().min(1).max(20).optional().describe('For cancel and read'),
    limit: z.number().int().min(1).max(500).default(50),
    max_tokens: z.number().int().min(100).max(1_000_000).default(10_000).describe('For read'),
    cursor: z
      .string()
      .min(1)
      .max(40)
      .optional()
      .describe('For read: continue where a cut reply ended, or "p12" for page 12'),
  }),
  prepare: (given) => {
    if (given.action !== 'list' && given.id === undefined)
      throw fail('invalid_argument', `downloads {action: "${given.action}"} needs "id".`, {
        argument: 'id',
      });
    return given;
  },
  examples: [{}, { action: 'cancel', id: 'd3' }, { action: 'read', id: 'd3' }],
  run: async (
    { action, id = '', limit, ...budget },
    context,
  ): Promise<DownloadText | DownloadList> => {
    const all = listDownloads(context);
    if (action === 'read') return readText(all, id, budget, context);
    if (action === 'cancel') {
      requireDownload(all, id);
      if (!(await context.services.browser.cancelDownload(id, context.signal)))
        throw rejectDownload(all, `The download ${id} is not running.`);
      return { canceled: id };
    }
    return defined({
      downloads: all.slice(-limit).map(buildEntry),
      older: valueIf(all.length > limit, all.length - limit),
    });
  },
  render: (data) => (data.kind === 'text' ? renderMarkdownPage(data) : undefined),
});
