// The proxy dials what it has judged, and nothing else: names that change, strangers and garbage
// get nowhere.
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DomainPolicy, parseDomains } from '../../policy/domains.ts';
import { FilterProxy, type Unreached } from './filter-proxy.ts';
import { HostAddresses } from './host-addresses.ts';

let echo: Server;
let proxy: FilterProxy | undefined;
let dialled: string[] = [];
const unreached: Unreached[] = [];

beforeEach(async () => {
  dialled = [];
  unreached.length = 0;
  echo = createServer((socket) => {
    dialled.push(socket.localAddress ?? '');
    socket.pipe(socket);
  });
  await new Promise<void>((resolve) => echo.listen(0, '0.0.0.0', resolve));
});
afterEach(() => {
  proxy?.close();
  echo.close();
});
const port = (): number => (echo.address() as AddressInfo).port;

const start = async (
  answers: readonly string[],
  lists: ConstructorParameters<typeof DomainPolicy>[0] = {},
): Promise<void> => {
  let asked = 0;
  proxy = await FilterProxy.start({
    policy: new DomainPolicy(lists),
    onUnreached: (one) => unreached.push(one),
    names: new HostAddresses({
      route: (address) => address.replace(/^203\.0\.113\./, '127.0.0.'),
      lookUp: () => {
        const address = answers[asked++ % answers.length];
        return address
          ? Promise.resolve([{ address, family: 4 }])
          : Promise.reject(Object.assign(new Error(), { code: 'ENOTFOUND' }));
      },
    }),
  });
};

/**
 * Sends bytes and gives what came back until the other side is done, or until there is as much as
 * expected.
 */
const exchange = (pieces: readonly Buffer[], enough = Infinity): Promise<Buffer> =>
  new Promise((resolve) => {
    const socket = connect(proxy!.port, '127.0.0.1');
    const got: Buffer[] = [];
    const done = (): void => {
      socket.destroy();
      resolve(Buffer.concat(got));
    };
    socket.on('data', (chunk) => {
      got.push(chunk);
      if (Buffer.concat(got).length >= enough) done();
    });
    for (const event of ['end', 'close', 'error']) socket.on(event, done);
    for (const piece of pieces) socket.write(piece);
  });

const GREETING = Buffer.from([5, 1, 0]);
const toName = (name: string, at = port()): Buffer =>
  Buffer.concat([
    Buffer.from([5, 1, 0, 3, name.length]),
    Buffer.from(name),
    Buffer.from([at >> 8, at & 255]),
  ]);
const toV4 = (address: string, at = port()): Buffer =>
  Buffer.from([5, 1, 0, 1, ...address.split('.').map(Number), at >> 8, at & 255]);
const outcome = (bytes: Buffer): number | undefined => bytes[3];

describe('the proxy', () => {
  it('forwards bytes in both directions to the resolved address, in chunks of any size', async () => {
    await start(['203.0.113.7']);
    const all = Buffer.concat([GREETING, toName('some.test'), Buffer.from('hello')]);
    const answer = await exchange(
      [...all].map((byte) => Buffer.from([byte])),
      2 + 10 + 5,
    );
    expect(answer.subarray(12).toString()).toBe('hello');
    expect(dialled).toEqual(['127.0.0.7']);
  });

  it.each([
    ['10.1.2.3', 'private_address'],
    ['169.254.169.254', 'metadata'],
    ['127.0.0.1', 'this_machine'],
    ['0.0.0.0', 'this_machine'],
  ])('does not connect to a name that resolves to %s', async (address, reason) => {
    await start([address]);
    expect(outcome(await exchange([GREETING, toName('public-looking.test')]))).toBe(4);
    expect(unreached).toMatchObject([
      { host: 'public-looking.test', refusal: { reason, address } },
    ]);
  });

  it('resolves a name once and connects to that address, so that a changed DNS answer has no effect', async () => {
    await start(['203.0.113.1', '10.0.0.1']);
    expect(outcome(await exchange([GREETING, toName('rebinding.test')], 12))).toBe(0);
    expect(outcome(await exchange([GREETING, toName('rebinding.test')]))).toBe(4);
    expect(dialled).toEqual(['127.0.0.1']);
  });

  it('applies the lists to IP addresses and names', async () => {
    await start(['127.0.0.1'], {
      allow: parseDomains(['good.test', '127.0.0.9'], 'allow'),
      block: parseDomains(['bad.good.test'], 'block'),
    });
    for (const [target, code] of [
      [toName('good.test'), 0],
      [toName('GOOD.test.'), 0],
      [toName('bad.good.test'), 4],
      [toName('other.test'), 4],
      [toV4('127.0.0.9'), 0],
      [toV4('127.0.0.8'), 4],
    ] as const)
      expect(outcome(await exchange([GREETING, target], 12))).toBe(code);
  });

  it.each(['0.0.0.0'])(
    'rejects the address %s, which reaches this machine past Chrome’s own protection',
    async (address) => {
      await start([]);
      expect(outcome(await exchange([GREETING, toV4(address)]))).toBe(4);
      expect(unreached).toMatchObject([{ refusal: { reason: 'this_machine' } }]);
      expect(dialled).toEqual([]);
    },
  );

  it('reports why a server was not reached', async () => {
    await start(['']);
    expect(outcome(await exchange([GREETING, toName('nowhere.test')]))).toBe(4);
    expect(outcome(await exchange([GREETING, toV4('127.0.0.1', 1)]))).toBe(4);
    expect(unreached.map(({ code }) => code)).toEqual(['ENOTFOUND', 'ECONNREFUSED']);
  });

  it.each([
    ['a web page that talks HTTP to it', Buffer.from('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')],
    ['one that wants to log in', Buffer.from([5, 1, 2])],
    ['SOCKS 4', Buffer.from([4, 1, 0, 80, 127, 0, 0, 1, 0])],
    ['another command', Buffer.concat([GREETING, Buffer.from([5, 2, 0, 1, 127, 0, 0, 1, 0, 80])])],
    ['no name', Buffer.concat([GREETING, Buffer.from([5, 1, 0, 3, 0, 0, 80])])],
  ])('hangs up on %s', async (_who, bytes) => {
    await start(['127.0.0.1']);
    expect((await exchange([bytes])).length).toBeLessThanOrEqual(2);
    expect(dialled).toEqual([]);
  });
});
