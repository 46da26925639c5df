// Verifies the contract of output handles, point by point, against the built server over plain HTTP
// POSTs. Non-zero when one fails.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as wait } from 'node:timers/promises';
import { startSite } from './ground.mjs';
import { check, point, verdict } from './points.mjs';
import { startServer } from './server.mjs';

const SITE = fileURLToPath(new URL('../../tests/fixtures/sites/many-pages/', import.meta.url));
const BYTES_FILE = fileURLToPath(new URL('A-output-handles-bytes.txt', import.meta.url));
const HANDLE = /^oh_[A-Z2-7]{12}$/;
const FIELDS = [
  'output_handle',
  'mime_type',
  'size_bytes',
  'item_count',
  'preview',
  'expires_at',
  'fetch_with',
];
const MAX_LINE_BYTES = 4096;
const KILLS = 5;

/** The fixture site, and one long page with 3,000 rows. */
const startPages = () => {
  const rows = Array.from(
    { length: 3000 },
    (_, i) => `<tr><td>Ünit ${i}</td><td>${i * 7}</td><td>漢字 “quoted” \\ ${i}</td></tr>`,
  ).join('\n');
  const long = `<!doctype html><meta charset="utf-8"><title>Long</title><table><tr><th>name</th><th>price</th><th>note</th></tr>${rows}</table>`;
  return startSite((request, response) => {
    const name = path.posix.basename(
      request.url === '/' ? '/index.html' : (request.url ?? '').split('?')[0],
    );
    const page =
      name === 'long.html'
        ? long
        : readdirSync(SITE).includes(name)
          ? readFileSync(path.join(SITE, name))
          : undefined;
    response.writeHead(page === undefined ? 404 : 200, {
      'content-type': 'text/html; charset=utf-8',
    });
    response.end(page ?? 'not found');
  });
};

const requireDescriptor = (text) => {
  const descriptor = JSON.parse(text);
  check(
    Object.keys(descriptor).join() === FIELDS.join(),
    `fields are ${Object.keys(descriptor).join()}`,
  );
  check(HANDLE.test(descriptor.output_handle), `handle is ${descriptor.output_handle}`);
  check(descriptor.fetch_with === 'oc_output_fetch', 'fetch_with');
  check(Number.isInteger(descriptor.size_bytes) && descriptor.size_bytes >= 0, 'size_bytes');
  check(descriptor.item_count === null || Number.isInteger(descriptor.item_count), 'item_count');
  check(descriptor.preview === null || Buffer.byteLength(descriptor.preview) <= 2048, 'preview');
  check(!Number.isNaN(Date.parse(descriptor.expires_at)), 'expires_at');
  return descriptor;
};

const isDescriptor = (text) => {
  try {
    requireDescriptor(text);
    return true;
  } catch {
    return false;
  }
};

/** All pages, each checked for the invariants. */
const fetchAll = async (server, args) => {
  const pages = [];
  for (let offset = 0; offset !== null;) {
    const page = await server.json('oc_output_fetch', { ...args, offset });
    check(
      page.returned <= page.limit && page.total >= page.returned,
      'returned <= limit, total >= returned',
    );
    check((page.next_offset === null) === page.eof, 'next_offset is null exactly at the end');
    check(
      page.eof || (page.next_offset === page.offset + page.returned && page.returned > 0),
      'next_offset = offset + returned',
    );
    const bytes = Buffer.byteLength(
      typeof page.content === 'string' ? page.content : JSON.stringify(page.content),
    );
    check(bytes <= 65_536, `a page of ${bytes} bytes`);
    pages.push(page);
    offset = page.next_offset;
  }
  return pages;
};

