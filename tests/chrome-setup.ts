// Before the tests with a browser: makes sure that there is a Chrome, the machine's own or the
// embedded one (fetched once).
import { resolveConfig } from '../src/core/config.ts';
import { resolveHome } from '../src/core/home.ts';
import { embeddedEnvironment } from '../src/browser/launch/embedded.ts';
import { requireChrome } from '../src/browser/launch/find-chrome.ts';

/** Tests with homes of their own find it through CHROME_PATH, so that none fetches another. */
export const setup = async (): Promise<void> => {
  const chrome = await requireChrome({
    config: resolveConfig({ env: process.env }),
    home: resolveHome(),
    progress: (line) => process.stderr.write(`${line}\n`),
  });
  process.env['CHROME_PATH'] = chrome.path;
  if (chrome.source === 'embedded')
    Object.assign(process.env, await embeddedEnvironment(chrome.path));
};
