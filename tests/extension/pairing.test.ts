// The link between the extension and the server: pairing, reconnection, and impostors on each side.
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import {
  computeProof,
  createNonce,
  EXTENSION_ID,
  LINK_VERSION,
  type LinkPurpose,
} from '../../src/browser/extension/link-proof.ts';
import { ExtensionLink } from '../../src/browser/extension/extension-link.ts';
import { LinkHub } from '../../src/browser/extension/link-hub.ts';
import { offerPairing } from '../../src/features/setup/pair-extension.ts';
import { makeFolder } from '../launch/support.ts';
import { pair, startUserChrome, type UserChrome } from './user-chrome.ts';

const ORIGIN = `chrome-extension://${EXTENSION_ID}`;
const KEY = 'a'.repeat(64);

interface Attempt {
  readonly port: number;
  readonly origin?: string;
  readonly host?: string;
  readonly path?: string;
}

/** Opens a socket as a program on this machine can. Resolves with the HTTP status if rejected. */
const connect = ({ port, origin, host, path = '/extension' }: Attempt) =>
  new Promise<WebSocket | number>((resolve) => {
    const headers = host === undefined ? {} : { host };
    const options = origin === undefined ? { headers } : { headers, origin };
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, options);
    socket.on('open', () => resolve(socket));
    socket.on('unexpected-response', (_, { statusCode = 0 }) => resolve(statusCode));
    socket.on('error', () => {});
  });

/** The messages and the status code of a socket until it closes. */
const collect = async (socket: WebSocket): Promise<readonly [string[], number]> => {
  const messages: string[] = [];
  socket.on('message', (data: Buffer) => messages.push(data.toString()));
  const [code] = (await once(socket, 'close')) as [number];
  return [messages, code];
};

const hello = (purpose: LinkPurpose, nonce = createNonce()): string =>
  JSON.stringify({ version: LINK_VERSION, purpose, nonce });

const startHub = async (pairing: { port: number; key: string }): Promise<LinkHub> => {
  const hub = await LinkHub.start(pairing);
  if (!hub) throw new Error('The port is in use.');
  return hub;
};

/** A program that listens on the port and does not know the key. Resolves when it is left. */
const startImpostor = async (port: number) => {
  const received: string[] = [];
  const http = createServer();
  const impostor = new WebSocketServer({ server: http });
  const left = new Promise<void>((resolve) =>
    impostor.on('connection', (socket) => {
      socket.on('message', (data: Buffer) => {
        received.push(data.toString());
        socket.send(JSON.stringify({ nonce: createNonce(), proof: '0'.repeat(64) }));
        socket.send(JSON.stringify({ id: 1, method: 'Browser.getVersion' }));
      });
      socket.on('close', () => resolve());
    }),
  );
  await new Promise<void>((resolve) => http.listen(port, '127.0.0.1', resolve));
  const close = async (): Promise<void> => {
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  };
  return { received, left, close, port: (http.address() as AddressInfo).port };
};

describe('the server', () => {
  let server: LinkHub;
  beforeAll(async () => {
    server = await startHub({ port: 0, key: KEY });
  });
  afterAll(() => server.close());

  it.each([
    ['no Origin', {}],
    ['the Origin of a web page', { origin: 'https://example.com' }],
    ['the Origin of another extension', { origin: `chrome-extension://${'a'.repeat(32)}` }],
    ['an opaque Origin', { origin: 'null' }],
    ['a Host that only resolves to loopback', { origin: ORIGIN, host: 'attacker.example' }],
    ['another path', { origin: ORIGIN, path: '/' }],
    ['the path of servers and the Origin of a page', { origin: 'null', path: '/share' }],
    ['the path of servers and the Origin of the extension', { origin: ORIGIN, path: '/share' }],
  ])('rejects a connection with %s before the first message', async (_, attempt) => {
    expect(await connect({ port: server.port, ...attempt })).toBe(403);
  });

  it.each([
    ['a wrong proof', JSON.stringify({ proof: '0'.repeat(64) })],
    ['no proof', JSON.stringify({ proof: 1 })],
    ['a CDP command instead of a proof', JSON.stringify({ id: 1, method: 'Browser.getVersion' })],
    ['text that is not JSON', 'hello'],
  ])('closes a connection with %s without another message', async (_, message) => {
    const socket = (await connect({ port: server.port, origin: ORIGIN })) as WebSocket;
    socket.once('message', () => socket.send(message));
    socket.send(hello('link'));
    const [messages, code] = await collect(socket);
    expect(messages).toHaveLength(1); // its nonce and its own proof
    expect(code).toBe(1008);
  });

  it('rejects the proof of another key, of the other side and of another port', async () => {
    const terms = (callerNonce: string, listenerNonce: string) =>
      ({ purpose: 'link', port: server.port, callerNonce, listenerNonce }) as const;
    const forgeries = [
      (nonce: string, theirs: string) =>
        computeProof('b'.repeat(64), 'caller', terms(nonce, theirs)),
      (nonce: string, theirs: string) => computeProof(KEY, 'listener', terms(nonce, theirs)),
      (nonce: string, theirs: string) =>
        computeProof(KEY, 'caller', { ...terms(nonce, theirs), port: server.port + 1 }),
    ];
    for (const forge of forgeries) {
      const nonce = createNonce();
      const socket = (await connect({ port: server.port, origin: ORIGIN })) as WebSocket;
      socket.once('message', (data: Buffer) => {
        const { nonce: theirs } = JSON.parse(data.toString()) as { nonce: string };
        void forge(nonce, theirs).then((proof) => socket.send(JSON.stringify({ proof })));
      });
      socket.send(hello('link', nonce));
      expect((await collect(socket))[1]).toBe(1008);
    }
  });

  it('rejects another server of the machine that does not know the key', async () => {
    const socket = (await connect({ port: server.port, path: '/share' })) as WebSocket;
    socket.once('message', () => socket.send(JSON.stringify({ proof: '0'.repeat(64) })));
    socket.send(
      JSON.stringify({
        version: LINK_VERSION,
        purpose: 'share',
        nonce: createNonce(),
        member: 'a'.repeat(16),
      }),
    );
    const [messages, code] = await collect(socket);
    expect(messages).toHaveLength(1); // its nonce and its own proof
    expect(code).toBe(1008);
  });

  it('sends only a nonce and its id to an impostor that has taken the port', async () => {
    const impostor = await startImpostor(0);
    const link = new ExtensionLink(async () => ({ port: impostor.port, key: KEY }));
    await expect(link.connect(AbortSignal.timeout(10_000))).rejects.toMatchObject({
      code: 'attach_failed',
      message: `Another program uses port ${impostor.port}, to which the extension connects.`,
    });
    const fields = impostor.received.map((text) => Object.keys(JSON.parse(text) as object).sort());
    expect(fields).toEqual([['member', 'nonce', 'purpose', 'version']]);
    await link.close();
    await impostor.close();
  });

  it('rejects a pairing while it only accepts links', async () => {
    const socket = (await connect({ port: server.port, origin: ORIGIN })) as WebSocket;
    socket.send(hello('pair'));
    expect(await collect(socket)).toEqual([[], 1008]);
  });
});

