// Saves an evidence bundle: an archive of a tab's state, with a manifest of hashes.
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { toChromeFailure } from '../../browser/cdp/errors.ts';
import { readCookies } from '../../browser/state/cookies.ts';
import { readPasswords } from '../../browser/state/page-state.ts';
import { listOrigins } from '../../browser/tabs/shown-page.ts';
import type { Tab } from '../../browser/tabs/tab.ts';
import { compact, defined, ifDefined } from '../../core/defined.ts';
import { fail, toFailure } from '../../core/failure.ts';
import type { Log } from '../../core/log.ts';
import type { Redactor } from '../../core/redactor.ts';
import { Deadline } from '../../core/time.ts';
import type { WorkerPool } from '../../core/worker-pool.ts';
import { VERSION } from '../../core/version.ts';
import { createRedactor } from '../../policy/redact.ts';
import { createPayloadWriter, type PayloadWriter } from '../../store/files/payload-writer.ts';
import {
  type Archive,
  evidencePath,
  saveArchive,
  type TarEntry,
} from '../../store/files/evidence.ts';
import { type EvidenceContext, PageProbe } from './capture.ts';
import { buildExcerpt, renderIndex } from './index-page.ts';
import { INDEX_FILE, MANIFEST_FILE } from './part-names.ts';
import { type CapturedFile, type EvidencePart, PARTS } from './parts.ts';

const PART_MS = 60_000;

export interface BundlePart {
  readonly name: string;
  readonly bytes: number;
  readonly sha256?: string;
  /** A remark, for example that the content was cut. */
  readonly note?: string;
  /** Why the part is missing in the archive. */
  readonly error?: string;
}

export interface Bundle extends Archive {
  readonly parts: readonly BundlePart[];
}

interface BundleOptions extends Omit<EvidenceContext, 'page'> {
  /** Default: a new file in `folder`. */
  readonly path?: string | undefined;
  readonly folder: string;
  readonly wanted: readonly string[];
  readonly log: Log;
  /** Threads that redact large parts. */
  readonly workers: WorkerPool;
  readonly progress: (progress: {
    readonly done: number;
    readonly total: number;
    readonly message: string;
  }) => void;
}

export const saveBundle = async (options: BundleOptions): Promise<Bundle> => {
  const { tab, folder, capturedAt, signal } = options;
  const { path = evidencePath(folder, tab.url, capturedAt) } = options;
  const page = new PageProbe(tab);
  const redactor = await createBundleRedactor(page, options);
  const parts: BundlePart[] = [];
  const files = inFolder(folderName(path), entries({ ...options, page, redactor }, parts));
  const archive = await saveArchive(path, files, { modifiedMs: capturedAt, signal });
  return { ...archive, parts };
};

/** Puts all files into one folder, so that unpacking does not scatter them. */
async function* inFolder(folder: string, files: AsyncIterable<TarEntry>): AsyncGenerator<TarEntry> {
  for await (const { name, content } of files) yield { name: `${folder}/${name}`, content };
}

const MAX_FOLDER_CHARS = 70;

/** Returns the archive's name, restricted to characters that are valid on every platform. */
const folderName = (path: string): string => {
  const name = basename(path).replace(/\.(?:tar\.gz|tgz)$/i, '');
  const plain = name.replaceAll(/[^\w.-]+/g, '-').replace(/^[-.]+/, '');
  return plain.slice(0, MAX_FOLDER_CHARS) || 'evidence';
};

const facts: EvidencePart = {
  file: 'page.json',
  asksPage: false,
  capture: async (capture) => ({ json: await collectPageFacts(capture) }),
};

/** Captures one part at a time, after the one before is written, to keep only one in memory. */
async function* entries(
  options: BundleOptions & EvidenceContext,
  parts: BundlePart[],
): AsyncGenerator<TarEntry> {
  const shown = new Map<string, string>();
  const all = [facts, ...options.wanted.flatMap((name) => PARTS.get(name) ?? [])];
  for (const [done, part] of all.entries()) {
    options.progress({ done, total: all.length, message: part.file });
    for (const { file: name, content, note, error, shown: excerpt } of await captureFiles(
      part,
      options,
    )) {
      const outcome = error === undefined ? { sha256: sha256(content) } : { error };
      parts.push(defined({ name, bytes: content.length, ...outcome, note }));
      if (error === undefined) {
        shown.set(name, excerpt ?? buildExcerpt(name, content));
        yield { name, content };
      }
    }
  }
  options.progress({ done: all.length, total: all.length, message: MANIFEST_FILE });
  const index = Buffer.from(
    renderIndex({
      url: options.redactor.text(options.tab.url),
      capturedAt: options.capturedAt,
      parts,
      shown,
    }),
  );
  yield { name: INDEX_FILE, content: index };
  yield { name: MANIFEST_FILE, content: Buffer.from(renderManifest(options, parts, index)) };
}

/**
 * Captures the files of a part. Its errors are reported in the part; only an abort ends the bundle.
 */
