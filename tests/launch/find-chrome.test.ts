// Which of several Chromes is found.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findChrome } from '../../src/browser/launch/find-chrome.ts';
import { makeFolder, makeHome } from './support.ts';

const put = (folder: string, name: string, content: string, mode = 0o755): string => {
  const path = join(folder, name);
  writeFileSync(path, content, { mode });
  return path;
};
const find = (folder: string, chromePath?: string): ReturnType<typeof findChrome> =>
  findChrome({ config: { chromePath }, home: makeHome(), env: { PATH: folder } });

describe.skipIf(process.platform !== 'linux')('finding Chrome', () => {
  it('prefers the configured one to those of the machine', async () => {
    const folder = makeFolder();
    put(folder, 'google-chrome-stable', '');
    const named = put(folder, 'my-chromium', '');
    expect(await find(folder, named)).toEqual({ path: named, product: 'chromium', source: 'flag' });
  });

  it('prefers Chrome to Chromium, Edge and Brave', async () => {
    const folder = makeFolder();
    for (const name of ['brave-browser', 'microsoft-edge', 'chromium']) put(folder, name, '');
    expect(await find(folder)).toEqual({
      path: join(folder, 'chromium'),
      product: 'chromium',
      source: 'system',
    });
    put(folder, 'google-chrome', '');
    expect(await find(folder)).toEqual({
      path: join(folder, 'google-chrome'),
      product: 'chrome',
      source: 'system',
    });
  });

  it('skips files that cannot be run, and the stub that only suggests a snap', async () => {
    const folder = makeFolder();
    put(folder, 'google-chrome-stable', '', 0o644);
    put(folder, 'google-chrome', '#!/bin/sh\nexec /snap/bin/chromium "$@"\n');
    put(
      folder,
      'chromium',
      '#!/bin/sh\necho "Command requires the chromium snap: snap install chromium"\n',
    );
    const wrapper = put(
      folder,
      'chromium-browser',
      '#!/bin/sh\nexec /usr/lib/chromium/chromium "$@"\n',
    );
    expect(await find(folder)).toEqual({ path: wrapper, product: 'chromium', source: 'system' });
  });
});
