// What belongs to HTTP alone: the bare POST, the guards, sessions, limits, health and metrics, and
// the end of the server.
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect as connectSocket } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { fixtureServer, start, startHttp } from './servers.ts';

const TOKEN = 'a-token-of-sufficient-length';

const serve = async (...flags: string[]): ReturnType<typeof startHttp> =>
  startHttp(await fixtureServer(), flags);

let started: ReturnType<typeof startHttp> | undefined;
const ends: (() => Promise<void>)[] = [];
/** The server of the cases that need neither flags nor a server that was not used before. */
const shared = (): ReturnType<typeof startHttp> =>
  (started ??= fixtureServer().then((file) => startHttp(file, [], (end) => ends.push(end))));
afterAll(async () => {
  for (const end of ends) await end();
});

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly json: Record<string, unknown>;
}

/** node:http, because fetch sets headers of its own and forbids others. */
const send = (
  url: string,
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string | Buffer } = {},
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const request = httpRequest(
      new URL(path, url),
      { method: options.method ?? 'POST', headers: options.headers ?? {} },
      (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => {
          const isJson = response.headers['content-type'] === 'application/json';
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            json: (isJson ? JSON.parse(text) : {}) as Record<string, unknown>,
          });
        });
      },
    );
    request.once('error', reject);
    request.end(options.body);
  });

const message = (method: string, params?: object): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, ...(params ? { params } : {}) });
const notification = (method: string): string => JSON.stringify({ jsonrpc: '2.0', method });
const echo = message('tools/call', { name: 'echo', arguments: { text: 'hi' } });
const echoed = { jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: 'hi' }] } };
const BOTH = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
const initialize = message('initialize', {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 't', version: '1' },
});
const errorOf = (answer: Answer): Record<string, unknown> =>
  (answer.json['error'] as { data: Record<string, unknown> }).data;

