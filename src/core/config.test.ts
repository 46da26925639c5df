// One schema field gives the flag, the variable and the key of the file; later sources win.
import { describe, expect, test } from 'vitest';
import { formatFlag, resolveConfig, resolveSettings, formatVariable } from './config.ts';
import { Failure } from './failure.ts';

const refusal = (run: () => unknown): Failure['details'] & { message: string } => {
  try {
    run();
  } catch (error) {
    if (error instanceof Failure) return { message: error.message, ...error.details };
    throw error;
  }
  throw new Error('nothing was refused');
};

describe('configuration', () => {
  test('names follow from the field', () => {
    expect([formatFlag('chromePath'), formatVariable('chromePath')]).toEqual([
      '--chrome-path',
      'OPENCHROME_CHROME_PATH',
    ]);
  });

  test('a flag wins over the environment, that over the project file, that over the home file, that over the default', () => {
    const homeFile = {
      path: 'home/openchrome.json',
      content: { host: 'home', viewport: '800x600', logLevel: 'info', slim: true },
    };
    const projectFile = {
      path: 'work/openchrome.json',
      content: { viewport: '900x700', logLevel: 'debug' },
    };
    const env = { OPENCHROME_HOST: 'env', OPENCHROME_VIEWPORT: '1024x768' };
    const { host, viewport, logLevel, slim, isolated } = resolveConfig({
      flags: ['--host', 'flag'],
      env,
      homeFile,
      projectFile,
    });
    expect({ host, viewport, logLevel, slim, isolated }).toEqual({
      host: 'flag',
      viewport: '1024x768',
      logLevel: 'debug',
      slim: true,
      isolated: false,
    });
  });

  test("an empty project file keeps the owner's limits", () => {
    const content = {
      allowDomains: ['example.com'],
      blockDomains: ['bad.example.com'],
      secrets: '/home/ada/secrets.env',
    };
    const projectFile = { path: 'work/openchrome.json', content: {} };
    expect(
      resolveConfig({ homeFile: { path: 'home/openchrome.json', content }, projectFile }),
    ).toMatchObject(content);
  });

  test('a project file may switch isolated on, but not off if the owner switched it on', () => {
    const owner = { path: 'home/openchrome.json', content: { isolated: true } };
    const project = (isolated: boolean) => ({
      path: 'work/openchrome.json',
      content: { isolated },
    });
    expect(resolveConfig({ projectFile: project(true) }).isolated).toBe(true);
    expect(
      refusal(() => resolveConfig({ homeFile: owner, projectFile: project(false) })).message,
    ).toContain('may not switch off "isolated"');
  });

  test("a daemon must agree with the settings of a client and the limits of the owner's file", () => {
    const homeFile = {
      path: 'home/openchrome.json',
      content: { allowDomains: ['example.com'], viewport: '800x600' },
    };
    const projectFile = { path: 'work/openchrome.json', content: { hints: false } };
    const { binding } = resolveSettings({
      flags: ['--no-sandbox'],
      env: { OPENCHROME_SLIM: '1' },
      homeFile,
      projectFile,
    });
    expect([...binding].toSorted()).toEqual(['allowDomains', 'hints', 'sandbox', 'slim']);
  });

  test('flags take values with a space or an equals sign, lists repeat, switches are negated with no-', () => {
    const config = resolveConfig({
      flags: [
        '--http=0',
        '--chrome-arg',
        '--mute-audio',
        '--chrome-arg=--lang=de',
        '--no-sandbox',
        '--isolated',
      ],
    });
    expect(config).toMatchObject({
      http: 0,
      chromeArg: ['--mute-audio', '--lang=de'],
      sandbox: false,
      isolated: true,
    });
  });

  test('CHROME_PATH is understood too, after our own variable', () => {
    expect(resolveConfig({ env: { CHROME_PATH: '/a' } }).chromePath).toBe('/a');
    expect(
      resolveConfig({ env: { CHROME_PATH: '/a', OPENCHROME_CHROME_PATH: '/b' } }).chromePath,
    ).toBe('/b');
  });

  test.each([
    [['--htpp', '1'], 'Unknown option --htpp; did you mean --http?'],
    [['--http'], '--http needs a value: --http <PORT>.'],
    [['--http', 'many'], '--http must be a whole number from 0 to 65535, not a string.'],
    [['--no-http'], '--http expects a value and cannot be negated.'],
    [['--viewport', 'big'], '--viewport: WIDTHxHEIGHT'],
  ])('%j is rejected with the reason', (flags, message) => {
    expect(refusal(() => resolveConfig({ flags })).message).toBe(message);
  });

  test('an unknown key in the file names the closest one', () => {
    const homeFile = { path: 'x/openchrome.json', content: { isolate: true } };
    expect(refusal(() => resolveConfig({ homeFile })).message).toBe(
      'x/openchrome.json has the unknown key "isolate"; did you mean isolated?',
    );
  });

  test.each([
    'chromePath',
    'chromeArg',
    'token',
    'allowOrigin',
    'allowRoot',
    'sandbox',
    'shared',
    'dialogs',
    'allowDomains',
    'maxRequestBytes',
  ])("a working folder's file may not set %s", (key) => {
    const projectFile = { path: 'x/openchrome.json', content: { [key]: 'evil' } };
    expect(refusal(() => resolveConfig({ projectFile })).message).toContain(
      `x/openchrome.json may not set "${key}"`,
    );
    expect(resolveConfig({ projectFile: { ...projectFile, content: { slim: true } } }).slim).toBe(
      true,
    );
  });

  test('a switch in the environment must be on or off', () => {
    expect(refusal(() => resolveConfig({ env: { OPENCHROME_SLIM: 'maybe' } })).message).toBe(
      'OPENCHROME_SLIM must be on or off, not "maybe".',
    );
  });
});
