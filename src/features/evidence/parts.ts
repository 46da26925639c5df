// The parts of an evidence bundle: file name and capture function of each.
import { readInertHtml } from '../../browser/read/read-modes.ts';
import { readTree } from '../../browser/read/read-tree.ts';
import { readCookies } from '../../browser/state/cookies.ts';
import { readDatabaseNames, readStorage } from '../../browser/state/web-storage.ts';
import type { Frame } from '../../browser/tabs/frames.ts';
import { captureScreenshot } from '../../browser/tabs/screenshot.ts';
import { listConsole } from '../../browser/traffic/console-list.ts';
import type { CapturedRequest, Content } from '../../core/captured-request.ts';
import { listDefined } from '../../core/collections.ts';
import { defined, valueIf, ifDefined } from '../../core/defined.ts';
import { getErrorMessage } from '../../core/failure.ts';
import type { Redactor } from '../../core/redactor.ts';
import { VERSION } from '../../core/version.ts';
import { toHar } from '../../render/har.ts';
import { renderPage } from '../../render/page.ts';
import { withLiveBodies } from '../network/export-har.ts';
import type { EvidenceContext } from './capture.ts';

/** The content of one file of a bundle, with its secrets: the bundle removes them. */
interface PartContent {
  /** Exactly one of these. */
  readonly json?: unknown;
  readonly text?: string;
  readonly bytes?: Uint8Array;
  /** A remark, for example that the content was cut. */
  readonly note?: string;
  /** Why the content is missing. */
  readonly error?: string;
  /** The text for the index page, instead of the start of the content. */
  readonly shown?: string;
}

export interface CapturedFile extends PartContent {
  readonly file: string;
}

interface Captured extends PartContent {
  /** Further files of the same part. */
  readonly further?: readonly CapturedFile[];
}

export interface EvidencePart {
  readonly file: string;
  /** Whether the page must answer; other parts come from Chrome or from recorded data. */
  readonly asksPage: boolean;
  readonly capture: (capture: EvidenceContext) => Promise<Captured>;
}

const MAX_AX_TOKENS = 1_000_000;
const MAX_CONSOLE = 10_000;
/** Chrome fails to capture larger images; the rest of a longer page is cut. */
const MAX_SIDE = 16_384;
const MAX_PIXELS = 40_000_000;
const MAX_FRAMES = 50;
const MAX_SHOWN_REQUESTS = 1000;

/** The HTML of the page and of each frame, in the order of page.json. */
const dom: EvidencePart = {
  file: 'dom.html',
  asksPage: true,
  capture: async ({ tab, signal }) => {
    const page = await readFrameHtml(tab.frames.main, signal);
    const inner = tab.frames.all().slice(1);
    const further = await Promise.all(
      inner.slice(0, MAX_FRAMES).map(async (frame, i) => {
        const file = `frames/${i + 1}.html`;
        return { file, ...(await readFrameHtml(frame, signal).catch(asError)) };
      }),
    );
    signal.throwIfAborted();
    const notes = listDefined(page.note);
    if (inner.length > MAX_FRAMES) notes.push(`the first ${MAX_FRAMES} of ${inner.length} frames`);
    if (notes.length === 0) return { ...page, further };
    return { ...page, note: notes.join('; '), further };
  },
};

const asError = (error: unknown): PartContent => ({
  text: '',
  error: getErrorMessage(error),
});

const readFrameHtml = async (frame: Frame, signal: AbortSignal): Promise<PartContent> => {
  const { html, length, removed } = await readInertHtml(frame, signal);
  const notes: string[] = [];
  if (length > html.length) notes.push(`the first ${html.length} of ${length} characters`);
  if (removed > 0) notes.push(`${removed} scripts, handlers and other active parts were removed`);
  return notes.length === 0 ? { text: html } : { text: html, note: notes.join('; ') };
};

/**
 * The full text of read_page. It does not count as a read: the client's next comparison ignores it.
 */
const ax: EvidencePart = {
  file: 'ax.txt',
  asksPage: true,
  capture: async ({ tab, signal }) => {
    const tree = await readTree(tab, { urls: true }, signal);
    return { text: `${renderPage(tree, { maxTokens: MAX_AX_TOKENS })}\n` };
  },
};

const screenshot: EvidencePart = {
  file: 'screenshot.png',
  asksPage: true,
  capture: async ({ tab, signal }) => {
    const { cssContentSize } = await tab.cdp.send('Page.getLayoutMetrics', undefined, signal);
    const [pageWidth, pageHeight] = [
      Math.ceil(cssContentSize.width),
      Math.ceil(cssContentSize.height),
    ];
    const side = MAX_SIDE / tab.pixelRatio;
    const width = Math.max(1, Math.min(pageWidth, side));
    const height = Math.max(
      1,
      Math.min(pageHeight, side, Math.floor(MAX_PIXELS / tab.pixelRatio ** 2 / width)),
    );
    const { data } = await captureScreenshot(
      tab,
      { format: 'png', original: true, area: { x: 0, y: 0, width, height } },
      signal,
    );
    const isCut = width < pageWidth || height < pageHeight;
    return defined({
      bytes: Buffer.from(data, 'base64'),
      note: valueIf(isCut, `the first ${width}x${height} of ${pageWidth}x${pageHeight}`),
    });
  },
};

