// An evidence bundle: everything that can be known of a tab at one moment, in one archive whose manifest vouches for every part.
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { toChromeFailure } from '../../browser/cdp/errors.ts';
import { fail, toFailure } from '../../core/failure.ts';
import type { Log } from '../../core/log.ts';
import { Deadline } from '../../core/time.ts';
import { VERSION } from '../../core/version.ts';
import { type Archive, evidencePath, saveArchive } from '../../store/evidence.ts';
import type { TarEntry } from '../../store/tar.ts';
import { PageProbe, type Capture } from './capture.ts';
import { pageFacts } from './facts.ts';
import { excerptOf, renderIndex } from './index-page.ts';
import { type CapturedFile, type Part, PARTS } from './parts.ts';
import { bundleRedactor } from './redaction.ts';

const PART_MS = 60_000;
const MANIFEST_FILE = 'manifest.json';
const INDEX_FILE = 'index.html';

export interface BundlePart {
  readonly name: string;
  readonly bytes: number;
  readonly sha256?: string;
  /** Of what there is too much. */
  readonly note?: string;
  /** Why it is not in the archive. */
  readonly error?: string;
}

export interface Bundle extends Archive {
  readonly parts: readonly BundlePart[];
}

interface BundleOptions extends Omit<Capture, 'page'> {
  /** A new file in `folder` where none is named. */
  readonly path?: string | undefined;
  readonly folder: string;
  readonly wanted: readonly string[];
  readonly log: Log;
  readonly progress: (progress: { readonly done: number; readonly total: number; readonly message: string }) => void;
}

export const saveBundle = async (options: BundleOptions): Promise<Bundle> => {
  const { tab, folder, capturedAt, signal } = options;
  const path = options.path ?? evidencePath(folder, tab.url, capturedAt);
  const page = new PageProbe(tab);
  const redactor = await bundleRedactor(tab, page, options.redactor, signal);
  const parts: BundlePart[] = [];
  const files = inFolder(folderName(path), entries({ ...options, page, redactor }, parts));
  const archive = await saveArchive(path, files, { modifiedMs: capturedAt, signal });
  return { ...archive, parts };
};

/** One folder, so that unpacking does not scatter files over the current one. */
async function* inFolder(folder: string, files: AsyncIterable<TarEntry>): AsyncGenerator<TarEntry> {
  for await (const { name, content } of files) yield { name: `${folder}/${name}`, content };
}

const MAX_FOLDER_CHARS = 70;

/** Named after the archive, in characters that every system accepts. */
const folderName = (path: string): string => {
  const name = basename(path).replace(/\.(?:tar\.gz|tgz)$/i, '');
  const plain = name.replaceAll(/[^\w.-]+/g, '-').replace(/^[-.]+/, '');
  return plain.slice(0, MAX_FOLDER_CHARS) || 'evidence';
};

const facts: Part = {
  file: 'page.json',
  asksPage: false,
  capture: async (capture) => ({ content: `${JSON.stringify(capture.redactor.data(await pageFacts(capture)), undefined, 1)}\n` }),
};

/** Part after part, each captured when the one before has been written, so that only one is ever held. */
async function* entries(options: BundleOptions & Capture, parts: BundlePart[]): AsyncGenerator<TarEntry> {
  const shown = new Map<string, string>();
  const all = [facts, ...options.wanted.flatMap((name) => PARTS.get(name) ?? [])];
  for (const [done, part] of all.entries()) {
    options.progress({ done, total: all.length, message: part.file });
    for (const { file: name, content: given, note, error, shown: excerpt } of await filesOf(part, options)) {
      const content = Buffer.from(given as Uint8Array);
      const said = error === undefined ? { sha256: sha256(content) } : { error: options.redactor.text(error) };
      parts.push({ name, bytes: content.length, ...said, ...(note === undefined ? {} : { note }) });
      if (error === undefined) {
        shown.set(name, excerpt ?? excerptOf(name, content));
        yield { name, content };
      }
    }
  }
  options.progress({ done: all.length, total: all.length, message: MANIFEST_FILE });
  const index = Buffer.from(renderIndex({ url: options.redactor.text(options.tab.url), capturedAt: options.capturedAt, parts, shown }));
  yield { name: INDEX_FILE, content: index };
  yield { name: MANIFEST_FILE, content: Buffer.from(manifestOf(options, parts, index)) };
}

/** What went wrong in a part is the part's own story; only the end of the whole work ends the bundle. */
const filesOf = async (part: Part, { signal, log, ...rest }: BundleOptions & Capture): Promise<readonly CapturedFile[]> => {
  using limit = new Deadline(PART_MS, () => fail('timeout', `It was not there within ${PART_MS / 1000} s.`), signal);
  try {
    if (part.asksPage) await rest.page.requireAnswer(limit.signal);
    const { further = [], ...captured } = await part.capture({ ...rest, signal: limit.signal });
    return [{ file: part.file, ...captured }, ...further];
  } catch (thrown) {
    signal.throwIfAborted();
    const { code, message } = toFailure(toChromeFailure(thrown), (defect) => log.defect(defect));
    return [{ file: part.file, content: '', error: `${code}: ${message}` }];
  }
};

const manifestOf = ({ tab, capturedAt, redactor }: BundleOptions, parts: readonly BundlePart[], index: Uint8Array): string => {
  const url = redactor.text(tab.url);
  const manifest = {
    format: 'openchrome-evidence',
    version: 1,
    openchrome: VERSION,
    captured_at: new Date(capturedAt).toISOString(),
    url,
    redaction: 'Secrets, passwords and the values of cookies and storage are left out or replaced by [redacted]; pictures are as they are.',
    parts,
    index: { name: INDEX_FILE, bytes: index.length, sha256: sha256(index) },
  };
  return `${JSON.stringify(manifest, undefined, 1)}\n`;
};

const sha256 = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');
