// What a page's requests cost to read: 200 of them as lines and as JSON, one body, one field of it;
// and a session of 10,000.
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { MANY, items, startApiSite } from '../lib/api-site.mjs';
import { startOpenChrome } from '../lib/openchrome.mjs';
import { median, mib, ms, times } from '../lib/stats.mjs';

const tokens = (text) => encode(text).length;
const count = (number) => String(Math.round(number));

/** Opens a page in a server of its own, and waits until it has asked for everything. */
const openPage = async (site, page) => {
  const server = await startOpenChrome();
  const opened = await server.call('navigate', { url: `${site.origin}${page}` });
  await server.call('wait_for', {
    function: "document.getElementById('done').textContent === 'done'",
    timeout_ms: 120_000,
  });
  return { server, opened };
};

const twoHundred = async (site) => {
  const { server } = await openPage(site, '/two-hundred');
  const lines = await server.call('network', { format: 'lines', limit: 500 });
  const { entries } = JSON.parse(await server.call('network', { limit: 500 }));
  await server.end();
  const found = new Set(lines.match(/\/api\/echo\/\d+/g)).size;
  if (found !== 200 || entries.length !== 200)
    throw new Error(`${found} lines and ${entries.length} entries of 200`);
  const bare =
    tokens(JSON.stringify(entries.map((entry) => ({ ...entry, shape: undefined })))) /
    entries.length;
  return [
    [
      '200 requests as lines, tokens',
      'best peer',
      '7064',
      count(tokens(lines)),
      times(tokens(lines) / 7064),
      'at most 5000',
    ],
    ['an entry of JSON without its shape, tokens', '', '', bare.toFixed(1), '', 'at most 60'],
  ];
};

const oneBody = async (site) => {
  const { server, opened } = await openPage(site, '/shop');
  const lines = await server.call('network', { format: 'lines', limit: 500 });
  const key = lines
    .split('\n')
    .find((line) => line.includes('/api/items.json'))
    .split(' ')
    .slice(3)
    .join(' ');
  const body = await server.call('network', { detail: key });
  if (!body.includes(items[42].secret)) throw new Error('the body is not whole');
  const field = await server.call('network', { detail: key, path: '$.items[42].title' });
  await server.end();
  const way = tokens(opened) + tokens(lines);
  return [
    [
      'one answer and its whole body, 3 calls, tokens',
      'best peer',
      '1740',
      count(way + tokens(body)),
      times((way + tokens(body)) / 1740),
      'at most 1850',
    ],
    ['one field of it, 3 calls, tokens', '', '', count(way + tokens(field)), '', 'at most 350'],
  ];
};

const tenThousand = async (site, reps) => {
  const { server } = await openPage(site, '/shop');
  const before = server.residentBytes();
  await server.call('navigate', { url: `${site.origin}/many` });
  await server.call('wait_for', {
    function: "document.getElementById('done').textContent === 'done'",
    timeout_ms: 180_000,
  });
  const took = { lines: [], json: [] };
  for (let rep = -1; rep < reps; rep++) {
    const [lines, json] = [
      await server.timed('network', { format: 'lines' }),
      await server.timed('network', {}),
    ];
    if (rep < 0) continue;
    took.lines.push(lines);
    took.json.push(json);
  }
  const grown = server.residentBytes() - before;
  await server.end();
  return [
    [
      `listing in a session of ${MANY} requests, lines`,
      '',
      '',
      ms(median(took.lines)),
      '',
      'at most 150 ms',
    ],
    [
      `listing in a session of ${MANY} requests, JSON`,
      '',
      '',
      ms(median(took.json)),
      '',
      'at most 150 ms',
    ],
    [
      `memory after ${MANY} requests`,
      'before',
      mib(before),
      mib(before + grown),
      `+ ${mib(grown)}`,
      'bounded',
    ],
  ];
};

export const network = async ({ reps }) => {
  const site = await startApiSite();
  try {
    return [
      ...(await twoHundred(site)),
      ...(await oneBody(site)),
      ...(await tenThousand(site, reps)),
    ];
  } finally {
    site.end();
  }
};
