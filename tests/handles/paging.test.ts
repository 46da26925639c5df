// Pages of stored payloads: put together they are the payload, whatever it is.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cutToCharacters } from '../../src/core/text.ts';
import { binaryPayload, jsonPayload, textPayload } from '../../src/store/handles/handle-payload.ts';
import { TestStore } from './store.ts';

let store: TestStore;
beforeAll(async () => {
  store = await TestStore.create();
});
afterAll(() => store.remove());

const storeJson = async (value: unknown, items?: string): Promise<string> =>
  (await store.handles.store(jsonPayload(value, items), 'test')).output_handle;
const storeText = async (text: string): Promise<string> =>
  (await store.handles.store(textPayload(text), 'test')).output_handle;

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 3000 }),
  fc.string({ unit: 'grapheme', maxLength: 3000 }),
  fc
    .array(
      fc.constantFrom(
        '"',
        '\\',
        '\n',
        '漢',
        '👩‍💻',
        '\u0000',
        'é',
        'a',
        '\uD83D',
        '\uDE00',
        '\uFFFD',
      ),
      { maxLength: 2000 },
    )
    .map((parts) => parts.join('')),
);

describe('text', () => {
  it('is returned byte for byte, cut only between characters', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, fc.integer({ min: 16, max: 500 }), async (text, limit) => {
        const pages = await store.pages(await storeText(text), { limit });
        const whole = pages.map(({ content }) => content).join('');
        expect(whole).toBe(cutToCharacters(text));
        expect(pages.reduce((sum, { returned }) => sum + returned, 0)).toBe(
          Buffer.byteLength(whole),
        );
      }),
      { numRuns: 150 },
    );
  });

  it('gains no replacement character from an offset inside of a character', async () => {
    const handle = await storeText('a👩‍💻漢é'.repeat(20));
    for (let offset = 0; offset < 60; offset++) {
      const page = await store.fetch(handle, { offset, limit: 16 });
      expect(page.content).not.toContain('\uFFFD');
      expect(page.offset).toBeLessThanOrEqual(offset);
      expect(page.next_offset).toBe(page.offset + page.returned);
    }
  });

  it('is returned in pages of at most 64 KiB, for any limit', async () => {
    const text = '漢字'.repeat(60_000);
    const pages = await store.pages(await storeText(text), { limit: 10_000_000 });
    expect(pages.length).toBeGreaterThan(5);
    expect(pages.map(({ content }) => content).join('')).toBe(text);
  });

  it('reports an offset beyond its end', async () => {
    const page = await store.fetch(await storeText('abc'), { offset: 99 });
    expect(page).toMatchObject({
      returned: 0,
      total: 3,
      next_offset: null,
      content: '',
      eof: true,
    });
  });

  it('is a single empty page if it is empty', async () => {
    expect(await store.fetch(await storeText(''))).toMatchObject({
      returned: 0,
      total: 0,
      next_offset: null,
      eof: true,
      content: '',
    });
  });

  it('needs a limit with which it can advance', async () => {
    await expect(store.fetch(await storeText('abc'), { limit: 15 })).rejects.toMatchObject({
      code: 'invalid_argument',
    });
  });
});

