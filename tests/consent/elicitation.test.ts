// Elicitation: a client that offers it gets the question; another client does not, and no tool can
// answer.
import { PassThrough } from 'node:stream';
import { expect, it, onTestFinished } from 'vitest';
import { serveStdio } from '../../src/frontends/mcp/stdio.ts';
import { useSite } from '../fixtures.ts';
import { usePolicy } from './consent-site.ts';

const site = useSite({ '/': '<title>Shop</title><button onclick="document.title=1">Buy</button>' });
const engine = usePolicy([{ decision: 'ask', effect: 'act' }], site);

interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: { readonly message?: string; readonly requestedSchema?: object };
  readonly result?: { readonly isError?: true; readonly content: readonly { text: string }[] };
}

/** A client on stdio whose user gives this answer to every question. */
const connect = (capabilities: object, answer?: object) => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const asked: Message[] = [];
  const results = new Map<number, (message: Message) => void>();
  let rest = '';
  output.on('data', (chunk: Buffer) => {
    const lines = `${rest}${chunk.toString()}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) receive(JSON.parse(line) as Message);
  });
  const send = (message: object): void =>
    void input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const receive = (message: Message): void => {
    if (message.method === 'elicitation/create') {
      asked.push(message);
      if (answer) send({ id: message.id, result: answer });
    } else if (typeof message.id === 'number') results.get(message.id)?.(message);
  };
  let last = 0;
  const request = (method: string, params: object): Promise<Message> =>
    new Promise((resolve) => {
      results.set(++last, resolve);
      send({ id: last, method, params });
    });
  // The engine outlives this client: other tests use it.
  void serveStdio({ ...engine.engine, stop: async () => {} }, { input, output });
  onTestFinished(() => void input.end());
  return { asked, request, initialize: () => request('initialize', { capabilities }) };
};

const click = { name: 'interact', arguments: { action: 'click', query: 'Buy' } };
const open = (): Promise<string> => engine.text('navigate', { url: `${site.origin}/` });

it.each([
  ['accepts', { action: 'accept', content: { answer: 'once' } }, undefined],
  ['declines', { action: 'decline' }, 'consent_denied'],
  ['chooses no', { action: 'accept', content: { answer: 'deny' } }, 'consent_denied'],
])('a user who %s in the client answers the question', async (_, answer, code) => {
  await open();
  const client = connect({ elicitation: {} }, answer);
  await client.initialize();
  const { result } = await client.request('tools/call', click);
  expect(client.asked).toHaveLength(1);
  expect(client.asked[0]?.params?.message).toContain('interact wants to act on 127.0.0.1');
  if (code) expect(result?.content[0]?.text).toContain(code);
  else expect(result?.isError).toBeUndefined();
});

it('an answer that was not offered does not count, and the dashboard can still answer', async () => {
  await open();
  const client = connect(
    { elicitation: { form: {} } },
    { action: 'accept', content: { answer: 'yes please' } },
  );
  await client.initialize();
  const reply = client.request('tools/call', click);
  await engine.user.deny();
  expect((await reply).result?.content[0]?.text).toContain('consent_denied');
});

it.each([{}, { elicitation: { url: {} } }])(
  'a client with the capabilities %j gets no question',
  async (capabilities) => {
    await open();
    const client = connect(capabilities);
    await client.initialize();
    const reply = client.request('tools/call', click);
    await engine.user.approve();
    expect((await reply).result?.isError).toBeUndefined();
    expect(client.asked).toEqual([]);
  },
);

it('a client cannot answer with a request of its own, and no tool does it', async () => {
  await open();
  const client = connect({});
  await client.initialize();
  const reply = client.request('tools/call', click);
  const { id } = await engine.user.question();
  for (const method of ['elicitation/create', 'waiting/answer', 'approvals/add'])
    expect(await client.request(method, { id, answer: 'once' })).toMatchObject({
      error: { code: -32601 },
    });
  expect(engine.engine.tools.map(({ name }) => name).join()).not.toMatch(/approv|consent|answer/);
  await engine.user.deny();
  expect((await reply).result?.content[0]?.text).toContain('consent_denied');
});
