// Starting and ending a real Chrome, and programs that only pretend to be one.
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { readlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CdpConnection } from '../../src/browser/cdp/connection.ts';
import { resolveConfig } from '../../src/core/config.ts';
import { fail } from '../../src/core/failure.ts';
import { createLog } from '../../src/core/log.ts';
import { launchChrome } from '../../src/browser/launch/launch-chrome.ts';
import {
  evaluate,
  failureOf,
  fakeChrome,
  launch,
  makeFolder,
  makeHome,
  openPage,
  processes,
  until,
} from './support.ts';

describe('a launched Chrome', () => {
  it('responds over its pipe and reports its version', async () => {
    const home = makeHome();
    const chrome = await launch(home);
    expect(chrome).toMatchObject({
      version: expect.stringMatching(/Chrome\/\d+/),
      headless: true,
      profile: { kind: 'own' },
    });
    expect(chrome.profile.dir.startsWith(home.profile)).toBe(true);
    expect(await evaluate(await openPage(chrome), 'document.body.innerText')).toBe('hello');
  });

  it('starts without a tab, and keeps running when its last one is closed', async () => {
    const chrome = await launch(makeHome());
    const { root } = new CdpConnection(chrome.transport);
    const pages = async (): Promise<number> =>
      (await root.send('Target.getTargets')).targetInfos.filter(({ type }) => type === 'page')
        .length;
    expect(await pages()).toBe(0);
    const { targetId } = await root.send('Target.createTarget', { url: 'about:blank' });
    await root.send('Target.setDiscoverTargets', { discover: true });
    const gone = root.next('Target.targetDestroyed', undefined);
    await root.send('Target.closeTarget', { targetId });
    await gone;
    await root.send('Target.createTarget', { url: 'about:blank' });
    expect(await pages()).toBe(1);
  });

  it('responds to commands that are sent while it starts', async () => {
    let early: Promise<{ targetId: string }> | undefined;
    const chrome = await launch(makeHome(), ['--isolated'], {
      onStarted: ({ transport }) => {
        early = new CdpConnection(transport).root.send('Target.createTarget', {
          url: 'about:blank',
        });
      },
    });
    expect(chrome.version).toMatch(/Chrome\/\d+/);
    expect(await early).toEqual({ targetId: expect.any(String) });
  });

  it('offers pages the usual features: languages, a screen as large as the window, WebGL, workers', async () => {
    const chrome = await launch(makeHome(), ['--isolated', '--viewport', '1111x777']);
    const facts = await evaluate(
      await openPage(chrome),
      `({
        languages: Intl.getCanonicalLocales(navigator.languages).length > 0,
        screen: screen.width + 'x' + screen.height,
        width: innerWidth,
        webgl: document.createElement('canvas').getContext('webgl') !== null,
        rest: [typeof Worker, typeof AudioContext, typeof RTCPeerConnection, typeof indexedDB, typeof WebAssembly],
      })`,
    );
    expect(facts).toEqual({
      languages: true,
      screen: '1111x777',
      width: 1111,
      webgl: true,
      rest: ['function', 'function', 'function', 'object', 'object'],
    });
  });

  it('keeps logins in its own profile from one start to the next', async () => {
    const home = makeHome();
    const first = await launch(home);
    const cookie = {
      name: 'login',
      value: 'ada',
      url: 'https://example.test/',
      expires: Date.now() / 1000 + 3600,
    };
    await new CdpConnection(first.transport).root.send('Storage.setCookies', { cookies: [cookie] });
    await first.close();
    const second = await launch(home);
    const { cookies } = await new CdpConnection(second.transport).root.send('Storage.getCookies');
    expect(cookies).toMatchObject([{ name: 'login', value: 'ada' }]);
  });

  it('leaves nothing behind when it was isolated', async () => {
    const home = makeHome();
    const chrome = await launch(home, ['--isolated']);
    expect(chrome.profile.kind).toBe('isolated');
    expect(existsSync(chrome.profile.dir)).toBe(true);
    await openPage(chrome);
    await chrome.close();
    expect(existsSync(chrome.profile.dir)).toBe(false);
    expect(readdirSync(home.run)).toEqual([]);
    expect(existsSync(home.profile)).toBe(false);
  });

  it('keeps its folders and files to the user', async () => {
    const home = makeHome();
    const chrome = await launch(home);
    const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);
    for (const dir of [home.root, home.run, home.profile, chrome.profile.dir])
      expect(mode(dir)).toBe('700');
    for (const name of readdirSync(home.run)) expect(mode(join(home.run, name))).toBe('600');
    expect(mode(join(chrome.profile.dir, 'openchrome.lock'))).toBe('600');
  });

  it.each([
    ['a page in an endless loop', 'setTimeout(() => { while (true) {} })'],
    ['an open dialog', 'setTimeout(() => alert("stay"))'],
    ['a page that does not want to be left', 'onbeforeunload = (event) => event.preventDefault()'],
  ])('is closed to its last process with %s', async (_what, script) => {
    const chrome = await launch(makeHome(), ['--isolated']);
    const page = await openPage(chrome);
    await page.send('Runtime.evaluate', { expression: script, userGesture: true });
    await chrome.close();
    expect(processes({ leader: chrome.pid, word: chrome.profile.dir })).toEqual([]);
    expect(await chrome.exited).toBe('it exited with status 0');
  });

  it('may be closed twice, and after it has ended by itself', async () => {
    const chrome = await launch(makeHome(), ['--isolated']);
    await Promise.all([chrome.close(), chrome.close()]);
    await chrome.close();
  });

  it('releases its profile when it is killed, so that the next one can use it', async () => {
    const home = makeHome();
    const first = await launch(home);
    await openPage(first);
    process.kill(first.pid, 'SIGKILL');
    expect(await first.exited).toBe('it was ended by SIGKILL');
    expect(processes({ leader: first.pid, word: first.profile.dir })).toEqual([]);
    expect((await launch(home)).profile).toEqual({ dir: first.profile.dir, kind: 'own' });
  });

  it('leaves nothing in the folder for temporary files when it is killed', async () => {
    const chrome = await launch(makeHome(), ['--isolated']);
    const socket = await readlink(join(chrome.profile.dir, 'SingletonSocket')).catch(
      () => undefined,
    ); // the headless shell has none
    process.kill(chrome.pid, 'SIGKILL');
    await chrome.exited;
    expect(socket !== undefined && existsSync(dirname(socket))).toBe(false);
    expect(existsSync(chrome.profile.dir)).toBe(false);
  });

  it('keeps its profile if it is restarted at the moment of a crash', async () => {
    const home = makeHome();
    const first = await launch(home);
    const crashed = new Promise((resolve) => (first.transport.onClose = resolve));
    process.kill(first.pid, 'SIGKILL');
    await crashed;
    expect((await launch(home)).profile).toEqual({ dir: first.profile.dir, kind: 'own' });
  });

  it('is killed if it ignores the close command and SIGTERM', async () => {
    const stubborn = fakeChrome(`process.on('SIGTERM', () => {}); answer(); stay();`);
    const chrome = await launch(makeHome(), ['--isolated', '--chrome-path', stubborn]);
    await chrome.close();
    expect(await chrome.exited).toBe('it was ended by SIGKILL');
    expect(processes({ leader: chrome.pid })).toEqual([]);
  }, 20_000);

  it('ends with its child processes, also those that ignore signals', async () => {
    const parent = fakeChrome(`
      const child = require('node:child_process').spawn('sh', ['-c', 'trap "" TERM; echo up; while :; do sleep 1; done'], { stdio: ['ignore', 'pipe', 'ignore'] });
      child.stdout.once('data', () => { answer(); input.on('data', (text) => /Browser.close/.test(text) && process.exit(0)); });
    `);
    const chrome = await launch(makeHome(), ['--isolated', '--chrome-path', parent]);
    expect(processes({ leader: chrome.pid }).length).toBeGreaterThan(1);
    await chrome.close();
    expect(processes({ leader: chrome.pid })).toEqual([]);
  }, 20_000);
});

