// Elicitation in `serve --shared`: the daemon asks the user of the host whose call waits.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { resolveHome } from '../../src/core/home.ts';
import { createLog } from '../../src/core/log.ts';
import { Waiting } from '../../src/features/consent/waiting.ts';
import { makeDaemonHome } from '../frontends/servers.ts';
import { useSite } from '../fixtures.ts';

const BINARY = fileURLToPath(new URL('../../dist/index.js', import.meta.url));
const site = useSite({ '/': '<title>Shop</title><button onclick="document.title=1">Buy</button>' });

const ends: (() => Promise<void>)[] = [];
let home = '';
/** The user at the dashboard or in the terminal: another process of the same home. */
let user: Waiting;

beforeAll(async () => {
  home = await makeDaemonHome((end) => void ends.push(end));
  const policy = [{ decision: 'ask', effect: 'act' }];
  await writeFile(join(home, 'openchrome.json'), JSON.stringify({ policy }), { mode: 0o600 });
  user = new Waiting({
    home: resolveHome({ OPENCHROME_HOME: home }),
    log: createLog({ level: 'error' }),
    journal: { append: () => {} },
  });
});
afterAll(async () => {
  for (const end of ends) await end();
});

type Answer = { action: 'accept' | 'decline' | 'cancel'; content?: Record<string, string> };

interface TestHost {
  /** The messages of the questions that the host received. */
  readonly questions: readonly string[];
  /** Questions that the server has cancelled. */
  readonly cancelled: () => number;
  click(): Promise<string>;
  call(name: string, args: object): Promise<string>;
}

/** A host whose user gives this answer to every question; without an answer, never answers. */
const startHost = async (protocol: string, answer?: Answer, offers = true): Promise<TestHost> => {
  const client = new Client(
    { name: 'test-host', version: '1' },
    {
      capabilities: offers ? { elicitation: { form: {} } } : {},
      ...(protocol >= '2026'
        ? { versionNegotiation: { mode: { pin: protocol } } }
        : { supportedProtocolVersions: [protocol] }),
    },
  );
  const questions: string[] = [];
  let cancelled = 0;
  if (offers)
    client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq }) => {
      questions.push(params.message);
      mcpReq.signal.addEventListener('abort', () => cancelled++);
      return answer ?? new Promise<Answer>(() => {});
    });
  onTestFinished(() => client.close());
  const args = [BINARY, 'serve', '--shared', '--log-level', 'error'];
  const own = { OPENCHROME_HOME: home, OPENCHROME_HEADLESS: '1', OPENCHROME_ISOLATED: '1' };
  const env = { ...(process.env as Record<string, string>), ...own };
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }),
  );
  const call = async (name: string, given: object): Promise<string> => {
    const { content } = await client.callTool({ name, arguments: { ...given } });
    return JSON.stringify(content);
  };
  await call('navigate', { url: `${site.origin}/` });
  const click = (): Promise<string> => call('interact', { action: 'click', query: 'Buy' });
  return { questions, cancelled: () => cancelled, call, click };
};

const findQuestion = async (): Promise<string> => {
  await expect.poll(async () => (await user.list()).length, { timeout: 20_000 }).toBe(1);
  return (await user.list())[0]?.id ?? '';
};

const ASKS = expect.stringContaining('interact wants to act on 127.0.0.1') as string;

describe.each(['2025-06-18', '2025-11-25', '2026-07-28'])('a shared host of %s', (protocol) => {
  it.each<[string, Answer, RegExp]>([
    ['accepts', { action: 'accept', content: { answer: 'once' } }, /clicked/],
    ['declines', { action: 'decline' }, /consent_denied/],
  ])('gets the question, and its user %s', async (_, answer, expected) => {
    const host = await startHost(protocol, answer);
    expect(await host.click()).toMatch(expected);
    expect(host.questions).toEqual([ASKS]);
    expect(await user.list()).toEqual([]);
  });

  it('without elicitation gets no question, and the user answers elsewhere', async () => {
    const host = await startHost(protocol, undefined, false);
    const reply = host.click();
    await user.answer(await findQuestion(), { allow: true }, 'terminal');
    expect(await reply).toContain('clicked');
  });
});

it('only the host whose call waits gets the question', async () => {
  const accept: Answer = { action: 'accept', content: { answer: 'once' } };
  const [asked, other] = await Promise.all([
    startHost('2025-11-25', accept),
    startHost('2025-11-25', accept),
  ]);
  expect(await asked.click()).toContain('clicked');
  expect(asked.questions).toEqual([ASKS]);
  expect(other.questions).toEqual([]);
});

it('a question that the user answers in the terminal ends in the host, too', async () => {
  const host = await startHost('2025-11-25');
  const reply = host.click();
  const id = await findQuestion();
  await expect.poll(() => host.questions).toEqual([ASKS]);
  await user.answer(id, { allow: false }, 'terminal');
  expect(await reply).toContain('consent_denied');
  await expect.poll(() => host.cancelled()).toBe(1);
});

it('a hand-off appears in the host, and Done there ends it', async () => {
  const host = await startHost('2025-11-25', { action: 'accept', content: { answer: 'done' } });
  const reply = await host.call('oc_handoff', { reason: 'Enter the code' });
  expect(reply).toContain('\\"outcome\\":\\"done\\"');
  expect(host.questions).toEqual([
    expect.stringContaining('The agent needs your help: Enter the code'),
  ]);
});