const storedFiles = (home) => {
  try {
    return readdirSync(path.join(home, 'output'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => entry.name);
  } catch {
    return [];
  }
};

/** The same with items. */
const itemsToo = async (server) => {
  const args = {
    schema: { type: 'object', properties: { name: { type: 'string' }, price: { type: 'number' } } },
    multiple: true,
  };
  const inline = JSON.parse((await server.call('extract_data', args)).text);
  const descriptor = requireDescriptor(
    (await server.call('extract_data', { ...args, output_mode: 'handle' })).text,
  );
  check(
    descriptor.item_count === inline.items.length,
    `item_count ${descriptor.item_count}, inline ${inline.items.length}`,
  );
  const pages = await fetchAll(server, { output_handle: descriptor.output_handle, limit: 170 });
  check(
    JSON.stringify(pages.flatMap(({ content }) => content)) === JSON.stringify(inline.items),
    'items differ from inline',
  );
  check(
    'envelope' in pages[0] && pages.slice(1).every((page) => !('envelope' in page)),
    'the envelope comes once',
  );
  const found = await server.json('oc_output_fetch', {
    output_handle: descriptor.output_handle,
    query: 'items[?price==`70`].name',
  });
  check(
    JSON.stringify(found.content) === '["Ünit 10"]',
    `the query found ${JSON.stringify(found.content)}`,
  );
  return `${inline.items.length} items`;
};

const site = await startPages();
const server = await startServer();
const longPage = `${site.origin}/long.html`;
await server.json('navigate', { url: longPage });

await point('without output_mode the reply is the payload', async () => {
  const { text } = await server.call('page_content');
  check(text.includes('Ünit 2999') && !isDescriptor(text), 'a descriptor, or not the page');
  check(
    (await server.call('page_content', { output_mode: 'inline' })).text === text,
    'inline differs from the default',
  );
});

let stored;
await point('handle mode answers with a valid descriptor', async () => {
  const { text, lineBytes } = await server.call('page_content', { output_mode: 'handle' });
  stored = requireDescriptor(text);
  check(lineBytes <= MAX_LINE_BYTES, `the line has ${lineBytes} bytes`);
  const small = await server.call('page_content', { selector: 'title', output_mode: 'auto' });
  check(!isDescriptor(small.text), 'auto stored a small payload');
  check(
    isDescriptor((await server.call('page_content', { output_mode: 'auto' })).text),
    'auto did not store a large one',
  );
  return `${lineBytes} bytes for ${stored.size_bytes}`;
});

await point('pages keep the invariants, and together are the payload', async () => {
  const { text: inline } = await server.call('page_content');
  const { text: row } = await server.call('page_content', { selector: 'tr:last-child' });
  const short = requireDescriptor(
    (await server.call('page_content', { selector: 'tr:last-child', output_mode: 'handle' })).text,
  );
  for (const [{ output_handle: handle }, limit, payload] of [
    [short, 16, row],
    [stored, 1000, inline],
    [stored, 65_536, inline],
  ]) {
    const whole = (await fetchAll(server, { output_handle: handle, limit }))
      .map(({ content }) => content)
      .join('');
    check(whole === payload, `limit ${limit}: not the payload`);
  }
  return itemsToo(server);
});

await point('unknown handles are a structured error', async () => {
  for (const handle of [
    'oh_DEADBEEF0000',
    '../x',
    'oh_AAAAAAAAAAAA',
    '',
    'oh_AAAAAAAAAAAA\u0000',
  ]) {
    const error = await server.failure('oc_output_fetch', { output_handle: handle });
    check(
      error.code === 'output_handle_not_found',
      `${JSON.stringify(handle)} gives ${error.code}`,
    );
  }
  check(
    (await server.failure('oc_output_fetch', {})).code === 'invalid_argument',
    'a missing handle',
  );
  check(
    (
      await server.failure('oc_output_fetch', {
        output_handle: stored.output_handle,
        format: 'items',
      })
    ).code === 'invalid_format_for_payload',
    'items of a text',
  );
});

await point('a crawl of 30 pages answers in 4096 bytes, a tenth of inline', async () => {
  const args = {
    url: `${site.origin}/index.html`,
    max_pages: 30,
    max_depth: 3,
    timeout_ms: 120_000,
  };
  const inline = await server.call('crawl', args);
  const handle = await server.call('crawl', { ...args, output_mode: 'handle' });
  const descriptor = requireDescriptor(handle.text);
  const ratio = handle.lineBytes / inline.lineBytes;
  writeFileSync(
    BYTES_FILE,
    `pages ${descriptor.item_count}\ninline_bytes ${inline.lineBytes}\nhandle_bytes ${handle.lineBytes}\nratio ${ratio.toFixed(4)}\n`,
  );
  check(
    JSON.parse(inline.text).pages.length >= 30 && descriptor.item_count >= 30,
    `${descriptor.item_count} pages`,
  );
  check(handle.lineBytes <= MAX_LINE_BYTES, `${handle.lineBytes} bytes`);
  check(ratio <= 0.1, `ratio ${ratio}`);
  return `${handle.lineBytes} of ${inline.lineBytes} bytes`;
});

await point('without a lifetime a handle is gone, from disk too, after a sweep', async () => {
  const brief = await startServer([
    '--output-handle-ttl-hours',
    '0',
    '--output-handle-sweep-interval-seconds',
    '2',
  ]);
  try {
    await brief.json('navigate', { url: longPage });
    const { output_handle: handle } = requireDescriptor(
      (await brief.call('page_content', { output_mode: 'handle' })).text,
    );
    check(
      (await brief.failure('oc_output_fetch', { output_handle: handle })).code ===
        'output_handle_not_found',
      'it could be redeemed',
    );
    await wait(3000);
    check(storedFiles(brief.home).length === 0, `left on disk: ${storedFiles(brief.home).join()}`);
  } finally {
    await brief.end();
  }
});

await point(
  'the journal shows the event, and clients can read the handle as a resource',
  async () => {
    const entries = await server.json('oc_journal', { action: 'recent', count: 1000 });
    const event = entries.find(
      (entry) => entry.event === 'output_handle_created' && entry.handle === stored.output_handle,
    );
    check(
      event?.source_tool === 'page_content' &&
        event.size_bytes === stored.size_bytes &&
        event.mime_type === stored.mime_type &&
        event.ts > 0,
      JSON.stringify(event),
    );
    const uri = `openchrome://output/${stored.output_handle}`;
    const { resources } = await server.rpc('resources/list');
    check(
      resources.some((resource) => resource.uri === uri),
      'not listed',
    );
    let bytes = 0;
    for (let next = uri; next !== undefined;) {
      const { contents } = await server.rpc('resources/read', { uri: next });
      bytes += Buffer.byteLength(contents[0].text);
      next = contents[0]._meta['openchrome/page'].next_uri;
    }
    check(bytes === stored.size_bytes, 'not the payload');
  },
);

await point(`${KILLS} kills while storing leave whole handles and nothing else`, async () => {
  const flags = ['--output-handle-sweep-interval-seconds', '1'];
  let home;
  let told = [];
  for (let i = 0; i < KILLS; i++) {
    const victim = await startServer(flags, home);
    home = victim.home;
    for (const { output_handle: handle } of told)
      await victim.json('oc_output_fetch', { output_handle: handle, limit: 100 });
    await wait(2500); // two sweeps
    const known = new Set(told.map(({ output_handle: handle }) => handle));
    for (const name of storedFiles(home)) {
      const handle = /^(oh_[A-Z2-7]{12})\./.exec(name)?.[1];
      check(handle, `left over: ${name}`);
      if (!known.has(handle))
        await victim.json('oc_output_fetch', { output_handle: handle, limit: 100 });
    }
    await victim.json('navigate', { url: longPage });
    told = [];
    const calls = Array.from({ length: 6 }, async () => {
      for (;;)
        told.push(
          requireDescriptor((await victim.call('page_content', { output_mode: 'handle' })).text),
        );
    });
    const ended = Promise.allSettled(calls);
    await wait(100 + Math.random() * 300);
    await victim.kill();
    await ended;
  }
  await (await startServer(flags, home)).end();
});

await server.end();
site.close();
verdict('All points hold.', 'Failed: ');
