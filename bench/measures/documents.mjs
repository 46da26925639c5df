// Reading the text of a PDF with 300 pages, beside pdftotext (poppler-utils), which only prints it.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { startOpenChrome } from '../lib/openchrome.mjs';
import { clock, median, ms, times } from '../lib/stats.mjs';

const PAGES = 300;
/** The time that a model takes before its next call; until then Chrome's viewer has started. */
const PAUSE_MS = 1000;
const WORDS = 'the quick brown fox jumps over a lazy dog while seven engineers measure time'.split(
  ' ',
);

/** Four paragraphs of 90 words and a table of six rows on each page. */
const buildHtml = () => {
  let seed = 0;
  const word = () => WORDS[(seed = (seed * 1103515245 + 12345) % 2147483648) % WORDS.length];
  const words = (count) => Array.from({ length: count }, word).join(' ');
  const repeat = (count, build) =>
    Array.from({ length: count }, (_, index) => build(index)).join('');
  return repeat(
    PAGES,
    (page) =>
      `<h2 style="break-after:avoid;break-before:${page ? 'page' : 'auto'}">Chapter ${page}</h2>` +
      repeat(4, () => `<p>${words(90)}</p>`) +
      `<table>${repeat(6, (row) => `<tr><td>${word()}</td><td>${row * page}</td></tr>`)}</table>`,
  );
};

export const documents = async ({ reps }) => {
  const folder = mkdtempSync(join(tmpdir(), 'openchrome-bench-'));
  const file = join(folder, 'book.pdf');
  const server = createServer((request, response) => {
    const isPdf = request.url.startsWith('/book.pdf');
    response.writeHead(200, { 'content-type': isPdf ? 'application/pdf' : 'text/html' });
    response.end(isPdf ? readFileSync(file) : buildHtml());
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${server.address().port}`;
  const ours = await startOpenChrome([`--allow-root=${folder}`]);
  try {
    writeFileSync(file, '');
    await ours.call('navigate', { url: origin, timeout_ms: 120_000 });
    await ours.call('page_pdf', { path: file, timeout_ms: 120_000 });
    const took = { first: [], pdftotext: [], atOnce: [], later: [] };
    const read = async (query, pauseMs) => {
      await ours.call('navigate', { url: `${origin}/book.pdf?${query}`, timeout_ms: 120_000 });
      await pause(pauseMs);
      return clock(() => ours.call('read_page', { timeout_ms: 120_000 }));
    };
    took.first.push(await read('first', PAUSE_MS));
    for (let rep = 0; rep < reps; rep++) {
      const run = () => promisify(execFile)('pdftotext', [file, join(folder, 'x')]);
      took.pdftotext.push(await clock(run));
      took.atOnce.push(await read(`${rep}a`, 0));
      took.later.push(await read(`${rep}b`, PAUSE_MS));
    }
    const theirs = median(took.pdftotext);
    const title = `PDF with ${PAGES} pages: load, text with headings and tables, stored as a handle`;
    const row = (when, values) => {
      const mine = median(values);
      const beside = 'pdftotext of a local file';
      return [`${title}; ${when}`, beside, ms(theirs), ms(mine), times(mine / theirs)];
    };
    return [
      [...row('the first PDF of the server', took.first), ''],
      [...row('while the viewer of Chrome starts', took.atOnce), ''],
      [...row('after a second', took.later), 'at most 2.00 x'],
    ];
  } finally {
    await ours.end();
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
};