describe('a bare POST', () => {
  it.each<[string, Record<string, string>]>([
    ['no Accept at all', {}],
    ['any', { accept: '*/*', 'content-type': 'application/x-www-form-urlencoded' }],
    ['text', { accept: 'text/html', 'content-type': 'text/plain' }],
    [
      'event streams',
      { accept: 'text/event-stream', 'content-type': 'application/json; charset=utf-8' },
    ],
    ['both', BOTH],
  ])('is answered in plain JSON for every Accept header: %s', async (_, headers) => {
    const { url } = await shared();
    const answer = await send(url, '/mcp', { headers, body: echo });
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json');
    expect(answer.json).toEqual(echoed);
  });

  it('can send every request that a session can', async () => {
    const { url } = await shared();
    const ask = async (method: string, params?: object): Promise<unknown> =>
      (await send(url, '/mcp/', { body: message(method, params) })).json;
    expect(await ask('ping')).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
    expect(await ask('initialize')).toMatchObject({
      result: { protocolVersion: '2025-11-25', serverInfo: { version: '1.2.3' } },
    });
    expect(await ask('tools/list')).toMatchObject({
      result: { tools: [{ name: 'echo' }, {}, {}, {}, {}, {}, {}] },
    });
    expect(await ask('resources/templates/list')).toMatchObject({
      result: { resourceTemplates: [] },
    });
    expect(await ask('resources/read', { uri: 'openchrome://output/oh_1' })).toMatchObject({
      result: { contents: [{ text: '{"stored":true}' }] },
    });
    expect(await ask('nonsense')).toMatchObject({ id: 1, error: { code: -32601 } });
  });

  it('is rejected with an error if it is invalid, and the server continues', async () => {
    const { url } = await shared();
    const post = (body: string): Promise<Answer> => send(url, '/mcp', { body });
    for (const body of ['', 'garbage', '{"jsonrpc":', '\u0000\u0001']) {
      expect(await post(body)).toMatchObject({
        status: 400,
        json: { jsonrpc: '2.0', id: null, error: { code: -32700, data: { code: 'bad_request' } } },
      });
    }
    for (const body of [
      'null',
      '5',
      '{}',
      '[]',
      '[1]',
      '{"jsonrpc":"2.0","id":{},"method":"ping"}',
      `[${'0,'.repeat(100)}0]`,
    ]) {
      expect(await post(body), body).toMatchObject({ status: 400 });
    }
    expect(await post('{"id":7,"method":"ping"}')).toMatchObject({
      status: 400,
      json: { id: 7, error: { code: -32600 } },
    });
    expect(await post(echo)).toMatchObject({ status: 200, json: echoed });
  });

  it('can contain several requests', async () => {
    const { url } = await shared();
    const answer = await send(url, '/mcp', {
      body: `[${echo},${notification('notifications/initialized')},${echo}]`,
    });
    expect(answer).toMatchObject({ status: 200, json: [echoed, echoed] });
  });

  it('of a notification is accepted without an answer', async () => {
    const { url } = await shared();
    expect(
      await send(url, '/mcp', { body: notification('notifications/initialized') }),
    ).toMatchObject({ status: 202, text: '' });
  });

  it('of an unknown protocol revision is rejected', async () => {
    const { url } = await shared();
    const answer = await send(url, '/mcp', {
      headers: { 'mcp-protocol-version': '2001-01-01' },
      body: echo,
    });
    expect(answer.status).toBe(400);
    expect(errorOf(answer)).toMatchObject({
      code: 'bad_request',
      supported: expect.arrayContaining(['2025-06-18']) as string[],
    });
  });

  it('is aborted when its client leaves', async () => {
    const { url } = await serve();
    const leave = new AbortController();
    const body = message('tools/call', { name: 'forever' });
    const running = fetch(`${url}/mcp`, { method: 'POST', body, signal: leave.signal });
    while (
      !(await send(url, '/metrics', { method: 'GET' })).text.includes('openchrome_calls_running 1')
    );
    leave.abort();
    await expect(running).rejects.toThrow();
    while (
      !(await send(url, '/metrics', { method: 'GET' })).text.includes(
        '{tool="forever",outcome="cancelled"} 1',
      )
    );
  });

  it('that requests progress gets a stream without a session', async () => {
    const { url } = await shared();
    const body = message('tools/call', {
      name: 'count',
      arguments: { to: 3 },
      _meta: { progressToken: 5 },
    });
    const answer = await send(url, '/mcp', { headers: BOTH, body });
    expect(answer.headers['content-type']).toBe('text/event-stream');
    const events = answer.text.matchAll(/^data: (.+)$/gm);
    expect([...events].map(([, data]) => JSON.parse(data ?? '') as unknown)).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: 5, progress: 1, total: 3, message: '1 of 3' },
      },
      {
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: 5, progress: 3, total: 3, message: '3 of 3' },
      },
      { jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: '{"counted":3}' }] } },
    ]);
  });
});

describe('limits', () => {
  it('rejects a body with a too large Content-Length before it is sent', async () => {
    const { port } = await serve('--max-request-bytes', '2048');
    const socket = connectSocket(port, '127.0.0.1');
    socket.write('POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999999999\r\n\r\n');
    const [head] = (await new Promise<Buffer>((resolve) => socket.once('data', resolve)))
      .toString()
      .split('\r\n');
    socket.destroy();
    expect(head).toBe('HTTP/1.1 413 Payload Too Large');
  });

  it('rejects a body that becomes too large while it arrives, and the server continues', async () => {
    const { url } = await serve('--max-request-bytes', '2048');
    const answer = await send(url, '/mcp', {
      headers: { 'transfer-encoding': 'chunked' },
      body: Buffer.alloc(3_000_000, 32),
    });
    expect(answer.status).toBe(413);
    expect(errorOf(answer)).toMatchObject({ code: 'payload_too_large' });
    expect(await send(url, '/mcp', { body: echo })).toMatchObject({ status: 200 });
  });

  it('survives bytes that are not HTTP', async () => {
    const { url, port } = await shared();
    const socket = connectSocket(port, '127.0.0.1');
    socket.write('\u0016\u0003\u0001 hello\r\n\r\n');
    expect(
      (await new Promise<Buffer>((resolve) => socket.once('data', resolve))).toString(),
    ).toContain('400 Bad Request');
    expect(await send(url, '/mcp', { body: echo })).toMatchObject({ status: 200 });
  });

  it('knows three paths, and few methods on each', async () => {
    const { url } = await shared();
    const missing = await send(url, '/nothing?x=/mcp', { body: echo });
    expect(missing.status).toBe(404);
    expect(errorOf(missing)).toMatchObject({ code: 'not_found' });
    expect(await send(url, '/constructor', { method: 'GET' })).toMatchObject({ status: 404 });
    expect(await send(url, '/mcp', { method: 'PUT', body: echo })).toMatchObject({
      status: 405,
      headers: { allow: 'POST, GET, DELETE' },
    });
    expect(await send(url, '/mcp', { method: 'GET', headers: BOTH })).toMatchObject({
      status: 405,
      headers: { allow: 'POST' },
    });
    expect(await send(url, '/health', { method: 'POST' })).toMatchObject({
      status: 405,
      headers: { allow: 'GET, HEAD' },
    });
  });
});

