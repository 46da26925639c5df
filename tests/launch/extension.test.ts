// --extension: an unpacked extension runs in a full Chrome, and has a clear failure elsewhere.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { resolveConfig } from '../../src/core/config.ts';
import { resolveHome } from '../../src/core/home.ts';
import { createLog } from '../../src/core/log.ts';
import { findChrome } from '../../src/browser/launch/find-chrome.ts';
import { launchChrome } from '../../src/browser/launch/launch-chrome.ts';
import { useEngine, useSite } from '../fixtures.ts';
import { failureOf } from './support.ts';

const folder = mkdtempSync(join(tmpdir(), 'openchrome-extension-'));
afterAll(() => rmSync(folder, { recursive: true }));
const extension = join(folder, 'extension');
mkdirSync(extension);
writeFileSync(
  join(extension, 'manifest.json'),
  JSON.stringify({
    manifest_version: 3,
    name: 'Marker',
    version: '1',
    content_scripts: [{ matches: ['<all_urls>'], js: ['mark.js'], run_at: 'document_end' }],
  }),
);
writeFileSync(join(extension, 'mark.js'), `document.body.dataset.marked = 'by the extension';`);

const site = useSite({ '/': '<title>Page</title><p>text' });
const found = await findChrome({
  config: resolveConfig({ flags: [], env: process.env }),
  home: resolveHome(),
});
const isFull = found !== undefined && found.product !== 'headless-shell';

describe.runIf(isFull)('in a full Chrome', () => {
  const engine = useEngine(['--extension', extension]);
  const broken = useEngine(['--extension', folder]);

  it('its content scripts run in pages of the profile', async () => {
    await engine.text('navigate', { url: `${site.origin}/` });
    await engine.text('wait_for', { function: 'document.body.dataset.marked !== undefined' });
    const code = 'document.body.dataset.marked';
    expect(await engine.text('javascript_tool', { code })).toBe('by the extension');
  });

  it('a folder without a manifest is named by the first call that needs Chrome', async () => {
    expect(await broken.failure('navigate', { url: `${site.origin}/` })).toMatchObject({
      code: 'invalid_argument',
      argument: 'extension',
      message: expect.stringContaining('cannot be loaded') as string,
    });
  });
});

it('the headless shell has no extensions', async () => {
  const shell = join(folder, 'chrome-headless-shell');
  writeFileSync(shell, '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  const config = resolveConfig({ flags: ['--chrome-path', shell, '--extension', extension] });
  const home = resolveHome({ OPENCHROME_HOME: folder });
  const log = createLog({ level: 'error' });
  expect(await failureOf(launchChrome({ config, home, log }))).toMatchObject({
    code: 'invalid_argument',
    message: expect.stringContaining('headless shell') as string,
  });
});
