// Queries and greps over stored payloads: they find what is there, say what is wrong, and never
// hold up the server.
import type { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WorkerPool } from '../../src/core/worker-pool.ts';
import { binaryPayload, jsonPayload, textPayload } from '../../src/store/handles/handle-payload.ts';
import { TestStore } from './store.ts';

let store: TestStore;
beforeAll(async () => {
  store = await TestStore.create();
});
afterAll(() => store.remove());

const json = async (value: unknown, items?: string): Promise<string> =>
  (await store.handles.store(jsonPayload(value, items), 'test')).output_handle;
const text = async (value: string): Promise<string> =>
  (await store.handles.store(textPayload(value), 'test')).output_handle;

const CRAWL = {
  summary: { pages: 40 },
  pages: Array.from({ length: 40 }, (_, i) => ({
    url: `https://shop.test/${i}`,
    depth: i % 3,
    title: `Page ${i}`,
    content: `# Page ${i}\n`.repeat(50),
  })),
};

describe('query', () => {
  it('pulls the rows that are wanted out of the payload', async () => {
    const page = await store.fetch(await json(CRAWL, 'pages'), {
      query: 'pages[?depth==`2`].{url: url, title: title}',
    });
    expect(page).toMatchObject({ returned: 13, total: 13, eof: true, next_offset: null });
    expect((page.content as unknown[])[0]).toEqual({ url: 'https://shop.test/2', title: 'Page 2' });
    expect(page).not.toHaveProperty('envelope');
  });

  it('pages its result like any other', async () => {
    const pages = await store.pages(await json(CRAWL, 'pages'), {
      query: 'pages[*].url',
      limit: 7,
    });
    expect(pages.map(({ returned }) => returned)).toEqual([7, 7, 7, 7, 7, 5]);
    expect(pages.flatMap(({ content }) => content as string[])).toEqual(
      CRAWL.pages.map(({ url }) => url),
    );
  });

  it.each([
    ['length(pages)', [40]],
    ['summary', [{ pages: 40 }]],
    ['nothing.here', []],
    ['pages[0].title', 'Page 0'],
  ])('%s returns %j', async (query, content) => {
    expect(await store.fetch(await json(CRAWL, 'pages'), { query })).toMatchObject({
      content,
      eof: true,
    });
  });

  it.each([
    ['page[0].url', 'page', ['summary', 'pages']],
    ['summary.total', 'total', ['pages']],
    ['pages[*].link', 'link', ['url', 'depth', 'title', 'content']],
    ['pages[?level==`1`].url', 'level', ['url', 'depth', 'title', 'content']],
    ['pages[].{a: link}.b', 'link', ['url', 'depth', 'title', 'content']],
  ])(
    '%s finds nothing and reports the unknown key "%s" and the existing keys',
    async (query, missing, available) => {
      const page = await store.fetch(await json(CRAWL, 'pages'), { query });
      expect(page).toMatchObject({ content: [], missing_key: missing, available_keys: available });
    },
  );

  it('reports no missing key if all keys exist and no row matches', async () => {
    const page = await store.fetch(await json(CRAWL, 'pages'), { query: 'pages[?depth==`9`].url' });
    expect(page).not.toHaveProperty('missing_key');
    expect(page.content).toEqual([]);
  });

  it('reports the existing keys if a function was called with an unknown key', async () => {
    const failure = store.fetch(await json(CRAWL, 'pages'), { query: 'length(page)' });
    await expect(failure).rejects.toMatchObject({
      code: 'invalid_query',
      details: { missing_key: 'page', available_keys: ['summary', 'pages'] },
    });
  });

  it('returns a long text in pieces of text', async () => {
    const long = '漢字 "quoted" '.repeat(20_000);
    const handle = await json({ pages: [{ content: long }] }, 'pages');
    const pages = await store.pages(handle, { query: 'pages[0].content' });
    expect(pages.length).toBeGreaterThan(4);
    expect(pages.map(({ content }) => content).join('')).toBe(long);
  });

  it('returns JSON as text if text is requested', async () => {
    expect(
      await store.fetch(await json(CRAWL, 'pages'), { query: 'summary', format: 'text' }),
    ).toMatchObject({
      content: '{"pages":40}',
      returned: 12,
      total: 12,
    });
  });

  it('keeps only the requested fields of its result', async () => {
    const page = await store.fetch(await json(CRAWL, 'pages'), {
      query: 'pages[:2]',
      fields: ['title'],
    });
    expect(page.content).toEqual([{ title: 'Page 0' }, { title: 'Page 1' }]);
  });

  it('stores a result that is too large for a page under its own handle', async () => {
    const big = { text: 'y'.repeat(100_000) };
    const page = await store.fetch(await json([big, { small: 1 }]), { query: '@' });
    const [reference, small] = page.content as [{ output_handle: string }, unknown];
    expect(small).toEqual({ small: 1 });
    const whole = (await store.pages(reference.output_handle))
      .map(({ content }) => content)
      .join('');
    expect(JSON.parse(whole)).toEqual(big);
  });

  it('works on a part of a payload as on a whole one', async () => {
    const rows = Array.from({ length: 4000 }, (_, i) => ({ i, text: `row ${i} needle` }));
    const handle = await json({ pages: ['first', rows] }, 'pages');
    const [, part] = (await store.fetch(handle)).content as [string, { output_handle: string }];
    expect((await store.fetch(part.output_handle, { query: '[?i==`3999`].text' })).content).toEqual(
      ['row 3999 needle'],
    );
    expect(
      await store.fetch(part.output_handle, { grep: 'row 39\\d\\d needle', limit: 1 }),
    ).toMatchObject({
      total: 100,
      content: '3900:{"i":3900,"text":"row 3900 needle"}',
    });
  });

  it.each([
    ['pages[', 6],
    ['pages[?depth >> 2]', 14],
    ['a#b', 1],
    ['"open', 0],
    ['pages.title.', 12],
    ['a b', 2],
    ['pages[?x=1]', 9],
    ['unknown(@)', 0],
    ['pages[*].length(depth)', 9],
    [`${'('.repeat(40)}a`, 41],
  ])('reports the position of the error in %j', async (query, position) => {
    await expect(store.fetch(await json(CRAWL, 'pages'), { query })).rejects.toMatchObject({
      code: 'invalid_query',
      details: { position },
    });
  });

  it('is rejected on a payload that is not JSON or too large', async () => {
    await expect(store.fetch(await text('abc'), { query: 'a' })).rejects.toMatchObject({
      code: 'invalid_format_for_payload',
    });
    const rows = Array.from({ length: 66 }, () => 'x'.repeat(1024 * 1024));
    await expect(store.fetch(await json(rows), { query: 'length(@)' })).rejects.toMatchObject({
      code: 'payload_too_large_to_query',
    });
  });

  it('ends with the call, also in the middle of its work', async () => {
    const rows = Array.from({ length: 200_000 }, (_, i) => ({ i }));
    const handle = await json(rows);
    const { fetchOutput } = await import('../../src/store/handles/handle-fetch.ts');
    const reason = new Error('cancelled by the test');
    const cancel = new AbortController();
    // Quadratic on purpose: every row is compared with all rows.
    const work = fetchOutput(
      store.handles,
      { output_handle: handle, offset: 0, format: 'auto', query: 'map(&length($[?i > `5`]), @)' },
      cancel.signal,
    );
    setTimeout(() => cancel.abort(reason), 300);
    await expect(work).rejects.toBe(reason);
  });
});

