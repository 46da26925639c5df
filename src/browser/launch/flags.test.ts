// The flags of Chrome: ours, the user's, and how the two become one list.
import { describe, expect, it } from 'vitest';
import { Failure } from '../../core/failure.ts';
import { buildChromeFlags, isHeadless, type LaunchFacts } from './flags.ts';

const facts: LaunchFacts = {
  config: { chromeArg: [], extension: [], viewport: '1280x720', sandbox: undefined },
  product: 'chrome',
  headless: true,
  userDataDir: '/profile',
  foreignProfile: false,
  ownerMark: '--openchrome-owner=x',
  platform: 'linux',
  isRoot: false,
  smallSharedMemory: false,
  hasLocale: true,
};
const flags = (over: Partial<LaunchFacts> = {}): string[] =>
  buildChromeFlags({ ...facts, ...over });
const withArgs = (...chromeArg: string[]): string[] =>
  flags({ config: { ...facts.config, chromeArg } });
const listOf = (all: readonly string[], name: string): string[] =>
  all
    .filter((flag) => flag.startsWith(`${name}=`))
    .flatMap((flag) => flag.slice(name.length + 1).split(','));

describe('the flags of Chrome', () => {
  it('open a pipe and no port, in the given profile, with the ownership mark', () => {
    expect(flags()).toEqual(
      expect.arrayContaining([
        '--remote-debugging-pipe',
        '--user-data-dir=/profile',
        '--openchrome-owner=x',
      ]),
    );
    expect(flags().some((flag) => flag.startsWith('--remote-debugging-port'))).toBe(false);
  });

  it('name nothing twice', () => {
    const names = withArgs('--lang=de', '--disable-features=A', '--enable-features=B').map(
      (flag) => flag.split('=')[0],
    );
    expect(new Set(names).size).toBe(names.length);
  });

  it('set the size of window and screen if headless, and do not change a real window', () => {
    expect(flags()).toEqual(
      expect.arrayContaining(['--headless', '--window-size=1280,720', '--screen-info={1280x720}']),
    );
    expect(flags({ headless: false }).join(' ')).not.toMatch(
      /--headless|--window-size|--mute-audio|--hide-scrollbars/,
    );
  });

  it('keep the sandbox, except for root on Linux or if it is switched off', () => {
    const sandboxed = (over: Partial<LaunchFacts>): boolean =>
      !flags(over).includes('--no-sandbox');
    expect(sandboxed({})).toBe(true);
    expect(sandboxed({ isRoot: true })).toBe(false);
    expect(sandboxed({ isRoot: true, platform: 'darwin' })).toBe(true);
    expect(sandboxed({ config: { ...facts.config, sandbox: false } })).toBe(false);
    expect(sandboxed({ isRoot: true, config: { ...facts.config, sandbox: true } })).toBe(false);
  });

  it("leave the keychain of a profile that is the user's own", () => {
    expect(flags()).toEqual(
      expect.arrayContaining(['--password-store=basic', '--use-mock-keychain']),
    );
    expect(flags({ foreignProfile: true }).join(' ')).not.toMatch(/password-store|mock-keychain/);
  });

  it('avoid shared memory only if it is small', () => {
    expect(flags()).not.toContain('--disable-dev-shm-usage');
    expect(flags({ smallSharedMemory: true })).toContain('--disable-dev-shm-usage');
  });

  it('set a language for the headless shell if the system has none', () => {
    expect(flags({ product: 'headless-shell', hasLocale: false })).toContain(
      '--accept-lang=en-US,en',
    );
    expect(flags({ product: 'headless-shell' }).join(' ')).not.toContain('--accept-lang');
  });
});

describe("the user's own flags", () => {
  it('are last, so that they take precedence', () => {
    expect(withArgs('--lang=de', '--window-size=1,1').slice(-2)).toEqual([
      '--lang=de',
      '--window-size=1,1',
    ]);
  });

  it('join our lists of features instead of replacing them', () => {
    const all = withArgs('--disable-features=Mine,Translate', '--disable-features=Other');
    expect(all.filter((flag) => flag.startsWith('--disable-features='))).toHaveLength(1);
    const disabled = listOf(all, '--disable-features');
    expect(disabled).toEqual(expect.arrayContaining(['Translate', 'MediaRouter', 'Mine', 'Other']));
    expect(disabled.filter((name) => name === 'Translate')).toHaveLength(1);
  });

  it('can switch on what we switch off', () => {
    const all = withArgs('--enable-features=Translate<Trial:key/value,Mine');
    expect(listOf(all, '--disable-features')).not.toContain('Translate');
    expect(listOf(all, '--enable-features')).toEqual(['Translate<Trial:key/value', 'Mine']);
  });

  it.each([
    ['--user-data-dir=/x', '--profile'],
    ['--remote-debugging-port=9222', '--attach'],
    ['--remote-debugging-pipe', '--attach'],
    ['https://example.com', 'such as'],
  ])('may not be %s', (flag, instead) => {
    expect(() => withArgs(flag)).toThrow(Failure);
    expect(() => withArgs(flag)).toThrow(instead);
  });
});

type Facts = Parameters<typeof isHeadless>[0];
const headless = (over: Partial<Facts> = {}, config: Partial<Facts['config']> = {}): boolean =>
  isHeadless({
    product: 'chrome',
    platform: 'linux',
    env: {},
    ...over,
    config: { headless: undefined, headed: undefined, ...config },
  });
const X11 = { env: { DISPLAY: ':0' } };

describe('Chrome runs without a window', () => {
  it('without a display, and with a window if there is a display', () => {
    expect(headless()).toBe(true);
    expect(headless(X11)).toBe(false);
    expect(headless({ env: { WAYLAND_DISPLAY: 'wayland-0' } })).toBe(false);
    expect(headless({ platform: 'darwin' })).toBe(false);
    expect(headless({ platform: 'win32' })).toBe(false);
  });

  it('or with one as configured', () => {
    expect(headless(X11, { headless: true })).toBe(true);
    expect(headless(X11, { headed: false })).toBe(true);
    expect(headless(X11, { headed: true })).toBe(false);
    expect(headless(X11, { headless: false })).toBe(false);
    expect(headless({}, { headless: true })).toBe(true);
  });

  it('if it can do nothing else', () => {
    expect(headless({ ...X11, product: 'headless-shell' })).toBe(true);
    expect(() => headless({ ...X11, product: 'headless-shell' }, { headed: true })).toThrow(
      'can only run headless',
    );
  });

  it('and reports if the configuration is impossible', () => {
    expect(() => headless({}, { headed: true })).toThrow('needs a display');
    expect(() => headless(X11, { headed: true, headless: true })).toThrow('contradict');
  });
});
