// ${SECRET:NAME} in a call: the page and the server get the secret, and nobody else hears of it.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';

const TOKEN = 'q7/Zx?9&=kLm#42';
const PASSWORD = 'correct-horse-7';
const folder = mkdtempSync(join(tmpdir(), 'openchrome-secrets-'));
const file = join(folder, 'secrets.env');
writeFileSync(file, `TOKEN='${TOKEN}'\nPASSWORD=${PASSWORD}\nWAY_OUT=../../outside\n`);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const browser = useEngine(['--secrets', file]);
const seen: { url: string; headers: IncomingHttpHeaders }[] = [];
const site = useSite({
  '/': (request, response) => {
    seen.push({ url: request.url ?? '', headers: request.headers });
    response.writeHead(200, { 'content-type': 'text/html' }).end('<title>t</title><h1>Here</h1>');
  },
  '/inner': (request, response) => {
    const known = request.headers.authorization === `Basic ${Buffer.from(`ada:${PASSWORD}`).toString('base64')}`;
    response.writeHead(known ? 200 : 401, { 'content-type': 'text/html', 'www-authenticate': 'Basic realm="x"' }).end('<h1>Inside</h1>');
  },
});

/** Every reply of this file. */
const replies: string[] = [];
const call = async (name: string, args: object): Promise<string> => {
  const reply = await browser.reply(name, args);
  replies.push(JSON.stringify([reply.text, reply.notes, reply.failure?.toJSON()]));
  if (reply.failure) throw reply.failure;
  return reply.text ?? '';
};

/** All that lies under a folder, as text. */
const everythingIn = (path: string): string =>
  statSync(path).isDirectory()
    ? readdirSync(path)
        .map((name) => everythingIn(join(path, name)))
        .join('\n')
    : readFileSync(path, 'latin1');

describe('a secret', () => {
  test('goes into an address as one part of it', async () => {
    await call('navigate', { url: `${site.origin}/?key=\${SECRET:TOKEN}&more=1` });
    expect(new URL(seen.at(-1)?.url ?? '', site.origin).searchParams.get('key')).toBe(TOKEN);
    await call('navigate', { url: `${site.origin}/\${SECRET:TOKEN}/x` });
    expect(await call('javascript_tool', { code: `location.pathname === ${JSON.stringify(`/${encodeURIComponent(TOKEN)}/x`)}` })).toBe(
      'true',
    );
  });

  test('goes into headers, cookies and storage', async () => {
    await call('request_intercept', { action: 'headers', url: '*', headers: { 'x-key': '${SECRET:TOKEN}' } });
    await call('navigate', { url: `${site.origin}/` });
    await call('cookies', { action: 'set', name: 'pass', value: '${SECRET:PASSWORD}' });
    await call('storage', { action: 'set', key: 'pass', value: '${SECRET:PASSWORD}' });
    await call('navigate', { action: 'reload' });
    expect(seen.at(-1)?.headers).toMatchObject({ 'x-key': TOKEN, cookie: `pass=${PASSWORD}` });
    expect(await call('javascript_tool', { code: `localStorage.pass === '\${SECRET:PASSWORD}'` })).toBe('true');
    for (const tool of ['cookies', 'storage', 'network']) await call(tool, {});
    await call('request_intercept', { action: 'list' });
    await call('request_intercept', { action: 'clear' });
  });

  test('opens a page that asks for a password', async () => {
    await call('http_auth', { username: 'ada', password: '${SECRET:PASSWORD}', origin: site.origin });
    await call('navigate', { url: `${site.origin}/inner` });
    expect(await call('javascript_tool', { code: 'document.querySelector("h1").textContent' })).toBe('Inside');
  });

  test('is not handed to a task, which keeps on disk what it works with', async () => {
    const args = { url: `${site.origin}/?key=\${SECRET:TOKEN}`, max_pages: 1 };
    const { task_id } = JSON.parse(await call('oc_task_start', { kind: 'crawl', args })) as { task_id: string };
    const end = await call('oc_task_wait', { task_id, timeout_ms: 20_000 });
    expect(end).toContain('takes no secrets as a task');
    expect(await call('oc_journal', { action: 'recent' })).toContain('${SECRET:TOKEN}');
    await call('crawl', args);
    expect(new URL(seen.at(-1)?.url ?? '', site.origin).searchParams.get('key')).toBe(TOKEN);
  });

  test('never takes part in a path', async () => {
    const path = join(browser.home, '${SECRET:WAY_OUT}.pdf');
    await expect(call('page_pdf', { path })).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  test('that does not exist is refused, with the names that do', async () => {
    for (const [tool, args] of [
      ['cookies', { action: 'set', name: 'a', value: '${SECRET:NONE}' }],
      ['navigate', { url: `${site.origin}/\${SECRET:NONE}` }],
    ] as const) {
      const failure = await browser.failure(tool, args);
      expect(failure).toMatchObject({ code: 'invalid_argument', available: ['TOKEN', 'PASSWORD', 'WAY_OUT'] });
    }
  });

  test('is in no reply, and in no file of ours', () => {
    const files = readdirSync(browser.home).filter((name) => name !== 'run' && name !== 'profile');
    expect(files).toContain('journal');
    const said = [...replies, ...files.map((name) => everythingIn(join(browser.home, name)))].join('\n');
    expect(said).toContain('${SECRET:PASSWORD}');
    for (const secret of [TOKEN, encodeURIComponent(TOKEN), PASSWORD, Buffer.from(`ada:${PASSWORD}`).toString('base64')]) {
      expect(said).not.toContain(secret);
    }
  });
});
