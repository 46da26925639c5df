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
