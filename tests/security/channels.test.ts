// Secrets in the output of the engine: every tool uses a page full of secrets, then all replies and
// files are searched for them.
import { execFile } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';
import { makeDaemonHome } from '../frontends/servers.ts';

/**
 * Secrets from the secrets file, recognised by their form, recognised by their field name, or typed
 * by a person.
 */
const TOLD = 'zebra-K9-told-to-the-server';
// in pieces, so that no scanner takes it for a real one
const FORMED = ['ghp', 'Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2'].join('_');
const NAMED = 'n4m3d0f1e2d3c4b5a6978877';
const TYPED = 'Typed-by-hand-0815';
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJlLW9mLWEtdG9rZW4';
const SECRETS = {
  TOLD,
  'TOLD in an address': encodeURIComponent(TOLD),
  'TOLD in base64': Buffer.from(TOLD).toString('base64').slice(0, 32),
  FORMED,
  NAMED,
  TYPED,
  JWT,
};

const folder = mkdtempSync(join(tmpdir(), 'openchrome-channels-'));
const file = join(folder, 'secrets.env');
writeFileSync(file, `TOLD@127.0.0.1=${TOLD}\n`);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const PAGE = `<!doctype html><title>Account ${TOLD} ${FORMED}</title><h1>Account ${FORMED}</h1><p id=p>The key is ${TOLD} and ${JWT}.</p>
<a href="/next?access_token=${NAMED}">Next</a><img alt="${FORMED}" src="/x.png?token=${NAMED}"><!-- ${TOLD} -->
<table><tr><th>Name<th>api_key<tr><td>ada<td>${FORMED}</table>
<form><label>User <input name=user value=ada></label><label>Password <input type=password name=password></label><label>Key <input name=api_key value="${FORMED}"></label></form>
<script>document.cookie = 'session_token=${NAMED}'; localStorage.access_token = '${NAMED}'; localStorage.plain = '${FORMED}';
console.log('token ${FORMED}', { password: '${NAMED}' }); console.error('Bearer ${JWT}');
fetch('/api?access_token=${NAMED}', { method: 'POST', headers: { authorization: 'Bearer ${JWT}', 'x-api-key': '${NAMED}' }, body: JSON.stringify({ password: '${NAMED}', note: '${TOLD}' }) });
setTimeout(() => { throw new Error('failed with ${TOLD} ${FORMED}') });</script>`;

const answer =
  (body: string, type = 'text/html') =>
  (_: unknown, response: import('node:http').ServerResponse): void =>
    void response
      .writeHead(200, { 'content-type': type, 'set-cookie': `sid=${NAMED}; HttpOnly` })
      .end(body);
const site = useSite({
  '/': answer(PAGE),
  '/next': answer(`<title>Next</title><p>${TOLD} ${FORMED}</p>`),
  '/api': answer(
    JSON.stringify({ access_token: NAMED, note: TOLD, jwt: JWT, user: { password: NAMED } }),
    'application/json',
  ),
});

const everyFileIn = (path: string): string[] =>
  lstatSync(path).isSymbolicLink()
    ? []
    : statSync(path).isDirectory()
      ? readdirSync(path).flatMap((name) => everyFileIn(join(path, name)))
      : [path];

