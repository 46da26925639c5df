// Elicitation over HTTP: sessions of the 2025 protocol, and questions as results in the 2026 one.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serveHttp } from '../../src/frontends/mcp/http/server.ts';
import { useSite } from '../fixtures.ts';
import { usePolicy } from './consent-site.ts';

const site = useSite({ '/': '<title>Shop</title><button onclick="document.title=1">Buy</button>' });
const engine = usePolicy([{ decision: 'ask', effect: 'act' }], site);
const { user } = engine;

const CLICK = { name: 'interact', arguments: { action: 'click', query: 'Buy' } };
const VERSIONS = ['2025-06-18', '2025-11-25', '2026-07-28'];

type Answer = { action: 'accept' | 'decline' | 'cancel'; content?: Record<string, string> };

const startServer = async (): Promise<URL> => {
  const server = await serveHttp(engine.engine);
  onTestFinished(() => server.close());
  return new URL(`http://127.0.0.1:${server.port}/mcp`);
};

/** A client whose user gives this answer to every question; no answer is never given. */
const connect = async (version: string, answer?: Answer, offers = true) => {
  const client = new Client(
    { name: 'test', version: '1' },
    {
      capabilities: offers ? { elicitation: { form: {} } } : {},
      ...(version >= '2026'
        ? { versionNegotiation: { mode: { pin: version } } }
        : { supportedProtocolVersions: [version] }),
    },
  );
  const questions: string[] = [];
  if (offers)
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      questions.push(params.message);
      return answer ?? new Promise<Answer>(() => {});
    });
  onTestFinished(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(await startServer()));
  return {
    questions,
    click: async (): Promise<string> => {
      const { content } = await client.callTool(CLICK);
      return JSON.stringify(content);
    },
  };
};

const open = (): Promise<string> => engine.text('navigate', { url: `${site.origin}/` });

describe.each(VERSIONS)('a client of %s over HTTP', (version) => {
  it.each<[string, Answer, RegExp]>([
    ['accepts', { action: 'accept', content: { answer: 'once' } }, /clicked/],
    ['declines', { action: 'decline' }, /consent_denied/],
    ['chooses no', { action: 'accept', content: { answer: 'deny' } }, /consent_denied/],
  ])('gets the question, and its user %s', async (_, answer, expected) => {
    await open();
    const client = await connect(version, answer);
    expect(await client.click()).toMatch(expected);
    expect(client.questions).toEqual([
      expect.stringContaining('interact wants to act on 127.0.0.1'),
    ]);
    expect(await user.open()).toEqual([]);
  });

  it('without elicitation gets no question, and the dashboard answers', async () => {
    await open();
    const client = await connect(version, undefined, false);
    const reply = client.click();
    await user.approve();
    expect(await reply).toContain('clicked');
  });
});

it('a question of the 2025 protocol that the dashboard answers ends without an answer of the client', async () => {
  await open();
  const client = await connect('2025-11-25');
  const reply = client.click();
  await user.approve();
  expect(await reply).toContain('clicked');
});

describe('a question of the 2026 protocol', () => {
  const META = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
  };
  interface RoundResult {
    readonly result?: {
      readonly resultType?: string;
      readonly requestState?: string;
      readonly inputRequests?: Record<string, { method: string }>;
      readonly content?: readonly { text: string }[];
    };
    readonly error?: { readonly code: number; readonly message: string };
  }
  const send = async (url: URL, more: object = {}, name = 'interact'): Promise<RoundResult> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': name,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { ...CLICK, name, _meta: META, ...more },
      }),
    });
    const text = await response.text();
    const [, data = text] = /^data: (\{.*\})$/m.exec(text) ?? [];
    return JSON.parse(data) as RoundResult;
  };

  it('is a result with a secret state, and is answered by the same call once', async () => {
    await open();
    const url = await startServer();
    const { result } = await send(url);
    expect(result).toMatchObject({
      resultType: 'input_required',
      requestState: expect.stringMatching(/^[\w-]{20,}$/) as string,
      inputRequests: { answer: { method: 'elicitation/create' } },
    });
    const requestState = result?.requestState;
    const inputResponses = { answer: { action: 'accept', content: { answer: 'once' } } };
    const guessed = await send(url, { requestState: 'guessed', inputResponses });
    expect(guessed.error?.message).toContain('unknown or has expired');
    const other = await send(url, { requestState, inputResponses }, 'read_page');
    expect(other.error?.message).toContain('unknown or has expired');
    expect(await user.open()).toHaveLength(1);
    const second = await send(url, { requestState, inputResponses });
    expect(second.result?.content?.[0]?.text).toContain('clicked');
    const again = await send(url, { requestState, inputResponses });
    expect(again.error?.message).toContain('unknown or has expired');
  });

  it('that the dashboard has answered gives the result to the next request', async () => {
    await open();
    const url = await startServer();
    const { result } = await send(url);
    await user.deny();
    const { requestState } = result ?? {};
    const second = await send(url, { requestState, inputResponses: {} });
    expect(second.result?.content?.[0]?.text).toContain('consent_denied');
  });
});
