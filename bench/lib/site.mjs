// The pages that are measured, served on loopback, and what they sent back: tasks are judged by that, not by anybody's word.
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { wrongFields } from './form.mjs';
import { generatedPage } from './generated.mjs';

const SAVED = new URL('../pages/', import.meta.url);

/** Real pages, each saved as one file; LICENSES.md beside them says where they are from. */
export const savedPages = () => readdirSync(SAVED).filter((file) => file.endsWith('.html')).map((file) => file.slice(0, -'.html'.length));

const savedPage = (path) => {
  const name = path.startsWith('/saved/') ? path.slice('/saved/'.length) : '';
  return savedPages().includes(name) ? readFileSync(new URL(`${name}.html`, SAVED), 'utf8') : undefined;
};

const bodyOf = async (request) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  return JSON.parse(body);
};

export const startSite = async () => {
  const seen = { forms: [], approved: [] };
  const made = new Map();
  const server = createServer(async (request, response) => {
    const path = request.url.split('?')[0];
    const answer = (status, type, text) => response.writeHead(status, { 'content-type': `${type}; charset=utf-8` }).end(text);
    if (path === '/form/sent') {
      const wrong = wrongFields(await bodyOf(request));
      seen.forms.push({ wrong });
      return answer(200, 'text/plain', `Received, ${40 - wrong.length} of 40 as wanted`);
    }
    if (path === '/table/approved') {
      seen.approved.push(await bodyOf(request));
      return answer(200, 'application/json', '{}');
    }
    if (!made.has(path)) made.set(path, generatedPage(path, { origins }) ?? savedPage(path));
    const page = made.get(path);
    answer(page ? 200 : 404, 'text/html', page ?? 'not found');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  // Chrome finds every name under localhost on loopback by itself, and holds them for different sites.
  const origins = ['127.0.0.1', 'one.localhost', 'two.localhost'].map((host) => `http://${host}:${port}`);
  return {
    origin: origins[0],
    seen,
    end: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
