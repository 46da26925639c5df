// http_auth: the right server gets the password, no other does, and it is never shown.
import { readFile, readdir } from 'node:fs/promises';
import type { ServerResponse, IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';

const browser = useEngine();

/** A page behind basic authentication that shows who came in. */
const guarded =
  (seen: (string | undefined)[]) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    const { authorization } = request.headers;
    seen.push(authorization);
    const [user, password] = Buffer.from((authorization ?? '').replace('Basic ', ''), 'base64')
      .toString()
      .split(':');
    const known = user === 'ada' && password === 'correct-horse-7';
    response.writeHead(known ? 200 : 401, {
      'content-type': 'text/html',
      ...(known ? {} : { 'www-authenticate': 'Basic realm="inner"' }),
    });
    response.end(known ? `<h1>Welcome ${user}</h1>` : '<h1>Keep out</h1>');
  };

const seenHere: (string | undefined)[] = [];
const seenThere: (string | undefined)[] = [];
const here = useSite({ '/': guarded(seenHere) });
const there = useSite({ '/': guarded(seenThere), '/plain': '<h1>Open</h1>' });

const heading = (): Promise<string> =>
  browser.text('javascript_tool', { code: 'document.querySelector("h1").textContent' });

const notOpened = async (url: string): Promise<void> => {
  const failure = await browser.failure('navigate', { url });
  expect(failure).toMatchObject({
    code: 'navigation_failed',
    net_error: 'ERR_INVALID_AUTH_CREDENTIALS',
    retryable: false,
  });
  expect(failure.hint).toContain('http_auth');
};

describe('http_auth', () => {
  test('a page that requires a password is not opened without one, and the failure has the next step', () =>
    notOpened(`${here.origin}/`));

  test.each([undefined, 'Bearer realm="inner"', 'Bearer error="Basic"'])(
    'a page that refuses without asking for a password is shown, with its status: %s',
    async (challenge) => {
      const url = there.page('/refused', (_, response) => {
        response.writeHead(401, {
          'content-type': 'text/html',
          ...(challenge === undefined ? {} : { 'www-authenticate': challenge }),
        });
        response.end('<h1>Sign in first</h1>');
      });
      expect(await browser.json('navigate', { url })).toMatchObject({ status: 401 });
      expect(await heading()).toBe('Sign in first');
    },
  );

  test('a wrong password is offered once', async () => {
    seenHere.length = 0;
    await browser.json('http_auth', {
      origin: here.origin,
      username: 'ada',
      password: 'wrong-horse-8',
    });
    await notOpened(`${here.origin}/`);
    expect(seenHere).toHaveLength(2);
  });

  test('the right one replaces it and lets the page in', async () => {
    expect(
      await browser.json('http_auth', {
        origin: `${here.origin}/some/page`,
        username: 'ada',
        password: 'correct-horse-7',
      }),
    ).toEqual({
      credentials: [{ origin: here.origin, username: 'ada' }],
    });
    expect(await browser.json('navigate', { url: `${here.origin}/` })).toMatchObject({
      status: 200,
    });
    expect(await heading()).toBe('Welcome ada');
  });

  test('another origin does not get it', async () => {
    await notOpened(`${there.origin}/`);
    expect(seenThere.every((authorization) => authorization === undefined)).toBe(true);
  });

  test('the origin of the page is the default', async () => {
    await browser.json('navigate', { url: `${there.origin}/plain` });
    expect(
      await browser.json('http_auth', { username: 'ada', password: 'correct-horse-7' }),
    ).toMatchObject({
      credentials: [{ origin: here.origin }, { origin: there.origin }],
    });
    expect(await browser.json('navigate', { url: `${there.origin}/` })).toMatchObject({
      status: 200,
    });
  });

  test('cleared credentials are not sent any more', async () => {
    expect(
      await browser.json('http_auth', { action: 'clear', origin: there.origin }),
    ).toMatchObject({ cleared: 1 });
    expect(await browser.json('http_auth', { action: 'clear' })).toMatchObject({
      cleared: 1,
      credentials: [],
    });
    expect(await browser.json('http_auth', { action: 'list' })).toEqual({ credentials: [] });
  });

  test('the password is in no reply and not in the journal', async () => {
    const requests = await browser.text('network');
    const files = await readdir(join(browser.home, 'journal'));
    const journal = (
      await Promise.all(files.map((file) => readFile(join(browser.home, 'journal', file), 'utf8')))
    ).join('');
    expect(journal).toContain('http_auth');
    expect(journal + requests).not.toContain('correct-horse-7');
    expect(journal + requests).not.toContain(Buffer.from('ada:correct-horse-7').toString('base64'));
  });

  test.each([
    [{ username: 'ada' }, 'password'],
    [{ password: 'x' }, 'username'],
    [{ username: 'ada', password: 'x', origin: 'nonsense' }, 'origin'],
    [{ username: 'ada', password: 'x', origin: 'file:///etc' }, 'origin'],
    [{ action: 'forget' }, 'action'],
  ])('%j is refused', async (args, argument) => {
    expect(await browser.failure('http_auth', args)).toMatchObject({
      code: 'invalid_argument',
      argument,
    });
  });

  test('on a blank tab the origin must be named', async () => {
    await browser.json('tabs', { action: 'new' });
    expect(await browser.failure('http_auth', { username: 'ada', password: 'x' })).toMatchObject({
      code: 'invalid_argument',
      argument: 'origin',
    });
  });
});
