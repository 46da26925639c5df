// crawl of files: only where the server allows it, and no further than their folder.
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CrawlResult } from '../../src/features/crawl/result.ts';
import { useEngine, useSite } from '../fixtures.ts';

const site = useSite();
let folder = '';
const engine = useEngine(['--allow-file-access', '--allow-root', tmpdir()]);
const closed = useEngine(['--allow-file-access']);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'openchrome-files-'));
  await mkdir(join(folder, 'site'));
  await writeFile(join(folder, 'secret.html'), '<title>Secret</title>');
  await writeFile(
    join(folder, 'site', 'index.html'),
    '<title>Home</title><a href="two.html">two</a><a href="../secret.html">out</a>',
  );
  await writeFile(
    join(folder, 'site', 'two.html'),
    '<title>Two</title><a href="https://elsewhere.example/">web</a>',
  );
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('reads files of one folder, in a tab', async () => {
  const { pages, summary } = await engine.json<CrawlResult>('crawl', {
    url: pathToFileURL(join(folder, 'site', 'index.html')).href,
  });
  expect(pages).toMatchObject([
    { title: 'Home', via: 'browser' },
    { title: 'Two', via: 'browser' },
  ]);
  expect(summary.refused.scope).toBe(2);
});

it('reads no file outside of the folders that tools may use', async () => {
  const { code } = await closed.failure('crawl', {
    url: pathToFileURL(join(folder, 'secret.html')).href,
  });
  expect(code).toBe('file_not_allowed');
});

it('does not follow symbolic links out of the folder or the allowed folders', async () => {
  const start = join(folder, 'linked', 'index.html');
  await mkdir(join(folder, 'linked'));
  await symlink(join(folder, 'secret.html'), join(folder, 'linked', 'near.html'));
  await symlink('/etc/hostname', join(folder, 'linked', 'far.html'));
  await symlink('/etc', join(folder, 'linked', 'etc'));
  await writeFile(join(folder, 'linked', 'own.html'), '<title>Own</title>');
  await symlink('own.html', join(folder, 'linked', 'inside.html'));
  const links = ['near.html', 'far.html', 'etc/hostname', 'inside.html'];
  await writeFile(
    start,
    `<title>Linked</title>${links.map((to) => `<a href="${to}">x</a>`).join(' ')}`,
  );
  const { pages, summary } = await engine.json<CrawlResult>('crawl', {
    url: pathToFileURL(start).href,
  });
  expect(pages.map(({ title }) => title)).toEqual(['Linked', 'Own']);
  expect(summary.refused.scope).toBe(3);
});

// A crawl that starts at a file is not on the local network, like one that starts at a web page.
it.each(['fetch', 'browser'])(
  'visits no private machine that a page leads to from elsewhere (%s)',
  async (render) => {
    const asked: string[] = [];
    site.page(
      '/inside',
      ({ url = '' }, response) => void (asked.push(url), response.end('inside')),
    );
    const hosts = [
      '127.0.0.1',
      'localhost',
      '[::1]',
      '2130706433',
      '0x7f.1',
      '[::ffff:127.0.0.1]',
      'localhost.',
    ];
    const others = [
      'http://10.0.0.1/',
      'http://192.168.1.1/',
      'http://169.254.169.254/latest/meta-data/',
      'http://[fe80::1]/',
    ];
    const links = [...hosts.map((host) => `http://${host}:${site.port}/inside`), ...others];
    const start = join(folder, 'site', `leads-${render}.html`);
    await writeFile(
      start,
      `<title>Leads inside</title>${links.map((to) => `<a href="${to}">x</a>`).join(' ')}`,
    );
    const { pages, summary } = await engine.json<CrawlResult>('crawl', {
      url: pathToFileURL(start).href,
      scope: 'any',
      render,
    });
    expect(pages.map(({ title }) => title)).toEqual(['Leads inside']);
    // some of the names are one and the same
    expect(summary.refused.private).toBeGreaterThanOrEqual(6);
    expect(summary.refused.scope + summary.refused.domain).toBe(0);
    expect(asked).toEqual([]);
  },
);
