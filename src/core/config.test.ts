// One schema field gives the flag, the variable and the key of the file; later sources win.
import { describe, expect, test } from 'vitest';
import { flagOf, resolveConfig, variableOf } from './config.ts';
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
    expect([flagOf('chromePath'), variableOf('chromePath')]).toEqual(['--chrome-path', 'OPENCHROME_CHROME_PATH']);
  });

  test('a flag wins over the environment, that over the file, that over the default', () => {
    const file = { path: 'openchrome.json', ofOwner: true, content: { host: 'file', viewport: '800x600', logLevel: 'info' } };
    const env = { OPENCHROME_HOST: 'env', OPENCHROME_VIEWPORT: '1024x768' };
    const { host, viewport, logLevel, isolated } = resolveConfig({ flags: ['--host', 'flag'], env, file });
    expect({ host, viewport, logLevel, isolated }).toEqual({ host: 'flag', viewport: '1024x768', logLevel: 'info', isolated: false });
  });

  test('flags take values with a space or an equals sign, lists repeat, switches are negated with no-', () => {
    const config = resolveConfig({
      flags: ['--http=0', '--chrome-arg', '--mute-audio', '--chrome-arg=--lang=de', '--no-sandbox', '--isolated'],
    });
    expect(config).toMatchObject({ http: 0, chromeArg: ['--mute-audio', '--lang=de'], sandbox: false, isolated: true });
  });

  test('CHROME_PATH is understood too, after our own variable', () => {
    expect(resolveConfig({ env: { CHROME_PATH: '/a' } }).chromePath).toBe('/a');
    expect(resolveConfig({ env: { CHROME_PATH: '/a', OPENCHROME_CHROME_PATH: '/b' } }).chromePath).toBe('/b');
  });

  test.each([
    [['--htpp', '1'], 'Unknown option --htpp; did you mean --http?'],
    [['--http'], '--http needs a value: --http <PORT>.'],
    [['--http', 'many'], '--http: Invalid input: expected number, received NaN'],
    [['--no-http'], '--http takes a value and cannot be negated.'],
    [['--viewport', 'big'], '--viewport: WIDTHxHEIGHT'],
  ])('%j is refused with what is wrong', (flags, message) => {
    expect(refusal(() => resolveConfig({ flags })).message).toBe(message);
  });

  test('an unknown key in the file names the closest one', () => {
    const file = { path: 'x/openchrome.json', ofOwner: true, content: { isolate: true } };
    expect(refusal(() => resolveConfig({ file })).message).toBe('x/openchrome.json has the unknown key "isolate"; did you mean isolated?');
  });

  test.each(['chromePath', 'chromeArg', 'token', 'allowOrigin', 'allowRoot', 'sandbox'])(
    "a working folder's file may not set %s",
    (key) => {
      const file = { path: 'x/openchrome.json', ofOwner: false, content: { [key]: 'evil' } };
      expect(refusal(() => resolveConfig({ file })).message).toContain(`x/openchrome.json may not set "${key}"`);
      expect(resolveConfig({ file: { ...file, content: { slim: true } } }).slim).toBe(true);
    },
  );

  test('a switch in the environment must be on or off', () => {
    expect(refusal(() => resolveConfig({ env: { OPENCHROME_SLIM: 'maybe' } })).message).toBe(
      'OPENCHROME_SLIM must be on or off, not "maybe".',
    );
  });
});
