// Writes the pages of a crawl as they arrive: one file per page with front matter, or JSON lines.
import { closeSync, openSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fail } from '../../core/failure.ts';
import { canParseUrl } from '../../core/text.ts';
import { storageFailure } from '../../system/disk-error.ts';
import { ensureFolderNow } from '../../system/private-files.ts';

/** The user chose the folder, so the umask alone limits it. */
const USER_FOLDER = 0o777;

/** A page of a crawl; other fields become front matter. */
export interface WrittenPage {
  readonly url: string;
  readonly title: string;
  readonly content: unknown;
  readonly error?: string;
}

export interface PageWriter {
  /** Where the pages are. */
  readonly path: string;
  write(page: WrittenPage): void;
  close(): void;
}

/** A path that ends in .jsonl is a file; a path without an extension is a folder. */
export const createPageWriter = (path: string, folder: string): PageWriter => {
  const full = resolve(folder, path);
  requireKnownForm(path, full);
  try {
    return full.endsWith('.jsonl') ? createLinesWriter(full) : createFolderWriter(full);
  } catch (error) {
    throw storageFailure('write', full, error);
  }
};

/** The extension of a file; `v1.2` is not one. */
const FILE_EXTENSION = /\.[a-z][a-z0-9]{0,5}$/i;

/** Rejects a file of another format; a folder whose name looks like one must exist or end in /. */
const requireKnownForm = (path: string, full: string): void => {
  if (full.endsWith('.jsonl') || !FILE_EXTENSION.test(path) || isFolder(full)) return;
  throw fail('invalid_argument', `--out ${path} is neither a folder nor a .jsonl file.`, {
    argument: 'out',
    hint: `Use FILE.jsonl for one file, or a folder: ${path}/`,
  });
};

const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

const createLinesWriter = (path: string): PageWriter => {
  ensureFolderNow(dirname(path), USER_FOLDER);
  const fd = openSync(path, 'w');
  return {
    path,
    write: (page) => {
      guardWrite(path, () => writeSync(fd, `${JSON.stringify(page)}\n`));
    },
    close: () => closeSync(fd),
  };
};

/** Pages without content are listed here. */
const ERRORS_FILE = 'errors.jsonl';

const createFolderWriter = (root: string): PageWriter => {
  ensureFolderNow(root, USER_FOLDER);
  rmSync(join(root, ERRORS_FILE), { force: true }); // the errors of an earlier crawl
  const used = new Set<string>();
  let startHost: string | undefined;
  return {
    path: root,
    write: (page) => {
      const { error, url } = page;
      startHost ??= findHost(url);
      if (error !== undefined) {
        const line = `${JSON.stringify({ url, error })}\n`;
        guardWrite(root, () => writeFileSync(join(root, ERRORS_FILE), line, { flag: 'a' }));
        return;
      }
      const name = chooseName(buildFileName(page, startHost), used);
      const file = join(root, name);
      guardWrite(file, () => {
        ensureFolderNow(dirname(file), USER_FOLDER);
        writeFileSync(file, renderPage(page));
      });
    },
    close: () => {},
  };
};

const guardWrite = (path: string, write: () => unknown): void => {
  try {
    write();
  } catch (error) {
    throw storageFailure('write', path, error);
  }
};

const findHost = (url: string): string => (canParseUrl(url) ? new URL(url).host : '');

const MAX_NAME_CHARACTERS = 80;

/** Letters, digits, dots, dashes and underscores; never a hidden file or a parent folder. */
const cleanName = (text: string): string =>
  decode(text)
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/^[.-]+/, '')
    .slice(0, MAX_NAME_CHARACTERS);

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const EXTENSION = /\.(?:html?|php|aspx?|md|txt)$/i;

/** The path of the URL as a path of files; pages of other hosts are in a folder of their host. */
const buildFileName = ({ url, content }: WrittenPage, startHost: string): string => {
  const { host, pathname, search } = canParseUrl(url)
    ? new URL(url)
    : { host: '', pathname: url, search: '' };
  const parts = pathname
    .split('/')
    .map(cleanName)
    .filter((part) => part !== '');
  const last = pathname.endsWith('/') || parts.length === 0 ? 'index' : (parts.pop() ?? 'index');
  const query = search === '' ? '' : `-${cleanName(search.slice(1))}`;
  const extension = typeof content === 'string' ? 'md' : 'json';
  const base = `${last.replace(EXTENSION, '')}${query}`.slice(0, MAX_NAME_CHARACTERS);
  const folders = host === startHost ? parts : [cleanName(host), ...parts];
  return join(...folders, `${base}.${extension}`);
};

/** Names that differ only in case are one file on some systems. */
const chooseName = (wanted: string, used: Set<string>): string => {
  const dot = wanted.lastIndexOf('.');
  for (let n = 1; ; n++) {
    const name = n === 1 ? wanted : `${wanted.slice(0, dot)}-${n}${wanted.slice(dot)}`;
    if (used.has(name.toLowerCase())) continue;
    used.add(name.toLowerCase());
    return name;
  }
};

/** The facts of the page as YAML front matter, then its text. */
const renderPage = ({ content, ...facts }: WrittenPage): string => {
  if (typeof content !== 'string') return `${JSON.stringify({ ...facts, content }, null, 2)}\n`;
  const lines = Object.entries(facts).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return `---\n${lines.join('\n')}\n---\n\n${content.trimEnd()}\n`;
};
