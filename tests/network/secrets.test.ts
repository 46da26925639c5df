// Secrets in URLs, headers and bodies: never shown or stored, except with --allow-reveal.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type TestEngine, useEngine } from '../fixtures.ts';
import { complaintsAboutHar } from './har-schema.ts';
import { useNetworkSite } from './site.ts';

const site = useNetworkSite();
const engine = useEngine();
const trusting = useEngine(['--allow-reveal']);
const SECRETS = /abc0123456789def|hunter2|verysecret|s3cr3t-in-form|Bearer [a-z]/;

const visit = async (which: TestEngine): Promise<void> => {
  await which.text('navigate', { url: `${site.origin}/` });
  await which.text('javascript_tool', {
    code: `document.cookie = 'sid=verysecret';
      await (await fetch('/login?token=abc0123456789def', { headers: { authorization: 'Bearer abc0123456789def' } })).json();
      await fetch('/echo?form', { method: 'POST', body: new URLSearchParams({ user: 'ada', password: 's3cr3t-in-form' }) });
      const form = new FormData(); form.append('user', 'ada'); form.append('password', 's3cr3t-in-form');
      await fetch('/echo?multipart', { method: 'POST', body: form }); 1`,
  });
};
const login = (): string => `GET 127.0.0.1:${site.port}/login`;

beforeAll(async () => {
  await visit(engine);
  await visit(trusting);
});

describe('a secret', () => {
  it.each([
    {},
    { raw: true },
    { format: 'lines' },
    { detail: 'login' },
    { detail: 'login', raw: true },
    { detail: 'login', path: '$.user.password' },
    { detail: 'login', path: '$.user' },
    { detail: 'login', max_body: 20 },
    { detail: 'POST', raw: true },
    { detail: 'POST#2', raw: true },
    { replay: 'login' },
    { replay: 'login', path: '$.user.password' },
    { describe: true },
  ])('is not shown by %j', async (args: { detail?: string; replay?: string }) => {
    const keys: Record<string, string> = {
      login: login(),
      POST: `POST 127.0.0.1:${site.port}/echo`,
      'POST#2': `POST 127.0.0.1:${site.port}/echo#2`,
    };
    const named = {
      ...args,
      ...(args.detail ? { detail: keys[args.detail] } : {}),
      ...(args.replay ? { replay: keys[args.replay] } : {}),
    };
    const text = await engine.text('network', named);
    expect(text).not.toMatch(SECRETS);
  });

  it('is hidden by name, and other values stay', async () => {
    expect(await engine.json('network', { detail: login(), raw: true })).toMatchObject({
      url: `${site.origin}/login?token=[redacted]`,
      body: { access_token: '[redacted]', user: { name: 'ada', password: '[redacted]' } },
      request: { headers: { authorization: '[redacted]', cookie: '[redacted]' } },
      response_headers: { 'set-cookie': '[redacted]' },
    });
    expect(
      await engine.json('network', { detail: `POST 127.0.0.1:${site.port}/echo#2` }),
    ).toMatchObject({
      request: {
        body: [
          { name: 'user', value: 'ada' },
          { name: 'password', value: '[redacted]' },
        ],
      },
    });
  });

  it('is not stored: not in the capture, not in an exported file, not in the journal', async () => {
    await engine.text('network');
    const har = join(engine.home, 'export.har');
    await engine.text('network', { har });
    const files = [join(engine.home, 'cache', 'browser-network', 'browser_default.json'), har];
    const journal = join(engine.home, 'journal');
    for (const name of await readdir(journal)) files.push(join(journal, name));
    for (const file of files) {
      const lines = (await readFile(file, 'utf8'))
        .split('\n')
        .filter((line) => !line.includes('"javascript_tool"'));
      expect(lines.join('\n')).not.toMatch(SECRETS);
    }
    const exported = JSON.parse(await readFile(har, 'utf8')) as { log: { entries: unknown[] } };
    expect(complaintsAboutHar(exported)).toEqual([]);
    expect(exported.log.entries.length).toBeGreaterThanOrEqual(4);
  });

  it('is not revealed on a server without --allow-reveal', async () => {
    expect(await engine.failure('network', { detail: login(), reveal: true })).toMatchObject({
      code: 'reveal_not_allowed',
    });
  });

  it('is revealed on a server with --allow-reveal, only in the reply', async () => {
    expect(
      await trusting.json('network', { detail: login(), path: '$.user.password', reveal: true }),
    ).toMatchObject({ body: 'hunter2' });
    expect(await trusting.text('network', { raw: true, reveal: true })).toMatch(
      /token=abc0123456789def/,
    );
    expect(await trusting.text('network', { raw: true })).not.toMatch(SECRETS);
    expect(
      await readFile(
        join(trusting.home, 'cache', 'browser-network', 'browser_default.json'),
        'utf8',
      ),
    ).not.toMatch(SECRETS);
  });
});

describe('a file', () => {
  it('is written only where tools may write', async () => {
    expect(await engine.failure('network', { har: '/etc/openchrome.har' })).toMatchObject({
      code: 'file_not_allowed',
    });
  });
});
