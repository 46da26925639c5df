// Rules for the failure table: every code is used, and no code is invented beside it.
import { expect, it } from 'vitest';
import { FAILURES } from '../../src/core/failure.ts';
import { shippedSources } from './sources.ts';

const TABLE = 'src/core/failure.ts';
const elsewhere = shippedSources()
  .filter(({ path }) => path !== TABLE)
  .map(({ text }) => text)
  .join('\n');

/** `internal` is made in the table's own file: it is what everything unknown becomes. */
it('has no code that nothing can fail with', () => {
  const unused = Object.keys(FAILURES).filter(
    (code) => code !== 'internal' && !elsewhere.includes(`'${code}'`),
  );
  expect(unused).toEqual([]);
});

it('has codes in lower_snake_case and hints that are sentences', () => {
  for (const [code, kind] of Object.entries(FAILURES)) {
    expect(code).toMatch(/^[a-z]+(?:_[a-z]+)*$/);
    if ('hint' in kind) expect(kind.hint).toMatch(/^[A-Z].*\.$/);
  }
});

/** The text of each call of `fail`, up to the end of its message. */
const failCalls = (text: string): string[] =>
  text
    .split(/\bfail\(\s*'/)
    .slice(1)
    .map((call) => call.slice(0, call.search(/`,|`\)|',\s*\n|;\n/) + 1));

const SUBSTITUTION = /\$\{[^}]*\}/g;
/** Values that a page or a server chooses. */
const CHOSEN = /\b(?:\w*url|title|exception\w*|answer\.error)\b/i;

it('quotes the addresses, titles and errors of pages in the messages of failures', () => {
  const unquoted = shippedSources()
    .filter(({ path }) => !path.startsWith('src/browser/cdp/') && !path.startsWith('src/page/'))
    .flatMap(({ path, text }) =>
      failCalls(text)
        .flatMap((call) => call.match(SUBSTITUTION) ?? [])
        .filter((part) => CHOSEN.test(part) && !/quoteText\(|JSON\.stringify\(/.test(part))
        .map((part) => `${path}: ${part}`),
    );
  expect(unquoted).toEqual([]);
});
