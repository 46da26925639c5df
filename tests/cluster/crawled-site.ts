// A site for tests of crawls: pages that link to each other, redirects, duplicates, refused links.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';

export interface CrawledSite extends AsyncDisposable {
  readonly origin: string;
  /** Paths in the order of their requests. */
  readonly requests: readonly string[];
  /** Resolves when this many requests have arrived. */
  reached(count: number): Promise<void>;
  /** Number of requests whose answer is not complete and whose client still waits. */
  readonly open: () => number;
  /** Called for each request before it is answered. */
  onRequest: (path: string) => Promise<void> | void;
}

const PAGES = 60;

const page = (n: number): string => {
  const next = [2 * n + 1, 2 * n + 2].filter((child) => child < PAGES);
  const links = [
    ...next.map((child) => `/page/${child}`),
    '/page/0',
    `/moved/${n}`,
    '/private/secret',
    `/picture-${n % 7}.png`,
    'http://elsewhere.example/',
  ];
  return `<!doctype html><title>Page ${n}</title><main><h1>Page ${n}</h1><p>${`The text of page ${n}. `.repeat(20)}</p>${links
    .map((href) => `<a href="${href}">${href}</a>`)
    .join(' ')}</main>`;
};

const answer = (path: string, origin: string, response: ServerResponse): void => {
  if (path === '/robots.txt') {
    response.setHeader('content-type', 'text/plain');
    response.end('User-agent: *\nDisallow: /private/\n');
    return;
  }
  if (path === '/sitemap.xml') {
    response.setHeader('content-type', 'application/xml');
    const urls = Array.from(
      { length: PAGES },
      (_, n) => `<url><loc>${origin}/page/${n}</loc></url>`,
    );
    response.end(`<urlset>${urls.join('')}</urlset>`);
    return;
  }
  const moved = /^\/moved\/(\d+)$/.exec(path);
  if (moved) {
    response.writeHead(302, { location: `/page/${Number(moved[1]) % 5}` }).end();
    return;
  }
  response.setHeader('content-type', 'text/html');
  response.end(page(Number(/^\/page\/(\d+)$/.exec(path)?.[1] ?? 0)));
};

export const startSite = async (): Promise<CrawledSite> => {
  const requests: string[] = [];
  const open = new Set<ServerResponse>();
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? '/';
    requests.push(path);
    open.add(response);
    response.on('close', () => open.delete(response));
    for (const { count, resolve } of waiting) if (requests.length >= count) resolve();
    await site.onRequest(path);
    answer(path, site.origin, response);
  };
  const server = createServer((request, response) => void handle(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const site: CrawledSite = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    reached: (count) =>
      requests.length >= count
        ? Promise.resolve()
        : new Promise((resolve) => waiting.push({ count, resolve })),
    open: () => open.size,
    onRequest: () => {},
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return site;
};
