// crawl with the login of the session: fetches carry its cookies within the scope, and nowhere
// else.
import { beforeAll, expect, it } from 'vitest';
import type { CrawlResult } from '../../src/features/crawl/result.ts';
import { useEngine, useSite } from '../fixtures.ts';

const engine = useEngine();
const site = useSite();
const other = useSite();
/** The cookies that arrived, by path. */
const arrived = new Map<string, string | undefined>();

const member = (path: string, ...links: string[]): void =>
  void site.page(path, ({ headers }, response) => {
    arrived.set(path, headers.cookie);
    const text = headers.cookie?.includes('sid=')
      ? `<h1>Members: ${path}</h1>`
      : '<h1>Please log in</h1>';
    const list = links.map((to) => `<a href="${to}">${to}</a>`).join(' ');
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(`<!doctype html><title>${path}</title>${text}${list}`);
  });

const logIn = async (): Promise<void> => {
  const setCookie = [
    'sid=opaque; HttpOnly; SameSite=Strict',
    'deep=1; Path=/members/deep',
    'far=1; Path=/elsewhere',
  ];
  site.page(
    '/login',
    (_, response) =>
      void response
        .writeHead(200, { 'content-type': 'text/html', 'set-cookie': setCookie })
        .end('in'),
  );
  await engine.text('navigate', { url: `${site.origin}/login` });
};

beforeAll(() => {
  member('/members/', '/members/deep/page', '/members/leave', '/members/logout');
  member('/members/deep/page');
  member('/members/logout');
  site.page(
    '/members/leave',
    (_, response) => void response.writeHead(302, { location: `${other.origin}/landing` }).end(),
  );
  for (const path of ['/landing', '/robots.txt'])
    other.page(
      path,
      ({ headers }, response) =>
        void (arrived.set(`other ${path}`, headers.cookie ?? 'none'), response.end('other')),
    );
});

it('fetches pages without cookies before there is a login', async () => {
  const { pages, summary } = await engine.json<CrawlResult>('crawl', {
    url: `${site.origin}/members/`,
    max_pages: 1,
    render: 'fetch',
  });
  expect(pages[0]?.content).toContain('Please log in');
  expect(summary).not.toHaveProperty('sent_cookies');
});

it('fetches pages of its scope with the cookies of the session, reports it, and does not follow sign-out links', async () => {
  await logIn();
  const { pages, summary } = await engine.json<CrawlResult>('crawl', {
    url: `${site.origin}/members/`,
    render: 'fetch',
  });
  expect(pages).toMatchObject([
    {
      via: 'fetch',
      sent_cookies: true,
      content: expect.stringContaining('Members: /members/') as string,
    },
    {
      via: 'fetch',
      sent_cookies: true,
      content: expect.stringContaining('Members: /members/deep/page') as string,
    },
  ]);
  expect(summary).toMatchObject({ pages: 2, sent_cookies: 2, refused: { scope: 1, sign_out: 1 } });
  expect(arrived.get('/members/')).toBe('sid=opaque');
  expect(arrived.get('/members/deep/page')).toBe('deep=1; sid=opaque');
  expect(arrived.has('/members/logout')).toBe(false);
  expect(arrived.has('other /landing')).toBe(false);
});

it('sends no cookies to another origin, even if the scope is any', async () => {
  await logIn();
  await engine.json<CrawlResult>('crawl', {
    url: `${site.origin}/members/`,
    render: 'fetch',
    scope: 'any',
  });
  expect(arrived.get('/members/')).toContain('sid=opaque');
  expect(arrived.get('other /landing')).toBe('none');
  expect(arrived.get('other /robots.txt')).toBe('none');
});
