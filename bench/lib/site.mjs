// The pages that are measured, served on loopback.
import { createServer } from 'node:http';

const words = 'metal river lantern harbour quiet signal copper meadow winter engine paper garden'.split(' ');
const sentence = (n) => Array.from({ length: 14 }, (_, i) => words[(n * 7 + i * 5) % words.length]).join(' ');

const article = `<!doctype html><html lang=en><title>On metal</title><style>body{font:16px sans-serif;max-width:40em;margin:auto}</style>
<nav>${words.map((w) => `<a href="/${w}">${w}</a> `).join('')}</nav><main><h1>On metal</h1>
${Array.from({ length: 60 }, (_, i) => `${i % 10 ? '' : `<h2>Part ${i / 10 + 1}</h2>`}<p>${sentence(i)}. ${sentence(i + 3)}.</p>`).join('\n')}</main></html>`;

const PAGES = {
  '/small': '<!doctype html><html lang=en><title>Small</title><h1>Small</h1><p>One paragraph.</p><a href="/article">Article</a></html>',
  '/article': article,
};

export const startSite = async () => {
  const server = createServer((request, response) => {
    const page = PAGES[request.url.split('?')[0]];
    response.writeHead(page ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' }).end(page ?? 'not found');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    end: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
