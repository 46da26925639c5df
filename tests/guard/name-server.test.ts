// DNS rebinding with a real name server that changes its answer between two questions.
import { createSocket, type Socket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { useEngine } from '../fixtures.ts';

const PUBLIC = '203.0.113.7';
let addresses: readonly string[] = [PUBLIC];
let questions = 0;

const HEADER_BYTES = 12;
const A_RECORD = 1;

/** Answers every question for IPv4 addresses, with a lifetime of 0 s. */
const answer = (query: Buffer): Buffer => {
  let end = HEADER_BYTES;
  while (query[end] !== 0) end += (query[end] ?? 0) + 1;
  const question = query.subarray(HEADER_BYTES, end + 5);
  const isIpv4 = query.readUInt16BE(end + 1) === A_RECORD;
  const found = isIpv4 ? addresses : [];
  const header = Buffer.alloc(HEADER_BYTES);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(found.length, 6);
  const records = found.map((address) =>
    Buffer.from([0xc0, HEADER_BYTES, 0, A_RECORD, 0, 1, 0, 0, 0, 0, 0, 4, ...toBytes(address)]),
  );
  return Buffer.concat([header, question, ...records]);
};
const toBytes = (address: string): number[] => address.split('.').map(Number);

const resolver = new Resolver();
const nameServer: Socket = createSocket('udp4', (query, { port, address }) => {
  questions++;
  nameServer.send(answer(query), port, address);
});
const paths: string[] = [];
/** The answer of the name server after the first page was requested. */
let later: readonly string[] | undefined;
const site = createServer((request, response) => {
  paths.push(request.url ?? '');
  if (later && request.url === '/start') addresses = later;
  response.writeHead(200, { 'content-type': 'text/html', connection: 'close' });
  response.end('<title>Page</title><link rel=icon href=data:,><a href="/private">Private</a>');
});
beforeAll(async () => {
  await new Promise<void>((resolve) => nameServer.bind(0, '127.0.0.1', resolve));
  resolver.setServers([`127.0.0.1:${nameServer.address().port}`]);
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  nameServer.close();
  site.close();
});
beforeEach(() => {
  addresses = [PUBLIC];
  later = undefined;
  paths.length = 0;
});

const engine = useEngine([], {
  lookUp: async (name) =>
    (await resolver.resolve4(name)).map((address) => ({ address, family: 4 })),
  route: (one) => (one === PUBLIC ? '127.0.0.1' : one),
});
const open = (path: string): string =>
  `http://rebind.test:${(site.address() as AddressInfo).port}${path}`;

it.each(['127.0.0.1', '10.0.0.7', '169.254.169.254', '0.0.0.0'])(
  'a page reaches nothing after its name changes to %s',
  async (target) => {
    await engine.text('navigate', { url: open('/public') });
    expect(paths).toContain('/public');
    const before = questions;
    addresses = [target];
    const code = `return await fetch('/private').then(() => 'reached', () => 'refused')`;
    expect(await engine.text('javascript_tool', { code })).toBe('refused');
    expect(questions).toBeGreaterThan(before);
    expect(await engine.failure('navigate', { url: open('/private') })).toMatchObject({
      code: 'domain_not_allowed',
    });
    expect(paths).not.toContain('/private');
  },
);

it('of several addresses only the public one is used', async () => {
  addresses = ['10.0.0.7', PUBLIC, '127.0.0.1'];
  await engine.text('navigate', { url: open('/mixed') });
  expect(paths).toEqual(expect.arrayContaining(['/mixed']));
});

it.each(['127.0.0.1', '10.0.0.7', '169.254.169.254', '0.0.0.0'])(
  'a crawl by fetches asks the same name server and reaches nothing after its answer is %s',
  async (target) => {
    later = [target];
    const before = questions;
    const { summary } = await engine.json<{ summary: { refused: { private: number } } }>('crawl', {
      url: open('/start'),
      render: 'fetch',
      respect_robots: false,
      max_pages: 5,
    });
    expect(questions).toBeGreaterThan(before);
    expect(paths).toEqual(['/start']);
    expect(summary.refused.private).toBe(1);
  },
);

it('a crawl by fetches uses only the public one of several addresses', async () => {
  addresses = ['10.0.0.7', PUBLIC, '127.0.0.1'];
  await engine.json('crawl', {
    url: open('/mixed'),
    render: 'fetch',
    respect_robots: false,
    max_pages: 1,
  });
  expect(paths).toEqual(['/mixed']);
});
