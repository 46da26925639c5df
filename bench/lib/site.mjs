// The pages that are measured, served on loopback, and what they sent back: tasks are judged by
// that, not by anybody's word.
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { wrongFields } from './form.mjs';
import { generatedPage } from './generated.mjs';

const SAVED = new URL('../pages/', import.meta.url);

/** Real pages, each saved as one file; LICENSES.md beside them says where they are from. */
export const savedPages = () =>
  readdirSync(SAVED)
    .filter((file) => file.endsWith('.html'))
    .map((file) => file.slice(0, -'.html'.length));

const savedPage = (path) => {
  const name = path.startsWith('/saved/') ? path.slice('/saved/'.length) : '';
  return savedPages().includes(name)
    ? readFileSync(new URL(`${name}.html`, SAVED), 'utf8')
    : undefined;
};

const bodyOf = async (request) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  return JSON.parse(body);
};

export const startSite = async () => {
  const seen = { forms: [], approved: [] };
  const made = new Map();
  let endless;
  const taken = {
    '/form/sent': (sent) => {
      const wrong = wrongFields(sent);
      seen.forms.push({ wrong });
      return `Received, ${40 - wrong.length} of 40 as wanted`;
    },
    '/table/approved': (approved) => {
      seen.approved.push(approved);
      return 'Approved';
    },
  };
  const answerOf = async (request, path) => {
    if (taken[path]) return { type: 'text/plain', text: taken[path](await bodyOf(request)) };
    if (!made.has(path)) made.set(path, generatedPage(path, { origins }) ?? savedPage(path));
    return { type: 'text/html', text: made.get(path) };
  };
  const answer = async (request, response) => {
    if (request.url === '/no-content') return response.writeHead(204).end();
    // One at a time: Chrome opens no more than six connections to a site.
    if (request.url === '/endless') {
      endless?.destroy();
      endless = response;
      return response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
    }
    return answerOf(request, request.url.split('?')[0]).then(({ type, text }) =>
      response
        .writeHead(text ? 200 : 404, { 'content-type': `${type}; charset=utf-8` })
        .end(text ?? 'not found'),
    );
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  // Chrome finds every name under localhost on loopback by itself, and holds them for different
  // sites.
  const origins = ['127.0.0.1', 'one.localhost', 'two.localhost'].map(
    (host) => `http://${host}:${port}`,
  );
  return {
    origin: origins[0],
    seen,
    end: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