const har: EvidencePart = {
  file: 'network.har',
  asksPage: false,
  capture: async (capture) => {
    const { session, tab, page, redactor, signal } = capture;
    const kept = session.traffic.requests().filter(({ tabId }) => tabId === tab.id);
    const asking = await page.answers(signal);
    const requests = await withLiveBodies({ session, redactor, signal, reveal: false }, kept, {
      asking,
    });
    const clean: CapturedRequest[] = [];
    for (const request of requests) clean.push(await removeSecretBytes(request, redactor, signal));
    const lines = clean
      .slice(0, MAX_SHOWN_REQUESTS)
      .map(({ method, url, status }) => `${status ?? '-'} ${method} ${url.slice(0, 300)}`);
    if (clean.length > lines.length) lines.push(`… ${clean.length} requests in total`);
    return {
      json: toHar(clean, VERSION),
      shown: lines.join('\n'),
    };
  },
};

const console: EvidencePart = {
  file: 'console.json',
  asksPage: false,
  capture: async ({ tab, page, workers, signal }) => {
    const unmapped = !(await page.answers(signal));
    const { lines, older, dropped } = await listConsole(
      tab,
      { level: 'debug', limit: MAX_CONSOLE, unmapped },
      { workers, signal },
    );
    return { json: { lines, older, dropped } };
  },
};

/** The cookies that each frame's URL would be sent, without their values. */
const cookies: EvidencePart = {
  file: 'cookies.json',
  asksPage: false,
  capture: async ({ tab, signal }) => {
    const urls = [...new Set(webFrames(tab.frames.all()).map(({ url }) => url))].slice(
      0,
      MAX_FRAMES,
    );
    const all = (await Promise.all(urls.map((url) => readCookies(tab, { url }, signal)))).flat();
    const named = all.map(
      ({ name, domain, path, expires, httpOnly, secure, sameSite, partition }) => ({
        name,
        domain,
        path,
        expires,
        httpOnly,
        secure,
        sameSite,
        partition,
      }),
    );
    const distinct = new Map(named.map((cookie) => [JSON.stringify(cookie), cookie]));
    return { json: { cookies: [...distinct.values()] } };
  },
};

const storage: EvidencePart = {
  file: 'storage.json',
  asksPage: true,
  capture: async ({ tab, signal }) => {
    const byOrigin = new Map(
      webFrames(tab.frames.all())
        .toReversed()
        .map((frame) => [new URL(frame.url).origin, frame]),
    );
    const origins = await Promise.all(
      [...byOrigin].slice(0, MAX_FRAMES).map(([origin, frame]) => namesIn(origin, frame, signal)),
    );
    return { json: { origins } };
  },
};

/** Returns names and sizes only, without the values. */
const namesIn = async (origin: string, frame: Frame, signal: AbortSignal): Promise<object> => {
  try {
    const [local, session, databases] = await Promise.all([
      readStorage(frame, { area: 'local' }, signal),
      readStorage(frame, { area: 'session' }, signal),
      readDatabaseNames(frame, signal),
    ]);
    const named = (entries: typeof local): object[] =>
      entries.map(([name, { length }]) => ({ name, chars: length }));
    return { origin, localStorage: named(local), sessionStorage: named(session), ...databases };
  } catch (error) {
    signal.throwIfAborted();
    return { origin, error: getErrorMessage(error) };
  }
};

const webFrames = (frames: readonly Frame[]): Frame[] =>
  frames.filter(({ url }) => /^https?:/.test(url));

/** Keys are the names in part-names.ts. */
export const PARTS: ReadonlyMap<string, EvidencePart> = new Map([
  ['screenshot', screenshot],
  ['dom', dom],
  ['ax', ax],
  ['storage', storage],
  ['console', console],
  ['cookies', cookies],
  ['har', har],
]);

/** Media bodies are not searched: random bytes may match a secret by chance. */
const MEDIA = /^(?:image|audio|video|font)\//i;
const LEFT_OUT = 'it contains a secret';

const removeSecretBytes = async (
  request: CapturedRequest,
  redactor: Redactor,
  signal: AbortSignal,
): Promise<CapturedRequest> => {
  const { contentType, body, requestBody, messages } = request;
  const clean = async (content: Content): Promise<Content> =>
    (await holdsSecret(content.base64, redactor, signal)) ? withoutBytes(content) : content;
  const kept: CapturedMessage[] = [];
  for (const message of messages?.kept ?? [])
    kept.push(await cleanMessage(message, redactor, signal));
  return defined({
    ...request,
    body: MEDIA.test(contentType) ? body : await clean(body),
    requestBody: requestBody ? await clean(requestBody) : undefined,
    messages: ifDefined(messages, (messages) => ({ ...messages, kept })),
  });
};

const holdsSecret = async (
  base64: string | undefined,
  redactor: Redactor,
  signal: AbortSignal,
): Promise<boolean> => {
  if (base64 === undefined) return false;
  const text = Buffer.from(base64, 'base64').toString('latin1');
  return (await redactor.largeText(text, signal)) !== text;
};

const withoutBytes = ({ size }: Content): Content => defined({ size, why: LEFT_OUT });

type CapturedMessage = NonNullable<CapturedRequest['messages']>['kept'][number];

const cleanMessage = async (
  message: CapturedMessage,
  redactor: Redactor,
  signal: AbortSignal,
): Promise<CapturedMessage> =>
  message.kind === 'binary' && (await holdsSecret(message.data, redactor, signal))
    ? { ...message, data: '', cut: true }
    : message;
