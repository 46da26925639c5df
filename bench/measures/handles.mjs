// Stored payloads: what storing costs beside a plain write, and what reading, querying and
// remembering cost on large ones.
import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle } from '../../scripts/bundle.mjs';
import { startOpenChrome } from '../lib/openchrome.mjs';
import { clock, median, mib, ms, times } from '../lib/stats.mjs';

const MB = 1024 * 1024;

/** Rows like those of a crawl, about half a kilobyte each. */
const rowsOf = (bytes) =>
  Array.from({ length: Math.floor(bytes / 500) }, (_, i) => ({
    url: `https://example.test/page/${i}`,
    title: `Page ${i}`,
    depth: i % 4,
    content: 'lorem ipsum dolor '.repeat(23),
  }));

const loadStore = async (folder) => {
  const file = join(folder, 'store.mjs');
  const contents =
    "export { Handles } from './src/store/handles/handles.ts'; export { PayloadFiles } from './src/store/handles/payload-files.ts'; export { jsonPayload, textPayload } from './src/store/handles/handle-payload.ts'; export { createLog } from './src/core/log.ts'; export { WorkerPool } from './src/core/worker-pool.ts';";
  await bundle({
    stdin: { contents, resolveDir: new URL('../..', import.meta.url).pathname, loader: 'ts' },
    outfile: file,
  });
  return import(file);
};

const storeIn = ({ Handles, PayloadFiles, WorkerPool, createLog }, folder) =>
  new Handles({
    payloads: new PayloadFiles(folder),
    ttlMs: 3_600_000,
    maxTotalBytes: 16 * 1024 * MB,
    sweepEveryMs: 300_000,
    log: createLog({ level: 'error' }),
    workers: new WorkerPool(),
  });

const plainWrite = async (path, text) => {
  const file = await open(path, 'w', 0o600);
  await file.writeFile(text);
  await file.sync();
  await file.close();
};

const storing = async (store, folder, reps) => {
  const handles = storeIn(store, join(folder, 'output'));
  const rows = [];
  for (const { size, kinds } of [
    { size: 1, kinds: ['text', 'JSON'] },
    { size: 5, kinds: ['text', 'JSON'] },
    { size: 25, kinds: ['JSON'] },
  ]) {
    const data = rowsOf(size * MB);
    const text = JSON.stringify(data);
    for (const kind of kinds) {
      const took = { plain: [], ours: [] };
      for (let rep = -2; rep < reps; rep++) {
        // Serialising is part of both, or of none.
        const plain = await clock(() =>
          plainWrite(
            join(folder, `plain-${size}-${kind}-${rep}`),
            kind === 'JSON' ? JSON.stringify(data) : text,
          ),
        );
        const ours = await clock(() =>
          handles.store(
            kind === 'JSON' ? store.jsonPayload(data) : store.textPayload(text),
            'bench',
          ),
        );
        if (rep < 0) continue;
        took.plain.push(plain);
        took.ours.push(ours);
      }
      rows.push([
        `store ${size} MB of ${kind}`,
        'write and fsync',
        ms(median(took.plain)),
        ms(median(took.ours)),
        times(median(took.ours) / median(took.plain)),
        'at most 1.50 x',
      ]);
    }
  }
  return rows;
};

const reading = async (store, reps) => {
  const server = await startOpenChrome();
  const handles = storeIn(store, join(server.home, 'output'));
  const large = await handles.store(store.jsonPayload(rowsOf(100 * MB)), 'bench');
  const fetch = (offset) => ({ output_handle: large.output_handle, offset, limit: 100 });
  const idle = server.residentBytes();
  const places = {
    first: 0,
    middle: Math.floor(large.item_count / 2),
    last: large.item_count - 100,
  };
  const took = { first: [], middle: [], last: [] };
  let most = 0;
  for (let rep = -2; rep < reps * 3; rep++) {
    for (const [place, offset] of Object.entries(places)) {
      const spent = await server.timed('oc_output_fetch', fetch(offset));
      if (rep >= 0) took[place].push(spent);
    }
  }
  for (let offset = 0; offset < large.item_count; offset += 500) {
    await server.call('oc_output_fetch', fetch(offset));
    most = Math.max(most, server.residentBytes());
  }
  const small = await handles.store(store.jsonPayload({ pages: rowsOf(5 * MB) }, 'pages'), 'bench');
  const query = {
    output_handle: small.output_handle,
    query: 'pages[?depth==`2`].{url: url, title: title} | [:12]',
  };
  const queries = [];
  for (let rep = -2; rep < reps; rep++) {
    const spent = await server.timed('oc_output_fetch', query);
    if (rep >= 0) queries.push(spent);
  }
  await server.end();
  const first = median(took.first);
  return [
    ...['first', 'middle', 'last'].map((place) => [
      `${place} page of 100 MB`,
      'the first page',
      ms(first),
      ms(median(took[place])),
      times(median(took[place]) / first),
      'at most 3.00 x, 50 ms',
    ]),
    [
      'memory while paging through 100 MB',
      'idle',
      mib(idle),
      mib(most),
      `+ ${mib(most - idle)}`,
      'at most + 60 MiB',
    ],
    ['query over 5 MB', '', '', ms(median(queries)), '', 'at most 100 ms'],
  ];
};

export const handles = async ({ reps }) => {
  const folder = mkdtempSync(join(tmpdir(), 'openchrome-bench-handles-'));
  try {
    const store = await loadStore(folder);
    return [...(await storing(store, folder, reps)), ...(await reading(store, reps))];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
