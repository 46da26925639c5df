// The text of a PDF is read before a call needs it: the same text, no request, no reading that the
// owner's rules may forbid, and an end with the page.
import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';
import { buildPages, buildPdf, showText } from '../pdf-files.ts';

const requests: string[] = [];
const site = useSite({ '/': '<title>Home</title><h1>Home</h1>' });

const serve = (path: string, bytes: Uint8Array): string =>
  site.page(path, (request, response) => {
    requests.push(request.url ?? '');
    response.writeHead(200, { 'content-type': 'application/pdf' }).end(bytes);
  });

/** The heap limit of a thread for PDF files, which distinguishes it from other threads. */
const PDF_HEAP_MB = 512;

let threads: Worker[] = [];
let answers = 0;
let onThread = (_thread: Worker): void => {};
let onAnswer = (): void => {};
const watchThread = (worker: Worker): void => {
  if (worker.resourceLimits?.maxOldGenerationSizeMb !== PDF_HEAP_MB) return;
  threads.push(worker);
  worker.on('message', () => {
    answers++;
    onAnswer();
  });
  onThread(worker);
};
const nextAnswer = (): Promise<void> => new Promise((resolve) => (onAnswer = resolve));
const nextThread = (): Promise<Worker> => new Promise((resolve) => (onThread = resolve));

beforeAll(() => void process.on('worker', watchThread));
afterAll(() => void process.off('worker', watchThread));
beforeEach(() => {
  [threads, answers] = [[], 0];
  requests.length = 0;
});
afterEach(() => {
  onThread = () => {};
  onAnswer = () => {};
});

const BOOK = buildPages(
  Array.from({ length: 60 }, (_, page) =>
    Array.from({ length: 20 }, (__, line) =>
      showText(`${page + 1}.${line} Seven engineers measure the time of every reader.`, {
        y: 750 - 14 * line,
      }),
    ).join(''),
  ),
);

/** Form objects that show each other: more texts than a thread can read in its time. */
const ENDLESS = buildPdf([
  '<</Type/Catalog/Pages 2 0 R>>',
  '<</Type/Pages/Kids[3 0 R]/Count 1>>',
  '<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</XObject<</X 5 0 R>>>>>>',
  { dictionary: '', stream: Buffer.from('/X Do') },
  ...Array.from({ length: 10 }, (_, index) => ({
    dictionary:
      '/Type/XObject/Subtype/Form/BBox[0 0 600 800]' +
      `/Resources<</XObject<</X ${6 + index} 0 R>>>>`,
    stream: Buffer.from('/X Do '.repeat(10)),
  })),
  { dictionary: '/Type/XObject/Subtype/Form/BBox[0 0 9 9]', stream: Buffer.from('q Q') },
]);

describe('after navigate', () => {
  const browser = useEngine();
  /** The whole text, without the header. */
  const readWhole = async (): Promise<string> => {
    const args = { output_mode: 'inline', max_tokens: 1_000_000 };
    return (await browser.text('read_page', args)).replace(/^[^]*?\n\n/, '');
  };

  test('the text is read once, without a second request, and is the same as that of a read', async () => {
    const url = serve('/book.pdf', BOOK);
    const ready = nextAnswer();
    await browser.json('navigate', { url });
    await ready;
    const early = await readWhole();
    expect(answers).toBe(1);
    expect(requests).toEqual(['/book.pdf']);
    await browser.json('navigate', { url });
    expect(await readWhole()).toBe(early); // read by this call
    expect(early).toContain('60.19 Seven engineers');
  });

  test('find uses the text too', async () => {
    const ready = nextAnswer();
    await browser.json('navigate', { url: serve('/find.pdf', BOOK) });
    await ready;
    expect(await browser.text('find', { query: '42.7 Seven' })).toMatch(/^page 42: 42\.7 /);
    expect(answers).toBe(1);
  });

  test('a broken file is a failure of the read, and the next file is read', async () => {
    const ready = nextAnswer();
    await browser.json('navigate', { url: serve('/broken.pdf', Buffer.from('%PDF-1.7\n%%EOF')) });
    await ready;
    expect(await browser.failure('read_page')).toMatchObject({ code: 'document_unreadable' });
    await browser.json('navigate', { url: serve('/good.pdf', buildPages([showText('Good')])) });
    expect(await browser.text('read_page')).toContain('Good');
  });
});

describe('a reading that takes long ends', () => {
  const browser = useEngine();

  test('with the next navigation of the tab', async () => {
    const started = nextThread();
    await browser.json('navigate', { url: serve('/endless.pdf', ENDLESS) });
    const end = once(await started, 'exit');
    await browser.json('navigate', { url: site.origin });
    await end;
    expect(answers).toBe(0);
    expect(await browser.text('read_page')).toContain('Home');
  });

  test('with the tab', async () => {
    const started = nextThread();
    const { tabId } = await browser.json('tabs', { action: 'new' });
    await browser.json('navigate', { tabId, url: serve('/endless-2.pdf', ENDLESS) });
    const end = once(await started, 'exit');
    await browser.text('tabs', { action: 'close', tabId });
    await end;
    expect(answers).toBe(0);
  });
});

describe('with rules of the owner', () => {
  const restricted = useEngine(['--read-only']);
  const free = useEngine();

  test('only a read call reads the file', async () => {
    await restricted.json('navigate', { url: serve('/restricted.pdf', BOOK) });
    const ready = nextAnswer();
    await free.json('navigate', { url: serve('/free.pdf', BOOK) });
    await ready; // the engine without rules has read its file, which was opened later
    expect(threads).toHaveLength(1);
    expect(await restricted.text('find', { query: '42.7 Seven' })).toMatch(/^page 42: 42\.7 /);
    expect(threads.length).toBeGreaterThan(1);
  });
});