describe('a Chrome that cannot be launched', () => {
  it('is named when its path does not exist', async () => {
    const failure = await failureOf(launch(makeHome(), ['--chrome-path', '/no/such/chrome']));
    expect(failure.toJSON().error).toMatchObject({
      code: 'chrome_not_found',
      message: expect.stringContaining('does not exist: /no/such/chrome'),
    });
  });

  it('is named when it is not executable, or a folder', async () => {
    const file = join(makeFolder(), 'chrome');
    writeFileSync(file, '', { mode: 0o644 });
    expect((await failureOf(launch(makeHome(), ['--chrome-path', file]))).message).toContain(
      `is not executable: ${file}`,
    );
    const folder = makeFolder();
    expect((await failureOf(launch(makeHome(), ['--chrome-path', folder]))).message).toContain(
      `is not a file: ${folder}`,
    );
  });

  it('fails with its last words and the likely fix when it exits at once', async () => {
    const home = makeHome();
    const path = fakeChrome(
      `console.error('[1:1:0101/000000.1:FATAL:zygote_host_impl_linux.cc(127)] No usable sandbox!'); process.exit(7);`,
    );
    const failure = await failureOf(launch(home, ['--isolated', '--chrome-path', path]));
    expect(failure.toJSON().error).toMatchObject({
      code: 'chrome_launch_failed',
      message: 'Chrome did not start: its sandbox is not available here (it exited with status 7).',
      hint: expect.stringContaining('--no-sandbox'),
      stderr: 'FATAL: No usable sandbox!',
    });
    expect(readdirSync(home.run)).toEqual([]);
  });

  it('fails by its deadline if it never responds, and its processes have ended', async () => {
    const home = makeHome();
    const path = fakeChrome(`process.on('SIGTERM', () => {}); stay();`);
    const failure = await failureOf(
      launch(home, ['--isolated', '--chrome-path', path], { timeoutMs: 700 }),
    );
    expect(failure).toMatchObject({
      code: 'chrome_launch_failed',
      message: 'Chrome did not start: it did not respond within 700 ms.',
    });
    expect(processes({ word: path })).toEqual([]);
    expect(readdirSync(home.run)).toEqual([]);
  });

  it('fails when it is a program of another kind', async () => {
    const path = fakeChrome(`say('hello'); stay();`);
    const failure = await failureOf(launch(makeHome(), ['--isolated', '--chrome-path', path]));
    expect(failure.message).toBe(
      'Chrome did not start: its response is not the DevTools protocol.',
    );
    expect(await until(() => processes({ word: path }).length === 0, 1000)).toBe(true);
  });

  it('fails when the system cannot run the file', async () => {
    const path = join(makeFolder(), 'chrome');
    writeFileSync(path, '#!/no/such/interpreter', { mode: 0o755 });
    expect(
      await failureOf(launch(makeHome(), ['--isolated', '--chrome-path', path])),
    ).toMatchObject({
      code: 'chrome_launch_failed',
      message: expect.stringContaining(path),
    });
  });

  it('stops when the call is cancelled, and leaves nothing', async () => {
    const home = makeHome();
    const path = fakeChrome(`fs.writeFileSync(__filename + '.started', ''); stay();`);
    const cancel = new AbortController();
    const launching = failureOf(
      launch(home, ['--isolated', '--chrome-path', path], { signal: cancel.signal }),
    );
    await until(() => existsSync(`${path}.started`), 5000);
    cancel.abort(fail('cancelled', 'no longer wanted'));
    expect((await launching).code).toBe('cancelled');
    expect(await until(() => processes({ word: path }).length === 0, 20_000)).toBe(true);
    expect(readdirSync(home.run)).toEqual([]);
  });

  it('reports that --headed needs a display', async () => {
    const { DISPLAY, WAYLAND_DISPLAY } = process.env;
    delete process.env['DISPLAY'];
    delete process.env['WAYLAND_DISPLAY'];
    try {
      const config = resolveConfig({ flags: ['--headed'], env: process.env });
      const failure = await failureOf(
        launchChrome({ config, home: makeHome(), log: createLog({ level: 'error' }) }),
      );
      expect(failure).toMatchObject({
        code: 'chrome_launch_failed',
        message: expect.stringContaining('--headed'),
      });
    } finally {
      Object.assign(
        process.env,
        DISPLAY === undefined ? {} : { DISPLAY },
        WAYLAND_DISPLAY === undefined ? {} : { WAYLAND_DISPLAY },
      );
    }
  });

  it('reports that the profile folder cannot be created', async () => {
    const file = join(makeFolder(), 'taken');
    writeFileSync(file, '');
    expect(
      (await failureOf(launch(makeHome(), ['--profile', join(file, 'profile')]))).message,
    ).toContain('cannot be used');
  });
});