describe('guards', () => {
  it('serve only requests whose Host names this machine', async () => {
    const { url, port } = await serve('--allow-host', 'box.internal');
    const asked = async (host: string): Promise<number> =>
      (await send(url, '/mcp', { headers: { host }, body: echo })).status;
    for (const host of [
      `localhost:${port}`,
      '127.0.0.1',
      '[::1]:1234',
      'LOCALHOST',
      'box.internal:80',
    ])
      expect(await asked(host), host).toBe(200);
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      'evil.example@localhost',
      '0.0.0.0',
      'a b',
    ]) {
      expect(await asked(host), host).toBe(403);
    }
    const refused = await send(url, '/health', {
      method: 'GET',
      headers: { host: 'evil.example' },
    });
    expect(errorOf(refused)).toMatchObject({ code: 'forbidden_host' });
  });

  it('reject web pages except our own and the allowed origins', async () => {
    const { url, port } = await serve('--allow-origin', 'https://app.example');
    const asked = (origin: string): Promise<Answer> =>
      send(url, '/mcp', { headers: { origin }, body: echo });
    for (const origin of [
      'null',
      'https://evil.example',
      `http://localhost:${port}`,
      'http://127.0.0.1:1',
      `https://127.0.0.1:${port}`,
      'https://app.example.evil.example',
    ]) {
      const answer = await asked(origin);
      expect(answer.status, origin).toBe(403);
      expect(errorOf(answer)).toMatchObject({ code: 'forbidden_origin' });
    }
    expect(await asked(`http://127.0.0.1:${port}`)).toMatchObject({ status: 200 });
    const named = await asked('https://app.example');
    expect(named).toMatchObject({
      status: 200,
      headers: { 'access-control-allow-origin': 'https://app.example', vary: 'origin' },
    });
  });

  it('allow a preflight of an allowed origin without the token, which it cannot send', async () => {
    const { url } = await serve('--allow-origin', 'https://app.example', '--token', TOKEN);
    const ask = (origin: string): Promise<Answer> =>
      send(url, '/mcp', {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST' },
      });
    expect(await ask('https://app.example')).toMatchObject({
      status: 204,
      headers: {
        'access-control-allow-headers': expect.stringContaining('authorization') as string,
      },
    });
    expect(await ask('https://evil.example')).toMatchObject({ status: 403 });
  });

  it('require the token if one is set, everywhere except on /health', async () => {
    const { url } = await serve('--token', TOKEN);
    const asked = (authorization?: string, path = '/mcp'): Promise<Answer> =>
      send(url, path, {
        method: path === '/mcp' ? 'POST' : 'GET',
        headers: authorization ? { authorization } : {},
        ...(path === '/mcp' ? { body: echo } : {}),
      });
    for (const wrong of [
      undefined,
      TOKEN,
      'Bearer',
      'Bearer wrong',
      `Bearer ${TOKEN}x`,
      `Basic ${TOKEN}`,
      `Bearer ${TOKEN} ${TOKEN}`,
    ]) {
      expect(await asked(wrong), wrong ?? 'none').toMatchObject({
        status: 401,
        headers: { 'www-authenticate': 'Bearer' },
      });
    }
    expect(errorOf(await asked())).toMatchObject({
      code: 'unauthorized',
      hint: expect.any(String) as string,
    });
    expect(await asked(`Bearer ${TOKEN}`)).toMatchObject({ status: 200, json: echoed });
    expect(await asked(`bearer ${TOKEN}`)).toMatchObject({ status: 200 });
    expect(await asked(undefined, '/metrics')).toMatchObject({ status: 401 });
    expect(await asked(`Bearer ${TOKEN}`, '/metrics')).toMatchObject({ status: 200 });
    const health = await asked(undefined, '/health');
    expect(health).toMatchObject({
      status: 200,
      json: { status: 'ok', name: 'openchrome', version: '1.2.3' },
    });
    expect(health.text).not.toContain(TOKEN);
  });

  it('refuse to open a port to others without a token', async () => {
    const { exited, stderr } = start(await fixtureServer(), ['--http', '0', '--host', '0.0.0.0']);
    expect(await exited).toBe(2);
    expect(JSON.parse(stderr())).toMatchObject({
      error: { code: 'invalid_argument', argument: 'token' },
    });
  });

  it('open it with one', async () => {
    const { url } = await serve('--host', '0.0.0.0', '--token', TOKEN);
    const headers = { authorization: `Bearer ${TOKEN}` };
    expect(await send(url, '/mcp', { headers, body: echo })).toMatchObject({ status: 200 });
    expect(
      await send(url, '/mcp', { headers: { ...headers, host: 'evil.example' }, body: echo }),
    ).toMatchObject({ status: 403 });
  });
});

