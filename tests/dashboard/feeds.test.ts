// The feeds of the dashboard: events without gaps, limits of viewers, and live pictures.
import { appendFile, readdir } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useSite } from '../fixtures.ts';
import {
  makeHome,
  send,
  startDashboard,
  takeAccess,
  type ViewerHeaders,
} from './dashboard-server.ts';
import {
  closeSocket,
  type LivePicture,
  openLive,
  readPicture,
  useWatchedServer,
} from './live-socket.ts';

interface FeedEvent {
  readonly id: string | undefined;
  readonly name: string;
  readonly data: unknown;
}

interface OpenFeed {
  readonly status: number;
  readonly events: FeedEvent[];
  /** Waits until the events pass the test. */
  until(test: (events: readonly FeedEvent[]) => boolean): Promise<void>;
  pause(): void;
  resume(): void;
  /** Resolves when the server has ended the connection. */
  readonly closed: Promise<void>;
  close(): void;
}

const parseEvent = (block: string): FeedEvent | undefined => {
  const fields = new Map(
    block.split('\n').map((line) => {
      const [name = '', ...rest] = line.split(': ');
      return [name, rest.join(': ')] as const;
    }),
  );
  const name = fields.get('event');
  return name === undefined
    ? undefined
    : { id: fields.get('id'), name, data: JSON.parse(fields.get('data') ?? 'null') };
};

const openFeed = (
  origin: string,
  access: ViewerHeaders,
  headers: Record<string, string> = {},
): Promise<OpenFeed> =>
  new Promise((resolve, reject) => {
    const events: FeedEvent[] = [];
    const checks = new Set<() => void>();
    const request = httpRequest(
      new URL('/dashboard/events', origin),
      { headers: { ...access, ...headers } },
      (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => {
          text += chunk.toString();
          const blocks = text.split('\n\n');
          text = blocks.pop() ?? '';
          for (const block of blocks) {
            const event = parseEvent(block);
            if (event) events.push(event);
          }
          for (const check of checks) check();
        });
        response.on('error', () => {}); // closed by the test or by the end of the server
        resolve({
          status: response.statusCode ?? 0,
          events,
          until: (test) =>
            new Promise((done) => {
              const check = (): void => {
                if (!test(events)) return;
                checks.delete(check);
                done();
              };
              checks.add(check);
              check();
            }),
          pause: () => response.pause(),
          resume: () => response.resume(),
          closed: new Promise((done) => {
            response.socket.once('close', () => done());
          }),
          close: () => request.destroy(),
        });
      },
    );
    request.once('error', reject);
    request.end();
  });

interface Row {
  readonly id: string;
  readonly tool?: string;
  readonly target?: string;
}

const listRows = (events: readonly FeedEvent[]): Row[] =>
  events
    .filter(({ name }) => name === 'calls')
    .flatMap(({ data }) => (data as { rows: readonly Row[] }).rows);

