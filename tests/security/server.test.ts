// The server against its surroundings: web pages of other origins, other users, working folders
// that came from somewhere, and what it is built of.
import { readFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CONFIG_FIELDS } from '../../src/core/config-fields.ts';
import { resolveConfig } from '../../src/core/config.ts';
import { readConfigFiles } from '../../src/store/config/config-file.ts';
import { useEngine, useSite } from '../fixtures.ts';
import { fixtureServer, startHttp } from '../frontends/servers.ts';
import { ROOT } from '../rules/sources.ts';

const TOKEN = 'a-token-of-this-test-0123456789';
const CALL = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'echo', arguments: { text: 'reached' } },
});

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Record<string, unknown>;
}

const send = (
  port: number,
  headers: Record<string, string>,
  { method = 'POST', path = '/mcp', body = CALL } = {},
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, method, path, headers }, (response) => {
      let text = '';
      response
        .on('data', (chunk: Buffer) => (text += chunk.toString()))
        .on('end', () =>
          resolve({ status: response.statusCode ?? 0, text, headers: response.headers }),
        );
    });
    sent.on('error', reject);
    sent.end(method === 'POST' ? body : undefined);
  });

describe('a web page of another origin', () => {
  const engine = useEngine();
  const site = useSite({ '/': '<title>Evil</title>' });

  it('reaches nothing with what browsers send without asking, and reads nothing', async () => {
    const { port } = await startHttp(await fixtureServer());
    const counted = async (): Promise<string> =>
      (await send(port, {}, { method: 'GET', path: '/metrics' })).text;
    await engine.text('navigate', { url: `${site.origin}/` });
    const tried = await engine.json<string[]>('javascript_tool', {
      code: `const to = 'http://127.0.0.1:${port}/mcp', body = ${JSON.stringify(CALL)};
        const ways = {
          plain: () => fetch(to, { method: 'POST', body, headers: { 'content-type': 'text/plain' } }),
          opaque: () => fetch(to, { method: 'POST', body, mode: 'no-cors' }),
          json: () => fetch(to, { method: 'POST', body, headers: { 'content-type': 'application/json' } }),
          get: () => fetch('http://127.0.0.1:${port}/metrics'),
          beacon: async () => { navigator.sendBeacon(to, body); throw 0; },
          form: async () => { const f = document.createElement('form'); f.method = 'POST'; f.enctype = 'text/plain'; f.action = to; f.target = 'x';
            const i = document.createElement('input'); i.name = body; f.append(i); const w = document.createElement('iframe'); w.name = 'x'; document.body.append(w, f);
            const done = new Promise((ok) => w.onload = ok); f.submit(); await done; throw 0; },
        };
        const read = [];
        for (const [name, way] of Object.entries(ways)) await way().then((r) => r.type === 'opaque' ? undefined : r.text().then((t) => read.push(name + t)), () => {});
        return read`,
    });
    expect(tried).toEqual([]);
    expect(await counted()).not.toContain('tool="echo"');
    await send(port, {});
    expect(await counted()).toContain('openchrome_calls_total{tool="echo",outcome="ok"} 1');
  });

  it('gets no preflight response, and no response for an origin that is similar to ours', async () => {
    const { port } = await startHttp(await fixtureServer());
    for (const origin of [
      'https://evil.example',
      'null',
      `http://localhost:${port}.evil.example`,
      `http://127.0.0.1:${port + 1}`,
      `https://127.0.0.1:${port}`,
      'chrome-extension://abc',
      'file://',
    ]) {
      for (const method of ['OPTIONS', 'POST', 'GET', 'DELETE']) {
        const answer = await send(
          port,
          { origin, 'access-control-request-method': 'POST' },
          { method },
        );
        expect(answer.status, `${method} ${origin}`).toBe(403);
        expect(answer.headers['access-control-allow-origin']).toBeUndefined();
      }
    }
  });

  it('gains nothing by a name that it makes point here', async () => {
    const { port } = await startHttp(await fixtureServer(), ['--token', TOKEN]);
    for (const host of [
      'rebound.evil.example',
      `rebound.evil.example:${port}`,
      '127.0.0.1.nip.io',
      'localhost.',
      '[::ffff:127.0.0.1].evil',
      '2130706433.evil.example',
    ]) {
      for (const path of ['/mcp', '/health', '/metrics', '/nowhere']) {
        const answer = await send(
          port,
          { host, authorization: `Bearer ${TOKEN}` },
          { path, method: path === '/mcp' ? 'POST' : 'GET' },
        );
        expect([400, 403], `${host} ${path}`).toContain(answer.status);
        expect(answer.text).not.toContain('reached');
      }
    }
  });
});