describe('a session', () => {
  const open = async (url: string): Promise<string> => {
    const answer = await send(url, '/mcp', { headers: BOTH, body: initialize });
    expect(answer.headers['content-type']).toBe('text/event-stream');
    return String(answer.headers['mcp-session-id']);
  };

  it('is opened, used with and without a stream, and ended', async () => {
    const { url } = await serve();
    const session = { 'mcp-session-id': await open(url) };
    const streamed = await send(url, '/mcp', { headers: { ...BOTH, ...session }, body: echo });
    expect(streamed.headers['content-type']).toBe('text/event-stream');
    expect(streamed.text).toContain(JSON.stringify(echoed.result));
    expect(await send(url, '/mcp', { headers: session, body: echo })).toMatchObject({
      status: 200,
      json: echoed,
    });
    expect((await send(url, '/metrics', { method: 'GET' })).text).toContain(
      'openchrome_http_sessions 1\n',
    );
    expect(await send(url, '/mcp', { method: 'DELETE', headers: session })).toMatchObject({
      status: 200,
    });
    for (const method of ['POST', 'GET', 'DELETE']) {
      expect(
        await send(url, '/mcp', {
          method,
          headers: { ...BOTH, ...session },
          body: method === 'POST' ? echo : '',
        }),
      ).toMatchObject({
        status: 404,
      });
    }
    expect((await send(url, '/metrics', { method: 'GET' })).text).toContain(
      'openchrome_http_sessions 0\n',
    );
  });

  it('has its own stream, until it is ended', async () => {
    const { url } = await shared();
    const session = { 'mcp-session-id': await open(url) };
    const stream = await fetch(`${url}/mcp`, {
      headers: { ...session, accept: 'text/event-stream' },
    });
    expect(stream.headers.get('content-type')).toBe('text/event-stream');
    await send(url, '/mcp', { method: 'DELETE', headers: session });
    expect(await stream.text()).toBe('');
  });

  it('that was never opened does not exist', async () => {
    const { url } = await shared();
    const answer = await send(url, '/mcp', {
      headers: { ...BOTH, 'mcp-session-id': 'made-up' },
      body: echo,
    });
    expect(answer.status).toBe(404);
    expect(errorOf(answer)).toMatchObject({
      code: 'not_found',
      hint: expect.stringContaining('initialize') as string,
    });
  });

  it('cancels a call when the connection that waits for its reply breaks', async () => {
    const { url } = await serve();
    const session = { 'mcp-session-id': await open(url) };
    const leave = new AbortController();
    const stream = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { ...BOTH, ...session },
      body: message('tools/call', { name: 'forever' }),
      signal: leave.signal,
    });
    expect(stream.status).toBe(200);
    leave.abort();
    while (
      !(await send(url, '/metrics', { method: 'GET' })).text.includes(
        '{tool="forever",outcome="cancelled"} 1',
      )
    );
  });

  it('does not end the sessions of other clients, for any number of sessions that a client opens', async () => {
    const { url } = await serve();
    const use = (session: string) =>
      send(url, '/mcp', { headers: { ...BOTH, 'mcp-session-id': session }, body: echo });
    const working = await Promise.all(Array.from({ length: 100 }, () => open(url)));
    for (const session of working) expect(await use(session)).toMatchObject({ status: 200 });
    const refused = await send(url, '/mcp', { headers: BOTH, body: initialize });
    expect(refused.status).toBe(429);
    expect(refused.text).toContain('too_many_sessions');
    for (const session of [working[0] ?? '', working[99] ?? ''])
      expect(await use(session)).toMatchObject({ status: 200 });
  });

  it('makes room for others once there are very many', async () => {
    const { url } = await serve();
    const first = await open(url);
    const second = await open(url);
    await send(url, '/mcp', { headers: { ...BOTH, 'mcp-session-id': first }, body: echo });
    for (let i = 2; i <= 100; i++) await open(url);
    expect((await send(url, '/metrics', { method: 'GET' })).text).toContain(
      'openchrome_http_sessions 100\n',
    );
    expect(
      await send(url, '/mcp', { headers: { ...BOTH, 'mcp-session-id': second }, body: echo }),
    ).toMatchObject({ status: 404 });
    expect(
      await send(url, '/mcp', { headers: { ...BOTH, 'mcp-session-id': first }, body: echo }),
    ).toMatchObject({ status: 200 });
  });
});

