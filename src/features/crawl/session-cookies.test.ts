// Tests of session-cookies.ts: which cookies a fetch sends to which address.
import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../policy/redact.ts';
import { Session } from '../../browser/tabs/session.ts';
import type { Browser } from '../../browser/browser.ts';
import type { Cookie } from '../../browser/state/cookies.ts';
import type { ScopeKind } from './crawl-options.ts';
import { findRegistrableDomain } from './registrable-domain.ts';
import { Scope } from './scope.ts';
import { SessionCookies } from './session-cookies.ts';

const cookie = (name: string, given: Partial<Cookie> = {}): Cookie => ({
  ...{
    name,
    value: 'v',
    domain: 'app.example.com',
    path: '/',
    expires: -1,
    httpOnly: true,
    secure: false,
  },
  ...given,
});

const START = 'https://app.example.com/start';

const cookiesOf = (
  cookies: readonly Cookie[],
  kind: ScopeKind = 'origin',
  bases: readonly string[] = [],
): SessionCookies => {
  const scope = new Scope({
    kind,
    include: [],
    exclude: [],
    registrableDomain: findRegistrableDomain,
  });
  for (const base of [START, ...bases]) scope.addBase(base);
  const browser = { readCookies: () => Promise.resolve(cookies) } as unknown as Browser;
  const session = new Session('default', { redactor: createRedactor([]) });
  return new SessionCookies({
    browser,
    session,
    start: START,
    scope,
    signal: new AbortController().signal,
  });
};

describe('a fetch sends', () => {
  it.each([
    ['its host', {}, 'https://app.example.com/', true],
    ['another host', { domain: 'www.example.com' }, 'https://app.example.com/', false],
    ['the domain', { domain: '.example.com' }, 'https://app.example.com/', true],
    ['a domain that only ends alike', { domain: '.ample.com' }, 'https://app.example.com/', false],
    ['its path', { path: '/docs' }, 'https://app.example.com/docs/a', true],
    ['a path that only starts alike', { path: '/docs' }, 'https://app.example.com/docs2', false],
    ['TLS alone', { secure: true }, 'https://app.example.com/', true],
    ['the past', { expires: 1000 }, 'https://app.example.com/', false],
    ['the same site', { sameSite: 'Strict' }, 'https://app.example.com/', true],
    [
      'a frame of another site',
      { partition: 'https://other.example' },
      'https://app.example.com/',
      false,
    ],
  ] as const)('a cookie of %s or does not (%j)', async (_, given, url, sent) => {
    expect(await cookiesOf([cookie('a', given)]).headerFor(url)).toBe(sent ? 'a=v' : undefined);
  });

  it('no Secure cookie without TLS, and no Strict cookie to another scheme', async () => {
    const cookies = cookiesOf(
      [cookie('s', { secure: true }), cookie('t', { sameSite: 'Strict' }), cookie('l')],
      'host',
    );
    expect(await cookies.headerFor('http://app.example.com/')).toBe('l=v');
  });

  it('cookies of longer paths first', async () => {
    const cookies = cookiesOf([
      cookie('a'),
      cookie('b', { path: '/x/y' }),
      cookie('c', { path: '/x' }),
    ]);
    expect(await cookies.headerFor('https://app.example.com/x/y')).toBe('b=v; c=v; a=v');
  });
});

describe('a fetch sends no cookies', () => {
  const everywhere = ['app.example.com', 'www.example.com', 'other.example', '.example.com'].map(
    (domain) => cookie('a', { domain }),
  );

  it.each([
    ['origin', 'https://app.example.com:8443/'],
    ['origin', 'http://app.example.com/'],
    ['origin', 'https://www.example.com/'],
    ['host', 'https://www.example.com/'],
    ['domain', 'https://other.example/'],
    ['any', 'https://other.example/'],
    ['any', 'https://www.example.com/'],
  ] as const)('in the scope %s to %s', async (kind, url) => {
    expect(await cookiesOf(everywhere, kind).headerFor(url)).toBeUndefined();
  });

  it('to another site, even if the start was redirected there', async () => {
    expect(
      await cookiesOf(everywhere, 'origin', ['https://other.example/']).headerFor(
        'https://other.example/',
      ),
    ).toBeUndefined();
  });

  it('after a redirect that left the scope', async () => {
    const cookies = cookiesOf(everywhere);
    expect(await cookies.headerFor(START, ['https://other.example/'])).toBeUndefined();
    expect(await cookies.headerFor(START, [START])).toBe('a=v; a=v');
  });
});