describe('a token', () => {
  it('is compared in constant time, and is in no response', async () => {
    const gate = readFileSync(join(ROOT, 'src/frontends/mcp/http/gate.ts'), 'utf8');
    expect(gate).toContain('timingSafeEqual(digest(given), expected)');
    const { port, stderr } = await startHttp(await fixtureServer(), [
      '--token',
      TOKEN,
      '--log-level',
      'debug',
    ]);
    for (const wrong of [
      '',
      TOKEN.slice(0, -1),
      `${TOKEN}0`,
      TOKEN.toUpperCase(),
      'x'.repeat(8000),
    ]) {
      const answer = await send(port, { authorization: `Bearer ${wrong}` });
      expect(answer.status).toBe(401);
      expect(answer.text + JSON.stringify(answer.headers)).not.toContain(TOKEN);
    }
    expect(stderr()).not.toContain(TOKEN);
  });
});

describe('the openchrome.json of a working folder', () => {
  it('may set what concerns convenience, and nothing else', () => {
    const open = Object.entries(CONFIG_FIELDS).flatMap(([key, field]) =>
      'ownerOnly' in field ? [] : [key],
    );
    expect(open.sort()).toEqual(
      [
        'allTools',
        'chromeIdleSeconds',
        'daemonIdleSeconds',
        'headed',
        'headless',
        'hints',
        'isolated',
        'logLevel',
        'outputHandleSweepIntervalSeconds',
        'outputMode',
        'slim',
        'structuredContent',
        'viewport',
      ].sort(),
    );
  });

  it('is rejected as a whole if it tries, by any trick of JSON', async () => {
    const [folder, home] = [
      mkdtempSync(join(tmpdir(), 'openchrome-work-')),
      mkdtempSync(join(tmpdir(), 'openchrome-home-')),
    ];
    onTestFinished(() => {
      for (const path of [folder, home]) rmSync(path, { recursive: true });
    });
    for (const text of [
      '{"chromePath":"/tmp/evil"}',
      '{"slim":true,"chromeArg":["--load-extension=/tmp/evil"]}',
      '{"__proto__":{"allowReveal":true},"allowReveal":true}',
      '{"__proto__":{"allowReveal":true}}',
      '{"allowPrivateNetwork":true}',
      '{"http":8080}',
      '{"shared":true}',
      '{"dialogs":"accept"}',
      '{"allowDomains":["*"]}',
      '{"constructor":{"prototype":{"sandbox":false}}}',
      '[]',
      '"x"',
      '{',
    ]) {
      writeFileSync(join(folder, 'openchrome.json'), text);
      await expect(
        (async () => resolveConfig(await readConfigFiles({ home, workingFolder: folder })))(),
        text,
      ).rejects.toMatchObject({
        code: 'invalid_argument',
      });
    }
    expect(({} as Record<string, unknown>)['allowReveal']).toBeUndefined();
  });
});

describe('the installed package', () => {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<
    string,
    Record<string, string> | undefined
  > & {
    scripts: Record<string, string>;
  };

  it('has no dependencies and runs nothing on installation', () => {
    for (const kind of [
      'dependencies',
      'optionalDependencies',
      'peerDependencies',
      'bundleDependencies',
    ])
      expect(Object.keys(manifest[kind] ?? {}), kind).toEqual([]);
    for (const script of ['preinstall', 'install', 'postinstall'])
      expect(manifest.scripts[script], script).toBeUndefined();
  });

  it('is built of packages of exact versions, each with its hash', () => {
    for (const [name, version] of Object.entries(manifest['devDependencies'] ?? {}))
      expect(version, name).toMatch(/^(?:npm:[\w@/-]+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/);
    const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { integrity?: string; link?: boolean }>;
    };
    for (const [path, { integrity, link }] of Object.entries(packages))
      if (path !== '' && !link) expect(integrity, path).toMatch(/^sha512-/);
  });

  it('downloads a Chrome only with a pinned hash', () => {
    expect(readFileSync(join(ROOT, 'src/browser/launch/embedded.ts'), 'utf8')).toMatch(
      /sha512:\s*'[A-Za-z0-9+/]{86}=='/,
    );
  });
});
