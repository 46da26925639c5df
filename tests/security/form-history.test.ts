// Chrome's own storage of typed values in the profile.
import { readFileSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createEngine } from '../../src/app.ts';
import { resolveConfig } from '../../src/core/config.ts';
import { resolveHome } from '../../src/core/home.ts';
import { engineCalls, useSite } from '../fixtures.ts';

const SHELL = /headless[-_]shell/;
const VALUE = 'kept-nowhere-in-the-profile';
const site = useSite({
  '/': '<form action=/sent><label>Note <input name=note></label><button>Send</button></form>',
  '/sent': '<p>Sent</p>',
});

/** The files with form data: name and content of each. */
const readFormData = (folder: string): { name: string; text: string }[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /Web Data|Login Data/.test(name))
    .map((name) => ({ name, text: readFileSync(join(folder, name), 'latin1') }));

it('the profile does not contain the value of a field that was sent', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'openchrome-test-'));
  const home = { ...resolveHome({ OPENCHROME_HOME: folder }), browsers: resolveHome().browsers };
  const flags = ['--headless', '--log-level', 'error'];
  const engine = createEngine({ config: resolveConfig({ flags, env: process.env }), home });
  try {
    const { text } = engineCalls(() => engine);
    await text('navigate', { url: site.origin });
    await text('interact', { action: 'fill', query: 'Note', value: VALUE });
    expect(await text('interact', { action: 'click', query: 'Send' })).toContain('/sent');
    await engine.stop();
    const files = readFormData(home.profile);
    expect(files.filter((file) => file.text.includes(VALUE)).map(({ name }) => name)).toEqual([]);
    // The headless shell stores no form data, and has no such files.
    if (!SHELL.test(process.env['CHROME_PATH'] ?? '')) expect(files.length).toBeGreaterThan(0);
  } finally {
    await engine.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
});