describe('the feed of events', () => {
  it('continues after the last event without a gap, also after a restart of the server', async () => {
    const home = await makeHome();
    const first = await startDashboard({ home });
    const access = await takeAccess(first.url);
    const feed = await openFeed(first.origin, access);
    for (const query of ['one', 'two']) await first.call('expand_tools', { query });
    await feed.until((events) => listRows(events).length >= 2);
    const last = feed.events.findLast(({ id }) => id !== undefined)?.id ?? '';
    feed.close();
    await first.call('expand_tools', { query: 'three' });
    await first.stop();
    const second = await startDashboard({ home, port: first.port });
    await second.call('expand_tools', { query: 'four' });
    const resumed = await openFeed(second.origin, access, { 'last-event-id': last });
    await resumed.until((events) => listRows(events).length >= 2);
    await second.call('expand_tools', { query: 'five' });
    await resumed.until((events) => listRows(events).length >= 3);
    const rows = [...listRows(feed.events), ...listRows(resumed.events)];
    expect(rows.map(({ target }) => target)).toEqual(['one', 'two', 'three', 'four', 'five']);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(5);
    resumed.close();
  });

  it('serves 20 viewers and rejects more with a status, without harm to the others', async () => {
    const server = await startDashboard({ home: await makeHome() });
    const access = await takeAccess(server.url);
    const feeds = await Promise.all(
      Array.from({ length: 20 }, () => openFeed(server.origin, access)),
    );
    expect(feeds.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    const further = await send(server.origin, '/dashboard/events', { headers: access });
    expect(further.status).toBe(503);
    expect(further.text).toContain('overloaded');
    await server.call('expand_tools', { query: 'for all' });
    await Promise.all(feeds.map((feed) => feed.until((events) => listRows(events).length === 1)));
    feeds[0]?.close();
    await expect
      .poll(async () => {
        const feed = await openFeed(server.origin, access);
        feed.close();
        return feed.status;
      })
      .toBe(200);
    for (const feed of feeds) feed.close();
  });

  it('disconnects a viewer that does not read, and serves the others', async () => {
    const home = await makeHome();
    const server = await startDashboard({ home });
    const access = await takeAccess(server.url);
    await server.call('expand_tools', { query: 'first' });
    const stuck = await openFeed(server.origin, access);
    stuck.pause();
    const folder = join(home, 'journal');
    const [file = ''] = await readdir(folder);
    const call = { ts: Date.now(), tool: 'find', session: 'x', args: { query: 'q'.repeat(190) } };
    const line = `${JSON.stringify({ ...call, summary: 's'.repeat(290) })}\n`;
    await appendFile(join(folder, file), line.repeat(40_000));
    const other = await openFeed(server.origin, access);
    await server.call('expand_tools', { query: 'last' });
    await other.until((events) => listRows(events).some(({ target }) => target === 'last'));
    stuck.resume();
    await stuck.closed;
    expect(listRows(stuck.events).length).toBeLessThan(40_000);
    other.close();
  });

  it('reports an unknown position as a gap', async () => {
    const server = await startDashboard({ home: await makeHome() });
    const access = await takeAccess(server.url);
    await server.call('expand_tools', { query: 'one' });
    const feed = await openFeed(server.origin, access, { 'last-event-id': '1.2' });
    await feed.until((events) => listRows(events).length === 1);
    expect(feed.events.find(({ name }) => name === 'calls')?.data).toMatchObject({ gap: true });
    feed.close();
  });
});

describe('the live feed', () => {
  const site = useSite();
  const watched = useWatchedServer();

  const openTab = async (url: string): Promise<string> =>
    (JSON.parse(await watched.server.call('navigate', { url })) as { tabId: string }).tabId;

  it('is closed to connections without a cookie or a key, or from another origin', async () => {
    const { origin } = watched.server;
    const { cookie, 'x-openchrome-key': key } = watched.access;
    expect(await openLive(origin, { origin })).toBe(401);
    expect(await openLive(origin, { origin, cookie })).toBe(401);
    expect(await openLive(origin, { origin, 'x-openchrome-key': key })).toBe(401);
    expect(await openLive(origin, { ...watched.access, origin: 'http://evil.example' })).toBe(403);
    expect(await openLive(origin, { ...watched.access, host: 'evil.example' })).toBe(403);
  });

  it('sends pictures, and the next one only after an acknowledgement', async () => {
    site.page(
      '/moving',
      `<body style="margin:0"><h1 id="n">0</h1><script>
         let n = 0; setInterval(() => { document.getElementById('n').textContent = ++n }, 16)
       </script>`,
    );
    const tabId = await openTab(`${site.origin}/moving`);
    const socket = await watched.openSocket();
    const pictures: LivePicture[] = [];
    let onPicture = (): void => {};
    socket.on('message', (data: Buffer, isBinary) => {
      if (!isBinary) return;
      pictures.push(readPicture(data));
      onPicture();
    });
    const next = (): Promise<void> => new Promise((resolve) => (onPicture = resolve));
    const first = next();
    socket.send(JSON.stringify({ type: 'watch', tabs: [tabId], width: 480 }));
    await first;
    const [picture] = pictures;
    expect(picture?.header).toMatchObject({ tabId, secrets: [] });
    expect(picture?.jpeg.subarray(0, 2).toString('hex')).toBe('ffd8');
    // The page draws all the time: without an acknowledgement no picture follows. The reply to
    // another message comes after any picture that was sent before it.
    const answered = new Promise((resolve) => socket.once('message', resolve));
    socket.send('no message');
    await answered;
    expect(pictures).toHaveLength(1);
    const second = next();
    socket.send(JSON.stringify({ type: 'ack', tabId, n: picture?.header.n }));
    await second;
    expect(pictures[1]?.header.n).toBeGreaterThan(picture?.header.n ?? 0);
    await closeSocket(socket);
  });

  it('serves 20 viewers and refuses more', async () => {
    const sockets = await Promise.all(Array.from({ length: 20 }, watched.openSocket));
    expect(
      await openLive(watched.server.origin, { ...watched.access, origin: watched.server.origin }),
    ).toBe(503);
    await Promise.all(sockets.map(closeSocket));
  });

  it('survives messages that are not valid', async () => {
    const socket = await watched.openSocket();
    const messages = [
      '',
      '{',
      'null',
      '[]',
      '{"type":"watch"}',
      '{"type":"watch","tabs":["no-such-tab"],"width":-5}',
      '{"type":"ack"}',
      '{"type":"take-over","tabId":"no-such-tab"}',
      '{"type":"input","tabId":"x","input":{"type":"pointer"}}',
      '{"type":"__proto__"}',
    ];
    for (const message of messages) socket.send(message);
    socket.send(Buffer.from([255, 255, 255, 255, 1]));
    socket.send(Buffer.alloc(0));
    await closeSocket(socket);
    expect(await send(watched.server.origin, '/health')).toMatchObject({ status: 200 });
  });
});
