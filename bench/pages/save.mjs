// node bench/pages/save.mjs FOLDER [page …]: makes the pages here anew from packages that lie
// unpacked in FOLDER (see LICENSES.md).
import { createServer } from 'node:http';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { extname, join, normalize } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startRawChrome } from '../lib/raw-chrome.mjs';
import { savePage } from '../lib/save-page.mjs';

/** The interface that the API console shows. */
const spec = () => {
  const id = {
    name: 'id',
    in: 'path',
    required: true,
    description: 'The number of the thing',
    schema: { type: 'integer' },
  };
  const ok = {
    200: { description: 'As asked' },
    404: { description: 'There is none of that number' },
  };
  const paths = Object.fromEntries(
    ['book', 'reader', 'loan', 'branch'].flatMap((thing) => [
      [
        `/${thing}s`,
        {
          get: { tags: [thing], summary: `List every ${thing}`, responses: ok },
          post: { tags: [thing], summary: `Add a ${thing}`, responses: ok },
        },
      ],
      [
        `/${thing}s/{id}`,
        {
          get: { tags: [thing], summary: `One ${thing}`, parameters: [id], responses: ok },
          delete: {
            tags: [thing],
            summary: `Take a ${thing} away`,
            parameters: [id],
            responses: ok,
            deprecated: true,
          },
        },
      ],
    ]),
  );
  return {
    openapi: '3.0.3',
    info: {
      title: 'Town library',
      version: '1.2.0',
      description: 'Books, readers and what they have borrowed.',
    },
    servers: [{ url: '/v1' }],
    paths,
  };
};
const CONSOLE = `SwaggerUIBundle({ spec: ${JSON.stringify(spec())}, dom_id: '#swagger-ui', docExpansion: 'list', deepLinking: true });
  new Promise((resolve) => setTimeout(resolve, 1500)).then(() => document.querySelectorAll('.opblock-summary-control')[2].click()).then(() => new Promise((resolve) => setTimeout(resolve, 500)))`;

/**
 * Our name of the page, the package's folder, the file in it, and what to do on the page before it
 * is saved.
 */
const PAGES = [
  { name: 'dashboard', root: 'admin-lte', path: 'index3.html' },
  { name: 'mailbox', root: 'admin-lte', path: 'pages/mailbox/mailbox.html' },
  { name: 'form-general', root: 'admin-lte', path: 'pages/forms/general.html' },
  { name: 'form-widgets', root: 'admin-lte', path: 'pages/forms/advanced.html' },
  { name: 'data-table', root: 'admin-lte', path: 'pages/tables/data.html' },
  { name: 'calendar', root: 'admin-lte', path: 'pages/calendar.html' },
  { name: 'kanban', root: 'admin-lte', path: 'pages/kanban.html' },
  { name: 'invoice', root: 'admin-lte', path: 'pages/examples/invoice.html' },
  { name: 'product', root: 'admin-lte', path: 'pages/examples/e-commerce.html' },
  { name: 'search-results', root: 'admin-lte', path: 'pages/search/enhanced-results.html' },
  { name: 'chat', root: 'gentelella/dist', path: 'production/chat.html' },
  { name: 'settings', root: 'gentelella/dist', path: 'production/settings.html' },
  { name: 'landing', root: 'startbootstrap-agency/dist', path: 'index.html' },
  { name: 'shop', root: 'startbootstrap-shop-homepage/dist', path: 'index.html' },
  { name: 'blog-post', root: 'startbootstrap-clean-blog/dist', path: 'post.html' },
  { name: 'faq', root: 'startbootstrap-modern-business/dist', path: 'faq.html' },
  { name: 'login', root: 'startbootstrap-sb-admin-2', path: 'login.html' },
  { name: 'right-to-left', root: 'material-dashboard', path: 'pages/rtl.html' },
  { name: 'api-console', root: 'swagger-ui-dist', path: 'index.html', prepare: CONSOLE },
  { name: 'manual', root: 'postgresql-doc-15', path: 'html/sql-select.html' },
  { name: 'reference', root: 'python3.11-doc', path: 'html/library/json.html' },
  { name: 'diagrams', root: 'sqlite3-doc', path: 'lang_transaction.html' },
  { name: 'long-index', root: 'apache2-doc/manual', path: 'en/mod/quickreference.html' },
  { name: 'japanese', root: 'apache2-doc/manual', path: 'ja/howto/htaccess.html' },
];

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
};

const serve = async (folder) => {
  const server = createServer((request, response) => {
    const file = join(
      folder,
      normalize(decodeURIComponent(new URL(request.url, 'http://local').pathname)),
    );
    if (!existsSync(file) || !statSync(file).isFile()) response.writeHead(404).end();
    else
      response
        .writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' })
        .end(readFileSync(file));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    end: () => (server.closeAllConnections(), server.close()),
  };
};

const [folder, ...names] = process.argv.slice(2);
const chrome = await startRawChrome();
// no fonts, and no alert of a demo
await chrome.send('Network.setBlockedURLs', { urls: ['https://*', '*/dist/js/demo.js'] });
for (const { name, root, path, prepare } of PAGES) {
  if (names.length && !names.includes(name)) continue;
  const site = await serve(join(folder, root));
  await chrome.navigate(`${site.origin}/${path}`);
  await pause(3_000); // scripts draw calendars, tables and editors after the load
  const html = await savePage(chrome, prepare);
  site.end();
  writeFileSync(new URL(`${name}.html`, import.meta.url), `${html}\n`);
  console.log(`${name}: ${Math.round(html.length / 1024)} kB`);
}
await chrome.end();
