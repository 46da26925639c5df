// What belongs to stdio alone: lines, garbage, and the end of the process.
import { describe, expect, it } from 'vitest';
import { fixtureServer, linesOf, start, type Started } from './servers.ts';

interface Talk extends Started {
  readonly say: (message: unknown) => void;
  /** The next message from the server. */
  readonly next: () => Promise<Record<string, unknown>>;
  readonly all: () => string[];
}

const talk = async (flags: readonly string[] = []): Promise<Talk> => {
  const started = start(await fixtureServer(), flags);
  const lines = linesOf(started.process);
  const say = (message: unknown): void =>
    void started.process.stdin.write(
      typeof message === 'string' ? message : `${JSON.stringify(message)}\n`,
    );
  return { ...started, ...lines, say };
};

const call = (id: number | string, name: string, args: object = {}, meta?: object): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args, ...(meta ? { _meta: meta } : {}) },
});
const ping = (id: number): object => ({ jsonrpc: '2.0', id, method: 'ping' });
const pong = (id: number): object => ({ jsonrpc: '2.0', id, result: {} });

describe('messages', () => {
  it('agrees on the revision that the client names, and offers its newest to one it does not know', async () => {
    const { say, next } = await talk();
    for (const [asked, agreed] of [
      ['2025-06-18', '2025-06-18'],
      ['2024-11-05', '2024-11-05'],
      ['1999-01-01', '2025-11-25'],
    ]) {
      say({
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: {
          protocolVersion: asked,
          capabilities: {},
          clientInfo: { name: 't', version: '1' },
        },
      });
      expect(await next()).toMatchObject({
        id: 1,
        result: {
          protocolVersion: agreed,
          serverInfo: { name: 'openchrome' },
          capabilities: { tools: {} },
        },
      });
    }
  });

  it('answers a client that never introduced itself', async () => {
    const { say, next } = await talk();
    say({ jsonrpc: '2.0', id: 'a', method: 'tools/list' });
    expect(await next()).toMatchObject({
      id: 'a',
      result: { tools: [{ name: 'echo' }, {}, {}, {}, {}, {}, {}] },
    });
  });

  it('rejects invalid input with an error and continues', async () => {
    const { say, next } = await talk();
    say('this is not JSON\n');
    expect(await next()).toMatchObject({ id: null, error: { code: -32700 } });
    say('\n  \r\n'); // an empty line is not an error
    for (const garbage of [
      null,
      42,
      'text',
      {},
      { jsonrpc: '1.0', id: 7, method: 'ping' },
      { jsonrpc: '2.0', id: 7, method: 'ping', params: [] },
      [],
    ]) {
      say(`${JSON.stringify(garbage)}\n`);
      expect(await next()).toMatchObject({ error: { code: -32600 } });
    }
    say({ jsonrpc: '2.0', id: 8, method: 'constructor' });
    expect(await next()).toMatchObject({ id: 8, error: { code: -32601 } });
    say({ jsonrpc: '2.0', id: 9, method: 'tools/call', params: {} });
    expect(await next()).toMatchObject({ id: 9, error: { code: -32602 } });
    say(ping(10));
    expect(await next()).toEqual(pong(10));
  });

  it('drops a line that is too long, reports it, and continues', async () => {
    const { say, next } = await talk(['--max-request-bytes', '2048']);
    say('x'.repeat(3000));
    expect(await next()).toMatchObject({
      id: null,
      error: { data: { code: 'payload_too_large' } },
    });
    say(`${'x'.repeat(100_000)}\n`);
    say(ping(1));
    expect(await next()).toEqual(pong(1));
  });

  it('parses a message from chunks of any size, also if a chunk ends within a character', async () => {
    const { process, next } = await talk();
    const bytes = Buffer.from(`${JSON.stringify(call(1, 'echo', { text: '世界' }))}\r\n`);
    for (const byte of bytes) {
      if (!process.stdin.write(Buffer.from([byte])))
        await new Promise((resolve) => process.stdin.once('drain', resolve));
    }
    expect(await next()).toMatchObject({ id: 1, result: { content: [{ text: '世界' }] } });
  });

  it('answers a batch with a batch', async () => {
    const { say, next } = await talk();
    say([
      ping(1),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      call(2, 'echo', { text: 'hi' }),
      5,
    ]);
    expect(await next()).toEqual([
      pong(1),
      { jsonrpc: '2.0', id: 2, result: { content: [{ type: 'text', text: 'hi' }] } },
      { jsonrpc: '2.0', id: null, error: expect.objectContaining({ code: -32600 }) as object },
    ]);
  });

  it('sends no progress unless requested, and no reply to a cancelled request', async () => {
    const { say, next } = await talk();
    say(call(1, 'forever'));
    say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 99 } });
    say({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 1, reason: 'enough' },
    });
    for (let id = 2, aborted = false; !aborted; id++) {
      say(call(id, 'aborts'));
      const answer = await next();
      expect(answer).toMatchObject({ id });
      aborted = JSON.stringify(answer).includes('cancelled');
    }
  });

  it('sends progress under the token that the client chose, only ever forwards, the end of it before the reply', async () => {
    const { say, next } = await talk();
    say(call(1, 'count', { to: 500 }, { progressToken: 'mine' }));
    const seen: unknown[] = [];
    let message = await next();
    for (; message['method'] === 'notifications/progress'; message = await next())
      seen.push(message['params']);
    expect(message).toMatchObject({ id: 1, result: { content: [{ text: '{"counted":500}' }] } });
    expect(seen[0]).toEqual({
      progressToken: 'mine',
      progress: 1,
      total: 500,
      message: '1 of 500',
    });
    expect(seen.at(-1)).toEqual({
      progressToken: 'mine',
      progress: 500,
      total: 500,
      message: '500 of 500',
    });
    expect(seen.length).toBeLessThan(20);
  });

  it('lets a client continue in the 2025 protocol after a request in the 2026 one', async () => {
    const { say, next } = await talk();
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    say({ jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta: meta } });
    expect(await next()).toMatchObject({ id: 1, result: { supportedVersions: ['2026-07-28'] } });
    say({
      jsonrpc: '2.0',
      id: 2,
      method: 'initialize',
      params: {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 't', version: '1' },
      },
    });
    expect(await next()).toMatchObject({ id: 2, result: { protocolVersion: '2025-06-18' } });
  });

  it('names the revisions it knows to a client of a later one', async () => {
    const { say, next } = await talk();
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2099-01-01',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    say({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } });
    expect(await next()).toMatchObject({ id: 1, error: { data: { supported: ['2026-07-28'] } } });
  });
});

describe('the end', () => {
  it('comes with the end of stdin: replies are sent, running calls are aborted, the engine is stopped', async () => {
    const { process, say, exited, stderr, all } = await talk();
    say(call(1, 'forever'));
    say(call(2, 'echo', { text: 'x', times: 300_000 }));
    process.stdin.end();
    expect(await exited).toBe(0);
    expect(stderr()).toBe('engine stopped\n');
    expect(all().map((line) => (JSON.parse(line) as { id: number }).id)).toEqual([2]);
  });

  it('comes when the client closes its side of stdout, without a message', async () => {
    const { process, say, next, exited, stderr } = await talk();
    say(ping(1));
    await next();
    process.stdout.destroy();
    say(call(2, 'echo', { text: 'nobody hears this' }));
    expect(await exited).toBe(0);
    expect(stderr()).toBe('engine stopped\n');
  });

  it('comes at once if there was never a client', async () => {
    const { process, exited, all } = await talk();
    process.stdin.end();
    expect(await exited).toBe(0);
    expect(all()).toEqual([]);
  });
});