const isShell = process.env['CHROME_PATH']?.includes('headless-shell') === true;

describe.skipIf(isShell)('the extension in a real Chrome', () => {
  let folder = '';
  let chrome: UserChrome;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'openchrome-test-'));
    chrome = await startUserChrome(folder);
  });
  afterAll(async () => {
    await chrome?.end();
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });

  const loadPairing = async (file: string): Promise<{ port: number; key: string }> =>
    JSON.parse(await readFile(file, 'utf8')) as { port: number; key: string };

  it('is paired once, links within 5 s, and links again after the server restarted', async () => {
    const file = join(makeFolder(), 'extension.json');
    await pair(chrome, file);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const { port, key } = await loadPairing(file);
    for (const limit of [5_000, 6_000]) {
      const server = await startHub({ port, key });
      await server.join('a'.repeat(16), AbortSignal.timeout(limit));
      await server.close();
    }
  });

  it('does not accept a ticket a second time', async () => {
    const file = join(makeFolder(), 'extension.json');
    const offer = await offerPairing(file);
    try {
      const pages = [await chrome.open(offer.url), await chrome.open(offer.url)];
      const outcomes: string[] = [];
      for (const page of pages) {
        await expect
          .poll(() => page.evaluate('document.querySelector("#confirm").disabled'))
          .toBe(false);
        await page.evaluate('document.querySelector("#confirm").click()');
        const readOutcome = () =>
          page.evaluate<string>('document.querySelector("#outcome").textContent');
        await expect.poll(readOutcome).not.toBe('');
        outcomes.push(await readOutcome());
        await page.close();
      }
      expect(outcomes).toEqual([
        'Paired. You can close this tab.',
        expect.stringContaining('Not paired'),
      ]);
    } finally {
      await offer.close();
    }
  });

  it('sends only a nonce to an impostor on the port', async () => {
    const file = join(makeFolder(), 'extension.json');
    await pair(chrome, file);
    const { port, key } = await loadPairing(file);
    const impostor = await startImpostor(port);
    await impostor.left;
    await impostor.close();
    for (const message of impostor.received) {
      expect(Object.keys(JSON.parse(message) as object).sort()).toEqual([
        'nonce',
        'purpose',
        'version',
      ]);
      expect(message).not.toContain(key);
    }
    expect(impostor.received.length).toBeGreaterThan(0);
  });

  it('is not reachable from a web page', async () => {
    const server = await startHub({ port: 0, key: KEY });
    try {
      const page = await chrome.open('data:text/html,<title>Foreign</title>');
      const outcome = await page.evaluate(
        `new Promise((done) => {
          const socket = new WebSocket('ws://127.0.0.1:${server.port}/extension');
          socket.onopen = () => done('open');
          socket.onclose = () => done('closed');
        })`,
      );
      expect(outcome).toBe('closed');
      const hasMessaging = 'typeof globalThis.chrome?.runtime?.sendMessage';
      expect(await page.evaluate(hasMessaging)).toBe('undefined');
      await page.close();
    } finally {
      await server.close();
    }
  });
});