describe('items', () => {
  const anyItem = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.string({ unit: 'binary', minLength: 0, maxLength: 9000 }),
  );

  it('of an array are returned one by one, and as text byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyItem, { maxLength: 60 }),
        fc.integer({ min: 1, max: 20 }),
        async (items, limit) => {
          const handle = await storeJson(items);
          const pages = await store.pages(handle, { limit });
          expect(JSON.stringify(pages.flatMap(({ content }) => content as unknown[]))).toBe(
            JSON.stringify(items),
          );
          expect(pages[0]).toMatchObject({ total: items.length });
          const text = (await store.pages(handle, { format: 'text', limit: 1000 }))
            .map(({ content }) => content)
            .join('');
          expect(text).toBe(JSON.stringify(items));
        },
      ),
      { numRuns: 100 },
    );
  });

  it('under a key are returned with the object around them, once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 5 }),
        fc.array(anyItem, { maxLength: 30 }),
        async (around, pages) => {
          const payload = { ...around, pages, summary: { ok: true } };
          const handle = await storeJson(payload, 'pages');
          const got = await store.pages(handle, { limit: 7 });
          const { envelope } = got[0] as { envelope?: object };
          expect(
            JSON.parse(
              JSON.stringify({
                ...envelope,
                pages: got.flatMap(({ content }) => content as unknown[]),
              }),
            ),
          ).toEqual(JSON.parse(JSON.stringify(payload)));
          expect(got.slice(1).every((page) => !('envelope' in page))).toBe(true);
          const text = (await store.pages(handle, { format: 'text' }))
            .map(({ content }) => content)
            .join('');
          expect(text).toBe(JSON.stringify(payload));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('larger than a page are returned as their own handle, which returns them completely', async () => {
    const large = { name: 'large', text: 'x"\\漢'.repeat(40_000) };
    const handle = await storeJson({ pages: [{ n: 1 }, large, { n: 3 }], summary: 1 }, 'pages');
    const page = await store.fetch(handle);
    expect(page.returned).toBe(3);
    const [first, reference, third] = page.content as [
      object,
      { output_handle: string; size_bytes: number; preview: string },
      object,
    ];
    expect([first, third]).toEqual([{ n: 1 }, { n: 3 }]);
    expect(reference).toMatchObject({
      output_handle: expect.stringMatching(/^oh_[A-Z2-7]{12}$/) as string,
      mime_type: 'application/json',
      fetch_with: 'oc_output_fetch',
      item_count: null,
    });
    expect(JSON.stringify(large).startsWith(reference.preview)).toBe(true);
    const text = (await store.pages(reference.output_handle))
      .map(({ content }) => content)
      .join('');
    expect(JSON.parse(text)).toEqual(large);
  });

  it('that are large lists themselves can be paged again, and keep the same handle', async () => {
    const inner = Array.from({ length: 5000 }, (_, i) => ({ i, text: 'a]"[,'.repeat(5) }));
    const handle = await storeJson([inner, 'after']);
    const reference = async (): Promise<{ output_handle: string; item_count: number }> => {
      const [first] = (await store.fetch(handle)).content as [
        { output_handle: string; item_count: number },
      ];
      return first;
    };
    const { output_handle: part, item_count: count } = await reference();
    expect(count).toBe(5000);
    expect((await reference()).output_handle).toBe(part);
    expect((await store.pages(part)).flatMap(({ content }) => content as unknown[])).toEqual(inner);
    expect((await store.fetch(part, { offset: 4999 })).content).toEqual([inner[4999]]);
  });

  it('are returned with only the requested fields', async () => {
    const items = Array.from({ length: 30 }, (_, i) => ({
      id: i,
      text: 'long '.repeat(10_000),
      url: `https://example.test/${i}`,
    }));
    const pages = await store.pages(await storeJson({ entries: items }, 'entries'), {
      fields: ['id', 'url', 'missing'],
    });
    expect(pages.flatMap(({ content }) => content as unknown[])).toEqual(
      items.map(({ id, url }) => ({ id, url })),
    );
  });

  it('of any number are found as fast at the end as at the beginning', async () => {
    const items = Array.from({ length: 50_000 }, (_, i) => ({ i }));
    const page = await store.fetch(await storeJson(items), { offset: 49_990 });
    expect(page.content).toEqual(items.slice(49_990));
    expect(page.eof).toBe(true);
  });
});

describe('bytes', () => {
  it('are returned as base64 that can be joined', async () => {
    const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, i) => (i * 7) % 256));
    const { output_handle: handle, item_count: count } = await store.handles.store(
      binaryPayload(bytes, 'application/gzip'),
      'test',
    );
    expect(count).toBeNull();
    const whole = (await store.pages(handle)).map(({ content }) => content).join('');
    expect(Buffer.from(whole, 'base64').equals(bytes)).toBe(true);
  });

  it('of every payload can be had', async () => {
    const page = await store.fetch(await storeText('héllo'), { format: 'bytes' });
    expect(Buffer.from(page.content as string, 'base64').toString()).toBe('héllo');
  });

  it('that only claim to be text are not shown as text', async () => {
    const { mime_type: type } = await store.handles.store(
      binaryPayload(Buffer.from([0xff, 0xfe, 0x41]), 'text/plain'),
      'test',
    );
    expect(type).toBe('application/octet-stream');
  });
});

it.each([
  ['items of a text', () => storeText('abc'), 'items'],
  ['items of an object without items', () => storeJson({ a: 1 }), 'items'],
  [
    'text of bytes',
    async () =>
      (await store.handles.store(binaryPayload(Buffer.from([255]), 'image/png'), 'test'))
        .output_handle,
    'text',
  ],
] as const)('refuses %s', async (_, make, format) => {
  await expect(store.fetch(await make(), { format })).rejects.toMatchObject({
    code: 'invalid_format_for_payload',
  });
});
