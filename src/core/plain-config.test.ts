// Settings that need no check are resolved without schemas, with the same result.
import readSettings from 'plain-settings';
import { expect, it } from 'vitest';
import { resolveConfig } from './config.ts';
import { findPlainConfig } from './plain-config.ts';

it.each([
  [[]],
  [['--headless', '--isolated', '--no-sandbox']],
  [['--no-headless', '--headless', '--no-hints']],
  [['--chrome-path', '/a', '--chrome-path=/b=c']],
  [['--chrome-arg=--no-sandbox', '--chrome-arg', '--lang=de', '--allow-domains', 'a.example']],
  [['--shared', '--secrets', 'file.env', '--allow-reveal']],
])('%j gives the same configuration as with the schemas', (flags) => {
  expect(findPlainConfig(readSettings(), flags, { HOME: '/x' })).toStrictEqual(
    resolveConfig({ flags }),
  );
});

it.each([
  [['--no-such-flag']],
  [['constructor']],
  [['serve']],
  [['--chrome-path']],
  [['--chrome-path=']],
  [['--headless=off']],
  [['--no-chrome-path']],
  [['--http', '1']],
  [['--viewport', '1x1']],
  [['--login', 'name']],
  [['--policy', '[]']],
  [['--proxy', 'http://a.example']],
])('%j is left to the schemas', (flags) => {
  expect(findPlainConfig(readSettings(), flags, {})).toBeUndefined();
});

it('variables are left to the schemas, unless they are empty', () => {
  expect(findPlainConfig(readSettings(), [], { OPENCHROME_SLIM: '1' })).toBeUndefined();
  expect(findPlainConfig(readSettings(), [], { CHROME_PATH: '/a' })).toBeUndefined();
  expect(findPlainConfig(readSettings(), [], { OPENCHROME_SLIM: '' })).toStrictEqual(
    resolveConfig({}),
  );
});