describe('the 2026 protocol', () => {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const headers = {
    ...BOTH,
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'echo',
  };
  const body = message('tools/call', { name: 'echo', arguments: { text: 'hi' }, _meta: meta });

  it('is answered in JSON, with what that protocol adds', async () => {
    const { url } = await shared();
    const answer = await send(url, '/mcp', { headers, body });
    expect(answer).toMatchObject({
      status: 200,
      json: { id: 1, result: { ...echoed.result, resultType: 'complete' } },
    });
    expect(answer.headers['mcp-session-id']).toBeUndefined();
  });

  it('has its headers checked against the body', async () => {
    const { url } = await shared();
    expect(
      await send(url, '/mcp', { headers: { ...headers, 'mcp-name': 'sum' }, body }),
    ).toMatchObject({
      status: 400,
      json: { error: { code: -32020 } },
    });
    expect(
      await send(url, '/mcp', {
        headers: { ...headers, 'mcp-protocol-version': '2099-01-01' },
        body,
      }),
    ).toMatchObject({ status: 400 });
  });

  it('cancels a call when its client disconnects', async () => {
    const { url } = await serve();
    const leave = new AbortController();
    const forever = message('tools/call', { name: 'forever', _meta: meta });
    const running = fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { ...headers, 'mcp-name': 'forever' },
      body: forever,
      signal: leave.signal,
    });
    while (
      !(await send(url, '/metrics', { method: 'GET' })).text.includes('openchrome_calls_running 1')
    );
    leave.abort();
    await expect(running).rejects.toThrow();
    while (
      !(await send(url, '/metrics', { method: 'GET' })).text.includes(
        '{tool="forever",outcome="cancelled"} 1',
      )
    );
  });
});

