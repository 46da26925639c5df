// Before the tests with a browser: makes sure that there is a Chrome, the machine's own or the
// embedded one (fetched once), and creates the folder of the run.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveConfig } from '../src/core/config.ts';
import { resolveHome } from '../src/core/home.ts';
import { embeddedEnvironment } from '../src/browser/launch/embedded.ts';
import { requireChrome } from '../src/browser/launch/find-chrome.ts';
import { RUN_FOLDER } from './run-folder.ts';

const requireTestChrome = async (): Promise<void> => {
  const chrome = await requireChrome({
    config: resolveConfig({ env: process.env }),
    home: resolveHome(),
    progress: (line) => process.stderr.write(`${line}\n`),
  });
  // Tests with their own home find it through CHROME_PATH, so that none fetches another.
  process.env['CHROME_PATH'] = chrome.path;
  if (chrome.source === 'embedded')
    Object.assign(process.env, await embeddedEnvironment(chrome.path));
  if (chrome.product === 'headless-shell')
    process.stderr.write('The tests of the extension are left out: they need a full Chrome.\n');
};

/**
 * Each start of Node 20 reads the file of this variable: with the certificates of a usual machine
 * that takes longer than the rest of the start. The tests use no public issuers.
 */
const forgetFurtherIssuers = (): void => {
  delete process.env['NODE_EXTRA_CA_CERTS'];
};

/** Several projects of a run share the folder; the first one removes it at the end. */
export const setup = async (): Promise<() => Promise<void>> => {
  await requireTestChrome();
  forgetFurtherIssuers();
  if (process.env[RUN_FOLDER] !== undefined) return () => Promise.resolve();
  const folder = await mkdtemp(join(tmpdir(), 'openchrome-run-'));
  process.env[RUN_FOLDER] = folder;
  return () => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
};