describe('grep', () => {
  const log = Array.from({ length: 200 }, (_, i) =>
    i % 50 === 10 ? `ERROR number ${i}` : `line ${i} is fine`,
  ).join('\n');

  it('shows matching lines with their numbers', async () => {
    const page = await store.fetch(await text(log), { grep: '^ERROR' });
    expect(page).toMatchObject({ returned: 4, total: 4, eof: true });
    expect(page.content).toMatchInlineSnapshot(`
      "11:ERROR number 10
      61:ERROR number 60
      111:ERROR number 110
      161:ERROR number 160"
    `);
  });

  it('shows lines around each match', async () => {
    const page = await store.fetch(await text(log), { grep: 'ERROR', context: 1, limit: 2 });
    expect(page).toMatchObject({ returned: 2, total: 4, next_offset: 2 });
    expect(page.content).toMatchInlineSnapshot(`
      "10-line 9 is fine
      11:ERROR number 10
      12-line 11 is fine
      --
      60-line 59 is fine
      61:ERROR number 60
      62-line 61 is fine"
    `);
  });

  it('pages through its matches', async () => {
    const pages = await store.pages(await text(log), { grep: 'fine$', limit: 60 });
    expect(pages.map(({ returned }) => returned)).toEqual([60, 60, 60, 16]);
  });

  it('takes (?i) for no difference between cases, and other line ends', async () => {
    expect(
      (await store.fetch(await text('Alpha\r\nbeta\r\n'), { grep: '(?i)^alpha$' })).content,
    ).toBe('1:Alpha');
  });

  it('searches items one by one, by their number', async () => {
    const page = await store.fetch(await json(CRAWL, 'pages'), { grep: '"title":"Page 1[23]"' });
    expect(page.total).toBe(2);
    expect(page.content).toMatch(/^12@\d+:.*Page 12[^]*\n13@\d+:.*Page 13/);
  });

  it('shows the position of a match in a long line, so that it can be read there', async () => {
    const line = `${'漢'.repeat(700_000)}needle${'x'.repeat(1_500_000)}needle${'y'.repeat(700_000)}`;
    const handle = await text(line);
    const page = await store.fetch(handle, { grep: 'needle' });
    expect(page.total).toBe(2);
    const places = Array.from((page.content as string).matchAll(/^1@(\d+):/gm), ([, at]) =>
      Number(at),
    );
    expect(places).toEqual([2_100_000, 3_600_006]);
    expect(
      (await store.fetch(handle, { format: 'text', offset: places[1] ?? 0, limit: 16 })).content,
    ).toBe('needleyyyyyyyyyy');
  });

  it('stays within a page, and continues after it', async () => {
    const many = Array.from({ length: 3000 }, (_, i) => `match ${i} ${'漢'.repeat(100)}`).join(
      '\n',
    );
    const pages = await store.pages(await text(many), { grep: 'match', limit: 5000 });
    expect(pages.length).toBeGreaterThan(5);
    expect(pages.reduce((sum, { returned }) => sum + returned, 0)).toBe(3000);
  });

  it('rejects an invalid pattern, and bytes', async () => {
    await expect(store.fetch(await text('abc'), { grep: '(' })).rejects.toMatchObject({
      code: 'invalid_query',
    });
    const { output_handle: bytes } = await store.handles.store(
      binaryPayload(Buffer.from([1, 2]), 'image/png'),
      'test',
    );
    await expect(store.fetch(bytes, { grep: 'a' })).rejects.toMatchObject({
      code: 'invalid_format_for_payload',
    });
  });

  it(
    'of a pattern that would take forever is stopped, and the server continues',
    { timeout: 30_000 },
    async () => {
      const handle = await text(`${'a'.repeat(400)}!`);
      let beats = 0;
      const pulse = setInterval(() => beats++, 20);
      const work = store.fetch(handle, { grep: '^(a+)+$' });
      await expect(work).rejects.toMatchObject({ code: 'timeout' });
      clearInterval(pulse);
      expect(beats).toBeGreaterThan(100);
    },
  );
});