const captureFiles = async (
  part: EvidencePart,
  { signal, log, ...rest }: BundleOptions & EvidenceContext,
): Promise<readonly BundleFile[]> => {
  const writer = createPayloadWriter(rest.redactor);
  using limit = new Deadline(
    PART_MS,
    () => fail('timeout', `It was not ready within ${PART_MS / 1000} s.`),
    signal,
  );
  try {
    if (part.asksPage) await rest.page.requireAnswer(limit.signal);
    const { further = [], ...captured } = await part.capture({ ...rest, signal: limit.signal });
    const files: BundleFile[] = [];
    for (const file of [{ file: part.file, ...captured }, ...further])
      files.push(await cleanFile(file, writer, limit.signal));
    return files;
  } catch (thrown) {
    signal.throwIfAborted();
    const { code, message } = toFailure(toChromeFailure(thrown), (defect) => log.defect(defect));
    const error = writer.cleanText(`${code}: ${message}`);
    return [{ file: part.file, content: Buffer.alloc(0), error }];
  }
};

/** A file of the archive, without secrets. */
interface BundleFile {
  readonly file: string;
  readonly content: Buffer;
  readonly note?: string;
  readonly error?: string;
  readonly shown?: string;
}

/** The only place where the content of a file is created: it removes the secrets. */
const cleanFile = async (
  { file, json, text, bytes, note, error, shown }: CapturedFile,
  writer: PayloadWriter,
  signal: AbortSignal,
): Promise<BundleFile> => {
  const written =
    json === undefined
      ? await writer.cleanLargeText(text ?? '', signal)
      : `${JSON.stringify(await writer.cleanLarge(json, signal), undefined, 1)}\n`;
  return defined({
    file,
    content: Buffer.from(bytes ?? written),
    note,
    error: ifDefined(error, (error) => writer.cleanText(error)),
    shown: ifDefined(shown, (shown) => writer.cleanText(shown)),
  });
};

const REDACTION = [
  'Secrets, passwords and the values of cookies and storage are left out',
  'or replaced by [redacted]; screenshots are not redacted.',
].join(' ');

const renderManifest = (
  { tab, capturedAt, redactor }: BundleOptions,
  parts: readonly BundlePart[],
  index: Uint8Array,
): string => {
  const url = redactor.text(tab.url);
  const manifest = {
    format: 'openchrome-evidence',
    version: 1,
    openchrome: VERSION,
    captured_at: new Date(capturedAt).toISOString(),
    url,
    redaction: REDACTION,
    parts,
    index: { name: INDEX_FILE, bytes: index.length, sha256: sha256(index) },
  };
  return `${JSON.stringify(manifest, undefined, 1)}\n`;
};

const sha256 = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');

/**
 * Redacts more than in a reply, because a file may be kept and shared: passwords and cookie values
 * too.
 */
const createBundleRedactor = async (
  page: PageProbe,
  { tab, redactor: usual, workers, signal }: BundleOptions,
): Promise<Redactor> => {
  const passwords = (await page.answers(signal)) ? await readPasswords(tab, signal) : [];
  const values = (await readCookies(tab, {}, signal))
    .map(({ value }) => value)
    .filter(looksLikeSecret);
  const known = usual.forOrigins(listOrigins(tab));
  const further = createRedactor([...new Set([...passwords, ...values])], workers);
  const both: Redactor = {
    text: (text) => further.text(known.text(text)),
    data: (data) => further.data(known.data(data)),
    largeText: async (text, end) => further.largeText(await known.largeText(text, end), end),
    largeData: async (data, end) => further.largeData(await known.largeData(data, end), end),
    learn: (secret) => usual.learn(secret),
    addSecret: (secret) => usual.addSecret(secret),
    addCode: (code) => usual.addCode(code),
    learnFromPage: (origin, secret) => usual.learnFromPage(origin, secret),
    forOrigins: () => both,
    get revision() {
      return usual.revision;
    },
  };
  return both;
};

/**
 * Short values and values without digits or letters (`en-US`, `accepted`, `1280x720`) are not
 * secrets.
 */
const looksLikeSecret = (value: string): boolean =>
  value.length >= 10 && /\d/.test(value) && /[a-z]/i.test(value);

/**
 * The first file of a bundle. If the page does not answer, fields that only it can provide are
 * omitted.
 */
const collectPageFacts = async ({
  tab,
  session,
  browser,
  page,
  capturedAt,
  signal,
}: EvidenceContext): Promise<object> => {
  const answering = await page.answers(signal);
  return defined({
    url: tab.url,
    title: tab.title,
    captured_at: new Date(capturedAt).toISOString(),
    browser: browser.health().chrome?.product,
    session: session.name,
    tabId: tab.id,
    viewport: answering ? await readSize(tab, signal) : tab.viewport,
    answering: answering ? undefined : false,
    ...compact({ loading: tab.loading }),
    dialog: tab.dialog,
    frames: tab.frames
      .all()
      .slice(1)
      .map(({ id, url }) => ({ frameId: id, url })),
  });
};

const readSize = async (tab: Tab, signal: AbortSignal): Promise<object> => {
  const { cssVisualViewport, cssContentSize } = await tab.cdp.send(
    'Page.getLayoutMetrics',
    undefined,
    signal,
  );
  const { clientWidth, clientHeight, pageX, pageY } = cssVisualViewport;
  return {
    width: clientWidth,
    height: clientHeight,
    pixel_ratio: tab.pixelRatio,
    scroll: { x: pageX, y: pageY },
    page: { width: cssContentSize.width, height: cssContentSize.height },
  };
};
