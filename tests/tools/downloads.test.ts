// downloads: objects with their path, type, size and state; the connection outlives whatever they
// do.
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';

interface Listed {
  readonly id: string;
  readonly file: string;
  readonly path?: string;
  readonly type?: string;
  readonly sizeBytes: number | null;
  readonly state: string;
  readonly url: string;
}

const site = useSite({
  '/report': (_, response) =>
    void response
      .writeHead(200, {
        'content-type': 'text/csv',
        'content-disposition': 'attachment; filename="report.csv"',
      })
      .end('a,b\n1,2\n'),
  '/endless': (_, response) =>
    void response
      .writeHead(200, {
        'content-type': 'application/zip',
        'content-disposition': 'attachment; filename="big.zip"',
      })
      .write('x'.repeat(1000)),
});
const server = useEngine();

const open = (page: string): Promise<unknown> =>
  server.json('navigate', { url: site.page('/page', `<!doctype html><title>T</title>${page}`) });
const list = async (): Promise<Listed[]> =>
  (await server.json<{ downloads: Listed[] }>('downloads')).downloads;

it('is empty at first, without starting Chrome', async () => expect(await list()).toEqual([]));

it('lists a file that a link downloaded, and its path', async () => {
  await open('<a href="/report">Get</a>');
  await server.text('interact', { action: 'click', query: 'Get' });
  await server.text('wait_for', { download: 'report' });
  const [download] = await list();
  expect(download).toMatchObject({
    id: 'd1',
    file: 'report.csv',
    type: 'text/csv',
    sizeBytes: 8,
    state: 'completed',
    url: `${site.origin}/report`,
  });
  expect(download?.path?.startsWith(join(server.home, 'downloads'))).toBe(true);
  expect(readFileSync(download?.path ?? '', 'utf8')).toBe('a,b\n1,2\n');
});

it('keeps both of two files with the same name, each under the path that is reported', async () => {
  await open(
    `<button onclick="for (const text of ['one', 'two']) { const a = document.createElement('a'); a.href = window.URL.createObjectURL(new Blob([text])); a.download = 'same.txt'; a.click(); }">Both</button>`,
  );
  await server.text('interact', { action: 'click', query: 'Both' });
  const listSame = async (): Promise<Listed[]> =>
    (await list()).filter(({ file, state }) => file === 'same.txt' && state === 'completed');
  await expect.poll(async () => (await listSame()).length, { timeout: 10_000 }).toBe(2);
  const paths = (await listSame()).map(({ path = '' }) => path);
  expect(paths.map((path) => basename(path)).toSorted()).toEqual(['same (1).txt', 'same.txt']);
  expect(paths.map((path) => readFileSync(path, 'utf8')).toSorted()).toEqual(['one', 'two']);
});

it('lists a file that a script created', async () => {
  await open(
    `<button onclick="const a=document.createElement('a');a.href=window.URL.createObjectURL(new Blob(['made here']));a.download='made.txt';a.click()">Make</button>`,
  );
  expect(await server.text('interact', { action: 'click', query: 'Make' })).toMatch(
    /download d\d+ "made\.txt"/,
  );
  await server.text('wait_for', { download: 'made.txt' });
  const made = (await list()).find(({ file }) => file === 'made.txt');
  expect(readFileSync(made?.path ?? '', 'utf8')).toBe('made here');
});

it('cancels one that is under way', async () => {
  await open('<a href="/endless">Get</a>');
  await server.text('interact', { action: 'click', query: 'Get' });
  const endless = (await list()).find(({ file }) => file === 'big.zip');
  expect(endless?.state).toBe('in_progress');
  expect(await server.json('downloads', { action: 'cancel', id: endless?.id })).toEqual({
    canceled: endless?.id,
  });
  await server.text('wait_for', { download: 'big.zip' });
  expect((await list()).find(({ file }) => file === 'big.zip')?.state).toBe('canceled');
  expect((await server.failure('downloads', { action: 'cancel', id: endless?.id })).code).toBe(
    'invalid_argument',
  );
});

it('begun by an address that was opened leaves the tab usable', async () => {
  expect(await server.json('navigate', { url: `${site.origin}/report` })).toMatchObject({
    download: true,
  });
  await open('<h1>Still here</h1>');
  expect(await server.text('read_page', {})).toContain('Still here');
});

it('of another session are not listed', async () => {
  const reply = await server.reply('downloads', {}, 'other');
  expect(
    (reply.json as { downloads: Listed[] }).downloads.filter(({ file }) => file === 'report.csv'),
  ).toEqual([]);
});