/** Counts the worker threads that this process starts and that have not ended. */
const watchThreads = (): { readonly most: () => number } & Disposable => {
  let running = 0;
  let most = 0;
  const onWorker = (worker: Worker): void => {
    most = Math.max(most, ++running);
    worker.once('exit', () => running--);
  };
  process.on('worker', onWorker);
  return { most: () => most, [Symbol.dispose]: () => void process.off('worker', onWorker) };
};

/** The test before shows the limit of a search; here a shorter one is enough. */
class ImpatientPool extends WorkerPool {
  override run<Answer>(
    ...[script, request, options]: Parameters<WorkerPool['run']>
  ): Promise<Answer> {
    return super.run<Answer>(script, request, { ...options, timeoutMs: 1000 });
  }
}

describe('searches at once', () => {
  it('use at most the threads of the pool, and all of 24 answer', async () => {
    const workers = new WorkerPool({ maxThreads: 3 });
    const busy = store.reopened({ workers });
    const rows = await json(CRAWL, 'pages');
    const lines = await text('alpha\nbeta\n'.repeat(1000));
    using threads = watchThreads();
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, i) =>
        i % 2 === 0
          ? busy.fetch(rows, { query: `pages[${i}].title` })
          : busy.fetch(lines, { grep: 'beta' }),
      ),
    );
    expect(answers.map(({ content, total }, i) => (i % 2 === 0 ? content : total))).toEqual(
      Array.from({ length: 24 }, (_, i) => (i % 2 === 0 ? `Page ${i}` : 1000)),
    );
    expect(threads.most()).toBeGreaterThan(0);
    expect(threads.most()).toBeLessThanOrEqual(3);
    await workers.close();
  });

  it(
    'that wait behind slow ones still answer after those were ended',
    { timeout: 60_000 },
    async () => {
      const workers = new ImpatientPool({ maxThreads: 2 });
      const busy = store.reopened({ workers });
      const endless = await text(`${'a'.repeat(400)}!`);
      using threads = watchThreads();
      const slow = Promise.allSettled(
        Array.from({ length: 2 }, () => busy.fetch(endless, { grep: '^(a+)+$' })),
      );
      const quick = await busy.fetch(await text('alpha'), { grep: 'alpha' });
      expect(quick.content).toBe('1:alpha');
      expect((await slow).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
      expect(threads.most()).toBeLessThanOrEqual(2);
      await workers.close();
    },
  );
});

it.each([[{ query: 'a', grep: 'b' }], [{ grep: 'b', fields: ['x'] }], [{ context: 2 }]])(
  'refuses arguments that do not go together: %j',
  async (request) => {
    await expect(store.fetch(await text('abc'), request)).rejects.toMatchObject({
      code: 'invalid_argument',
    });
  },
);
