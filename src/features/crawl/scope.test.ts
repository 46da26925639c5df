// Tests of scope.ts.
import { getDomain } from 'tldts';
import { describe, expect, it } from 'vitest';
import type { ScopeKind } from './crawl-options.ts';
import { Scope } from './scope.ts';

const scope = (kind: ScopeKind, globs: { include?: string[]; exclude?: string[] } = {}): Scope => {
  const made = new Scope({
    kind,
    include: [],
    exclude: [],
    ...globs,
    registrableDomain: (host) => getDomain(host, { allowPrivateDomains: true }),
  });
  made.addBase('https://www.a.co.uk/docs/');
  return made;
};

it.each<[ScopeKind, string, boolean]>([
  ['origin', 'https://www.a.co.uk/x', true],
  ['origin', 'http://www.a.co.uk/x', false],
  ['origin', 'https://www.a.co.uk:8443/x', false],
  ['host', 'http://www.a.co.uk:8080/x', true],
  ['host', 'https://a.co.uk/', false],
  ['domain', 'https://shop.a.co.uk/', true],
  ['domain', 'https://b.co.uk/', false],
  ['domain', 'https://a.co.uk.evil.test/', false],
  ['any', 'https://b.test/', true],
])('by %s: %s is %s', (kind, address, holds) => {
  expect(scope(kind).holds(address)).toBe(holds);
});

it('also applies to the redirect target of the start', () => {
  const made = scope('origin');
  made.addBase('https://a.test/');
  expect(made.holds('https://a.test/x')).toBe(true);
});

it('keeps hosts of one provider apart', () => {
  const made = new Scope({
    kind: 'domain',
    include: [],
    exclude: [],
    registrableDomain: (host) => getDomain(host, { allowPrivateDomains: true }),
  });
  made.addBase('https://ada.github.io/');
  expect(made.holds('https://bob.github.io/')).toBe(false);
});

describe('globs', () => {
  it.each([
    ['/docs/*', '/docs/a', true],
    ['/docs/*', '/docs/a/b', false],
    ['/docs/**', '/docs/a/b', true],
    ['**/*.html', '/x/y.html', true],
    ['https://www.a.co.uk/blog/**', '/blog/2', true],
    ['/a.b', '/axb', false],
    ['/list?page=*', '/list?page=2', true],
  ])('%s and %s: %s', (glob, path, holds) => {
    expect(scope('origin', { include: [glob] }).holds(`https://www.a.co.uk${path}`)).toBe(holds);
  });

  it('exclude a URL even if it is included', () => {
    const made = scope('origin', { include: ['/docs/**'], exclude: ['**/old/**'] });
    expect(made.holds('https://www.a.co.uk/docs/old/x')).toBe(false);
    expect(made.holds('https://www.a.co.uk/docs/new/x')).toBe(true);
  });

  it('with many wildcards are refused', () => {
    expect(() => scope('origin', { include: ['*a'.repeat(30)] })).toThrow('too many wildcards');
  });
});
