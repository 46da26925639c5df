// The demo's little web site on loopback: a bookshop with a list from a JSON API, an order form and
// a page per book.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { BOOKS } from './books.mjs';

const page = (name) => readFile(new URL(name, import.meta.url), 'utf8');

const bookPage = ({
  title,
  author,
  year,
  price,
}) => `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title></head>
<body><h1>${title}</h1><p>by ${author}, ${year}</p><p>Price: ${price.toFixed(2)} €</p><p><a href="/">All books</a></p></body></html>`;

/** Starts the site; `orders` are what it received, so that a demo can prove what it did. */
export const startSite = async (port = 0) => {
  const orders = [];
  const index = await page('index.html');
  const answer = async (request) => {
    const { pathname } = new URL(request.url, 'http://site');
    if (pathname === '/') return { type: 'text/html', body: index };
    if (pathname === '/api/books')
      return {
        type: 'application/json',
        body: JSON.stringify({ count: BOOKS.length, books: BOOKS }),
      };
    if (pathname === '/api/orders' && request.method === 'POST') {
      orders.push(JSON.parse(await text(request)));
      return {
        type: 'application/json',
        body: JSON.stringify({ order: 1000 + orders.length, status: 'accepted' }),
      };
    }
    const book = BOOKS.find(({ id }) => pathname === `/books/${id}`);
    return book
      ? { type: 'text/html', body: bookPage(book) }
      : { status: 404, type: 'text/plain', body: 'There is no such page.' };
  };
  const server = createServer((request, response) => {
    answer(request).then(
      ({ status = 200, type, body }) =>
        response.writeHead(status, { 'content-type': `${type}; charset=utf-8` }).end(body),
      () => response.writeHead(400).end(),
    );
  });
  await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    orders,
    htmlBytes: Buffer.byteLength(index),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
};

const text = async (request) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
};
