// A site of requests: 200 and 10,000 of them, and a shop whose page gets its goods from a JSON API.
import { createServer } from 'node:http';

export const MANY = 10_000;
export const items = Array.from({ length: 60 }, (_, i) => ({
  id: `sku-${i}`,
  title: `Gear ${i}`,
  price: ((i * 7919) % 5000) / 100,
  secret: `serial-${((i * 2654435761) >>> 0).toString(36)}`,
}));
const done = "document.getElementById('done').textContent = 'done'";

const PAGES = {
  '/two-hundred': `(async () => { for (let b = 0; b < 20; b++) await Promise.all(Array.from({ length: 10 }, async (_, j) => { const i = b * 10 + j; await (await fetch('/api/echo/' + i + '?token=abcdef0123456789' + (i % 2 ? '&session=' + i : ''), i % 10 === 1 ? { method: 'POST', body: '{}' } : {})).json(); })); ${done}; })()`,
  '/shop': `(async () => { await (await fetch('/api/items.json?page=1')).json(); await fetch('/graphql', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ operationName: 'Stock', query: 'query Stock { stock }' }) }); ${done}; })()`,
  '/many': `(async () => { for (let b = 0; b < ${MANY / 50}; b++) await Promise.all(Array.from({ length: 50 }, async (_, j) => (await fetch('/api/echo/' + (b * 50 + j))).json())); ${done}; })()`,
};

export const startApiSite = async () => {
  const server = createServer((request, response) => {
    const path = request.url.split('?')[0];
    const json = (value) =>
      response
        .writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' })
        .end(JSON.stringify(value));
    request.resume();
    if (path === '/api/items.json') return json({ page: 1, items });
    if (path === '/graphql')
      return json({ data: { stock: items.map(({ id }, i) => ({ id, left: i })) } });
    if (path.startsWith('/api/echo/'))
      return json({ i: Number(path.slice(10)), pad: 'x'.repeat(200) });
    if (!PAGES[path]) return response.writeHead(404).end();
    return response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(
        `<!doctype html><title>Page</title><p id=done>working</p><script>${PAGES[path]}</script>`,
      );
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    end: () => (server.closeAllConnections(), server.close()),
  };
};