describe('metrics', () => {
  it('count calls by tool and outcome, and never by a name that was made up', async () => {
    const { url } = await serve();
    for (const name of ['echo', 'sum', 'misplace', 'no_such_tool', 'x"} 1\nforged 1'])
      await send(url, '/mcp', {
        body: message('tools/call', { name, arguments: { text: '', a: 1, b: 1 } }),
      });
    const { text, headers } = await send(url, '/metrics', { method: 'GET' });
    expect(headers['content-type']).toContain('text/plain; version=0.0.4');
    expect(text).toContain('openchrome_calls_total{tool="echo",outcome="ok"} 1\n');
    expect(text).toContain('openchrome_calls_total{tool="misplace",outcome="tab_not_found"} 1\n');
    expect(text).toContain('openchrome_calls_total{tool="unknown",outcome="unknown_tool"} 2\n');
    expect(text).toContain('openchrome_call_duration_seconds_bucket{tool="echo",le="+Inf"} 1\n');
    expect(text).toContain('openchrome_http_connections 1\n');
    expect(text).toMatch(/^process_resident_memory_bytes \d+$/m);
    expect(text).not.toContain('forged');
    for (const line of text.trimEnd().split('\n'))
      expect(line).toMatch(/^(# (HELP|TYPE) .+|[a-z0-9_]+(\{[^{}]*\})? [\d.e+-]+)$/);
  });
});

describe('the delay of the event loop', () => {
  it('is a gauge for its mean, its middle, its slow end and its maximum', async () => {
    const { url } = await serve();
    const { text } = await send(url, '/metrics', { method: 'GET' });
    const read = (name: string): number =>
      Number(
        new RegExp(
          `^# TYPE nodejs_eventloop_lag_${name}_seconds gauge\nnodejs_eventloop_lag_${name}_seconds (.+)$`,
          'm',
        ).exec(text)?.[1],
      );
    const [mean, p50, p99, max] = ['mean', 'p50', 'p99', 'max'].map(read) as [
      number,
      number,
      number,
      number,
    ];
    expect([mean, p50, p99, max].every((seconds) => seconds >= 0 && seconds < 60)).toBe(true);
    expect(p50).toBeLessThanOrEqual(p99);
    expect(p99).toBeLessThanOrEqual(max + 0.001); // a percentile is rounded up to a bucket
  });
});

describe('the end', () => {
  it('lets running calls answer, closes every connection, and is quick', async () => {
    const { url, process, exited, stderr } = await serve();
    const session = String(
      (await send(url, '/mcp', { headers: BOTH, body: initialize })).headers['mcp-session-id'],
    );
    const stream = await fetch(`${url}/mcp`, {
      headers: { 'mcp-session-id': session, accept: 'text/event-stream' },
    });
    const plain = send(url, '/mcp', { body: message('tools/call', { name: 'forever' }) });
    const streamed = send(url, '/mcp', {
      headers: { ...BOTH, 'mcp-session-id': session },
      body: message('tools/call', { name: 'forever' }),
    });
    while (
      !(await send(url, '/metrics', { method: 'GET' })).text.includes('openchrome_calls_running 2')
    );
    const before = performance.now();
    process.kill('SIGTERM');
    expect((await plain).text).toContain('engine_stopped');
    expect((await streamed).text).toContain('engine_stopped');
    expect(await stream.text()).toBe('');
    expect(await exited).toBe(0);
    expect(performance.now() - before).toBeLessThan(5_000);
    expect(stderr()).toMatch(
      /^openchrome listening on http:\/\/127\.0\.0\.1:\d+\/mcp\nengine stopped\n$/,
    );
  });

  it('does not follow from the end of stdin', async () => {
    const { url, process } = await serve();
    process.stdin.end();
    expect(await send(url, '/mcp', { body: echo })).toMatchObject({ status: 200 });
  });

  it('comes at once, with a reason, if the port is in use', async () => {
    const { port } = await serve();
    const { exited, stderr } = start(await fixtureServer(), ['--http', String(port)]);
    expect(await exited).toBe(2);
    expect(JSON.parse(stderr())).toMatchObject({
      error: { code: 'invalid_argument', message: `Port ${port} on 127.0.0.1 is in use.` },
    });
  });
});