/** As text, archives unpacked. */
const contentOf = (path: string): string => {
  const bytes = readFileSync(path);
  return (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('latin1');
};

/** The location of each secret. */
const leaks = (said: Iterable<readonly [where: string, text: string]>): string[] =>
  [...said].flatMap(([where, text]) =>
    Object.entries(SECRETS).flatMap(([name, secret]) =>
      text.includes(secret) ? [`${name}: ${where}`] : [],
    ),
  );

/** What holds logins by purpose, for its owner alone, and what Chrome itself keeps. */
const DOCUMENTED = /^(?:profile|snapshots|run)(?:\/|$)|^login\.json$|\.(?:png|jpe?g|webp|pdf)$/;

const leaksIn = (home: string): string[] =>
  leaks(
    everyFileIn(home)
      .filter((path) => !DOCUMENTED.test(relative(home, path)))
      .map((path) => [relative(home, path), contentOf(path)] as const),
  );

describe('an engine that has seen secrets in a page, its cookies, headers, addresses and forms', () => {
  const engine = useEngine(['--secrets', file, '--log-level', 'debug']);
  const said: [string, string][] = [];
  const logged: string[] = [];
  const call = async (name: string, args: object = {}): Promise<string> => {
    const { text = '', notes, failure } = await engine.reply(name, args);
    said.push([
      `${name} ${JSON.stringify(args).slice(0, 80)}`,
      JSON.stringify([text, notes, failure]),
    ]);
    return text;
  };

  beforeAll(async () => {
    const write = vi
      .spyOn(process.stderr, 'write')
      .mockImplementation((text) => logged.push(String(text)) > 0);
    try {
      await call('navigate', { url: `${site.origin}/?access_token=${NAMED}` });
      await call('interact', { action: 'fill', selector: '[name=password]', value: TYPED });
      const { task_id: recording } = JSON.parse(
        await call('oc_task_start', { kind: 'recording', args: { duration_ms: 60_000 } }),
      ) as {
        task_id: string;
      };
      await call('fill_form', {
        fields: [
          { name: 'password', value: '${SECRET:TOLD}' },
          { name: 'user', value: '${SECRET:TOLD}' },
        ],
      });
      await call('interact', { action: 'type', selector: '[name=password]', value: TYPED });
      for (const mode of ['ax', 'dom', 'css', 'markdown']) await call('read_page', { mode });
      await call('read_page', { output_mode: 'handle' });
      await call('page_content', { output_mode: 'handle' });
      const { output_handle } = JSON.parse(
        await call('network', { raw: true, output_mode: 'handle' }),
      ) as { output_handle: string };
      await call('oc_output_fetch', { output_handle });
      await call('oc_output_fetch', { output_handle, query: '@' });
      for (const [name, args] of [
        ['page_content', {}],
        ['find', { query: FORMED }],
        ['find', { query: 'Password' }],
        ['find', { query: `no such ${FORMED}` }],
        ['inspect', {}],
        ['inspect', { selector: '[name=api_key]' }],
        ['console', {}],
        ['network', {}],
        ['network', { raw: true, all: true }],
        ['network', { format: 'lines' }],
        ['network', { describe: true }],
        ['network', { har: join(engine.home, 'export.har') }],
        ['network', { detail: `POST 127.0.0.1:${site.port}/api`, raw: true }],
        ['network', { replay: `POST 127.0.0.1:${site.port}/api`, confirm: true }],
        ['cookies', { all: true }],
        ['storage', {}],
        ['storage', { action: 'get', key: 'plain' }],
        ['storage', { action: 'save', path: join(engine.home, 'login.json') }],
        ['javascript_tool', { code: 'document.cookie' }],
        ['javascript_tool', { code: 'document.documentElement.outerHTML' }],
        ['javascript_tool', { code: `throw new Error(document.title)` }],
        [
          'extract_data',
          {
            schema: {
              type: 'object',
              properties: { name: { type: 'string' }, api_key: { type: 'string' } },
            },
          },
        ],
        ['validate_page', { url: `${site.origin}/?token=${NAMED}` }],
        ['performance', {}],
        ['wait_for', { text: TOLD, timeout_ms: 500 }],
        ['wait_for', { text: `never ${FORMED}`, timeout_ms: 300 }],
        ['tabs_context', {}],
        ['navigate', { url: `http://127.0.0.1:1/?access_token=${NAMED}` }],
        ['navigate', { url: `ftp://user:${FORMED}@host/` }],
        [`no such ${FORMED} ${TOLD}`, { [FORMED]: TOLD }],
        ['read_page', { mode: FORMED }],
        ['navigate', { url: `${site.origin}/` }],
        ['oc_evidence_bundle', { path: join(engine.home, 'proof.tar.gz') }],
        ['oc_session_snapshot', { name: 'mine', objective: `with ${TOLD}` }],
        ['oc_session_resume', { list: true }],
        ['crawl', { url: `${site.origin}/?access_token=${NAMED}`, max_pages: 3 }],
        [
          'crawl',
          {
            url: `${site.origin}/?access_token=${NAMED}`,
            max_pages: 2,
            output_format: 'html',
            output_mode: 'handle',
          },
        ],
        ['crawl', { url: `${site.origin}/?access_token=${NAMED}`, max_pages: 2, render: 'always' }],
      ] as const)
        await call(name, args);
      const { task_id } = JSON.parse(
        await call('oc_task_start', {
          kind: 'crawl',
          args: { url: `${site.origin}/?access_token=${NAMED}`, max_pages: 3 },
        }),
      ) as { task_id: string };
      await call('oc_task_wait', { task_id, timeout_ms: 20_000 });
      await call('oc_task_get', { task_id, include_result: true });
      await call('oc_task_cancel', { task_id: recording });
      await call('oc_task_wait', { task_id: recording, timeout_ms: 20_000 });
      await call('oc_task_list');
      await call('oc_journal', { action: 'recent', count: 100 });
      await call('oc_journal', { action: 'summary' });
      await call('oc_connection_health');
    } finally {
      write.mockRestore();
    }
  }, 90_000);

  it('shows none of them in any reply, note or failure', () => {
    expect(said.length).toBeGreaterThan(50);
    expect(leaks(said)).toEqual([]);
  });

  it('writes none of them into any file: journal, handles, tasks, crawled pages, captures, exports, recordings, evidence', () => {
    const files = everyFileIn(engine.home).map((path) => relative(engine.home, path));
    for (const kind of [
      /^journal\//,
      /^output\//,
      /^tasks\/.+\/pages\.jsonl$/,
      /^cache\//,
      /^export\.har$/,
      /^recordings\//,
      /^proof\.tar\.gz$/,
    ])
      expect(
        files.some((name) => kind.test(name)),
        String(kind),
      ).toBe(true);
    expect(leaksIn(engine.home)).toEqual([]);
  });

  it('logs none of them', () => {
    expect(leaks(logged.map((line) => ['log', line]))).toEqual([]);
  });

  it('keeps the files with logins, and everything else, from other users', () => {
    const open = (path: string): string[] => {
      if (lstatSync(path).isSymbolicLink()) return [];
      const { mode } = statSync(path);
      const below = statSync(path).isDirectory()
        ? readdirSync(path).flatMap((name) => open(join(path, name)))
        : [];
      // What Chrome writes into its own folders lies behind their 0700.
      const ofChrome = /^(?:profile|downloads|run)\//.test(relative(engine.home, path));
      return [
        ...((mode & 0o077) !== 0 && !ofChrome
          ? [`${relative(engine.home, path)} ${(mode & 0o777).toString(8)}`]
          : []),
        ...below,
      ];
    };
    expect(existsSync(join(engine.home, 'login.json'))).toBe(true);
    expect(readdirSync(join(engine.home, 'snapshots')).length).toBe(1);
    if (process.platform !== 'win32') expect(open(engine.home)).toEqual([]);
  });
});

describe('the command line and its daemon', () => {
  const BINARY =
    process.env['OPENCHROME_BINARY'] ??
    fileURLToPath(new URL('../../dist/index.js', import.meta.url));

  it('show and log none of them, and keep their files to their owner', async () => {
    if (!existsSync(BINARY)) throw new Error('Run "npm run build" first.');
    const home = await makeDaemonHome();
    const env = {
      ...process.env,
      OPENCHROME_HOME: home,
      OPENCHROME_HEADLESS: '1',
      OPENCHROME_ISOLATED: '1',
      OPENCHROME_SECRETS: file,
      OPENCHROME_LOG_LEVEL: 'debug',
    };
    const run = (...args: string[]): Promise<[string, string]> =>
      new Promise((resolve) => {
        const child = execFile(
          process.execPath,
          [BINARY, ...args],
          { cwd: folder, env },
          (_, stdout, stderr) => resolve([args.join(' ').slice(0, 60), stdout + stderr]),
        );
        child.stdin?.end();
      });
    const said = [await run('browser', 'open', `${site.origin}/?access_token=${NAMED}`)];
    for (const args of [
      ['browser', 'network', '--raw'],
      ['browser', 'console'],
      ['call', 'read_page'],
      ['call', 'page_content'],
      ['browser', 'get', 'title'],
      ['browser', 'open', `http://127.0.0.1:1/?access_token=${NAMED}`],
      ['daemon', 'status'],
      ['daemon', 'logs'],
    ])
      said.push(await run(...args));
    expect(said.map(([, text]) => text).join('')).toContain('[redacted]');
    expect(leaks(said)).toEqual([]);
    expect(leaksIn(home)).toEqual([]);
    const { token } = JSON.parse(readFileSync(join(home, 'daemon.json'), 'utf8')) as {
      token: string;
    };
    for (const [where, text] of said) expect(text, where).not.toContain(token);
    if (process.platform === 'win32') return;
    for (const name of ['', 'daemon.json', 'daemon.log', 'journal'])
      expect((statSync(join(home, name)).mode & 0o077).toString(8), name).toBe('0');
  });
});
