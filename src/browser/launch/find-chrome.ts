// Finds the Chrome to run: named by the user, on this machine, installed by us, or embedded.
import { valueIf, ifDefined } from '../../core/defined.ts';
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readSync,
  statSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { attempt } from '../../core/attempt.ts';
import type { Config } from '../../core/config.ts';
import { fail } from '../../core/failure.ts';
import type { Home } from '../../core/home.ts';
import { loadJson } from '../../system/private-files.ts';
import { replaceFile } from '../../system/replace-file.ts';
import {
  type ChromeLocation,
  detectProduct,
  listChromeLocations,
  type Product,
} from './chrome-locations.ts';
import { canEmbed, fetchEmbedded, findEmbedded } from './embedded.ts';

// The record of the browser that `openchrome install-browser` installed.

const Installed = z.object({
  /** Relative to the browsers folder, so that the home folder can be moved. */
  path: z.string().min(1),
  version: z.string(),
});

const buildRecordPath = (home: Home): string => join(home.browsers, 'installed.json');

export const findInstalled = async (home: Home): Promise<ChromeLocation | undefined> => {
  const note = Installed.safeParse(await loadJson(buildRecordPath(home)));
  if (!note.success) return undefined;
  const path = join(home.browsers, note.data.path);
  return valueIf(existsSync(path), { path, product: 'chrome' });
};

export const noteInstalled = (home: Home, installed: z.input<typeof Installed>): Promise<void> =>
  replaceFile(buildRecordPath(home), JSON.stringify(installed));

export interface FoundChrome {
  readonly path: string;
  readonly product: Product;
  readonly source: 'flag' | 'system' | 'installed' | 'embedded';
}

interface ChromeSearch {
  readonly config: Pick<Config, 'chromePath'>;
  readonly home: Home;
  /** The environment of the search; replaced in tests. */
  readonly env?: NodeJS.ProcessEnv;
}

/** The Chrome on this machine; undefined if there is none. */
export const findChrome = async ({
  config,
  home,
  env = process.env,
}: ChromeSearch): Promise<FoundChrome | undefined> => {
  if (config.chromePath !== undefined) return requireNamedChrome(config.chromePath);
  const place = systemChrome(env);
  if (place) return { ...place, source: 'system' };
  const installed = await findInstalled(home);
  if (installed) return { ...installed, source: 'installed' };
  const embedded = findEmbedded(home);
  return ifDefined(embedded, (embedded) => ({
    path: embedded,
    product: 'headless-shell',
    source: 'embedded',
  }));
};

/**
 * Like findChrome, but downloads the embedded Chrome if there is none, or throws with the command
 * that installs one.
 */
export const requireChrome = async (
  search: ChromeSearch & {
    readonly progress: (line: string) => void;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<FoundChrome> => {
  const found = await findChrome(search);
  if (found) return found;
  if (!canEmbed())
    throw fail('chrome_not_found', 'No Chrome, Chromium, Edge or Brave was found on this machine.');
  search.progress(
    'No Chrome was found on this machine: downloading a headless one (about 70 MB, once).',
  );
  const path = await fetchEmbedded(search);
  return { path, product: 'headless-shell', source: 'embedded' };
};

const requireNamedChrome = (given: string): FoundChrome => {
  const path = resolve(given);
  const problem = whyNotRunnable(path);
  if (problem)
    throw fail('chrome_not_found', `The configured Chrome ${problem}: ${path}`, {
      path,
      hint: 'Correct --chrome-path or CHROME_PATH, or leave it out.',
    });
  return { path, product: detectProduct(path), source: 'flag' };
};

const whyNotRunnable = (path: string): string | undefined => {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return 'does not exist';
  if (!stats.isFile()) return 'is not a file';
  return valueIf(!isExecutable(path), 'is not executable');
};

const isExecutable = (path: string): boolean =>
  attempt(() => {
    accessSync(path, constants.X_OK);
    return true;
  }, false);

const isRunnable = (path: string): boolean => {
  // a folder without access
  return attempt(() => whyNotRunnable(path) === undefined, false);
};

const systemChrome = (env: NodeJS.ProcessEnv): ChromeLocation | undefined =>
  listChromeLocations({ platform: process.platform, env, homedir: homedir() }).find(
    ({ path }) => isRunnable(path) && !isSnapStub(path),
  );

const STUB_BYTES = 4096;

/**
 * Ubuntu's /usr/bin/chromium-browser only starts the snap, which is listed separately, or suggests
 * to install it.
 */
const isSnapStub = (path: string): boolean => {
  if (process.platform !== 'linux' || path.startsWith('/snap/')) return false;
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    const head = Buffer.alloc(STUB_BYTES);
    const text = head.toString('latin1', 0, readSync(file, head, 0, STUB_BYTES, 0));
    return text.startsWith('#!') && /\/snap\/bin\/|snap install/.test(text);
  } catch {
    return false;
  } finally {
    if (file !== undefined) closeSync(file);
  }
};
