// PDF files: their text by page, search, handles, downloads and crawls, and hostile files.
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';
import { buildEncrypted, buildPages, buildPdf, showText } from '../pdf-files.ts';

const site = useSite({ '/': '<title>Home</title><h1>Home</h1><a href="/report.pdf">Report</a>' });
const browser = useEngine();

/** Serves a file as a PDF and returns its address. */
const serve = (path: string, bytes: Uint8Array, headers: Record<string, string> = {}): string =>
  site.page(path, (_request, response) =>
    response.writeHead(200, { 'content-type': 'application/pdf', ...headers }).end(bytes),
  );

const open = (path: string, bytes: Uint8Array): Promise<unknown> =>
  browser.json('navigate', { url: serve(path, bytes) });

/** The reply of read_page without the header. */
const readBody = async (args: object = {}): Promise<string> =>
  (await browser.text('read_page', args)).replace(/^[^]*?\n\n/, '');

/** A PDF that Chrome prints from HTML. */
const print = async (html: string): Promise<Uint8Array> => {
  const path = join(browser.home, 'printed', `${Date.now()}.pdf`);
  await mkdir(join(browser.home, 'printed'), { recursive: true });
  await browser.json('navigate', { url: site.page('/print', html) });
  await browser.json('page_pdf', { path });
  return readFile(path);
};

/** Ten lines that start with the number of the page and of the line. */
const writeLines = (page: number): string =>
  Array.from({ length: 10 }, (_, line) =>
    showText(`${page}.${line} Seven engineers measure the time and the memory of every reader.`, {
      y: 700 - 14 * line,
    }),
  ).join('');

const REPORT = `<title>Annual report</title><h1>Annual report</h1><p>Sales grew in all regions.</p>
  <h2>Numbers</h2><table border="1"><tr><th>Region</th><th>Sales</th></tr>
  <tr><td>North</td><td>120</td></tr><tr><td>South</td><td>90</td></tr></table>
  <h2 style="break-before: page">Outlook</h2><p>The next year looks good.</p>`;

test('The dots of a table of contents become one mark', async () => {
  const dots = '. '.repeat(40);
  const contents = ['Introduction', 'Conventions of this manual', 'Index']
    .map((title, index) => showText(`${title} ${dots}${index + 1}`, { y: 700 - 14 * index }))
    .join('');
  await open('/contents.pdf', buildPages([contents]));
  expect(await readBody()).toContain('Introduction … 1\nConventions of this manual … 2\nIndex … 3');
});

describe('a PDF that Chrome printed', () => {
  beforeAll(async () => {
    serve('/report.pdf', await print(REPORT));
  });

  test('read_page returns its text by page, with headings and tables, under the usual header', async () => {
    const { note } = await browser.json<{ note: string }>('navigate', {
      url: `${site.origin}/report.pdf`,
    });
    expect(note).toContain('PDF');
    const { text = '', notes } = await browser.reply('read_page');
    expect(text.replace(/Captured At: .*/, 'Captured At: …').replace(site.origin, '')).toBe(
      `- Page URL: /report.pdf
- Page Title: Annual report
- Page Mode: markdown
- Captured At: …

--- Page 1 of 2 ---

# Annual report

Sales grew in all regions.

## Numbers

| Region | Sales |
| --- | --- |
| North | 120 |
| South | 90 |

--- Page 2 of 2 ---

## Outlook

The next year looks good.

`,
    );
    expect(notes).toContain('[PDF, 2 pages; cursor "p2" starts at page 2]');
  });

  test('a cursor continues a cut reply, or starts at a page', async () => {
    await open('/cursor.pdf', buildPages([writeLines(1), writeLines(2)]));
    expect(await readBody({ cursor: 'p2' })).toMatch(/^--- Page 2 of 2 ---\n\n2\.0 /);
    const cut = await readBody({ max_tokens: 200 });
    expect(cut).not.toContain('2.9');
    const [, cursor] = /continue with cursor "(.*?)"/.exec(cut) ?? [];
    expect(await readBody({ cursor })).toContain('2.9');
    for (const missing of ['p3', 'p0', 'p999999'])
      expect(await browser.failure('read_page', { cursor: missing })).toMatchObject({
        code: 'invalid_argument',
        message: `Page ${missing.slice(1)} was not found in the PDF.`,
        hint: 'Use "p1" to "p2".',
      });
  });

  test('find names the page of each match', async () => {
    await browser.json('navigate', { url: `${site.origin}/report.pdf` });
    expect(await browser.text('find', { query: 'YEAR next' })).toBe(
      'page 2: The next year looks good.',
    );
    expect(await browser.text('find', { query: 'losses' })).toBe(
      'No match in the PDF for "losses".',
    );
    const { notes } = await browser.reply('find', { query: 'year', role: 'button' });
    expect(notes).toContain('[The tab shows a PDF, which has no elements: role was ignored]');
    expect(await browser.failure('find', { role: 'button' })).toMatchObject({
      code: 'invalid_argument',
      hint: expect.stringContaining('query') as string,
    });
  });

  test('modes and targets that need elements are rejected', async () => {
    await browser.json('navigate', { url: `${site.origin}/report.pdf` });
    for (const args of [{ mode: 'dom' }, { mode: 'css' }, { selector: 'p' }, { ref: 'e1' }])
      expect(await browser.failure('read_page', args)).toMatchObject({ code: 'invalid_argument' });
  });

  test('the page that is opened next is read as a page', async () => {
    await browser.json('navigate', { url: `${site.origin}/report.pdf` });
    await browser.text('read_page');
    await browser.json('navigate', { url: `${site.origin}/` });
    expect(await browser.text('read_page')).toContain('# Home');
  });

  test('downloads reads its text', async () => {
    serve('/saved.pdf', await readServed('/report.pdf'), {
      'content-disposition': 'attachment; filename="saved.pdf"',
    });
    await browser.json('navigate', { url: site.page('/save', '<a href="/saved.pdf">Save</a>') });
    await browser.text('interact', { action: 'click', query: 'Save' });
    const id = await vi.waitFor(async () => {
      const { downloads } = await browser.json<{
        downloads: { id: string; file: string; state: string }[];
      }>('downloads');
      const saved = downloads.find(({ file }) => file === 'saved.pdf');
      expect(saved?.state).toBe('completed');
      return saved?.id;
    }, 10_000);
    const text = await browser.text('downloads', { action: 'read', id });
    expect(text).toContain('| North | 120 |');
    expect(await browser.text('downloads', { action: 'read', id, cursor: 'p2' })).toContain(
      '## Outlook',
    );
    expect(await browser.failure('downloads', { action: 'read', id: 'd999' })).toMatchObject({
      code: 'invalid_argument',
      message: 'The download "d999" does not exist.',
      downloads: expect.arrayContaining([`${id} completed saved.pdf`]) as string[],
    });
  });

  for (const render of ['fetch', 'browser'])
    test(`crawl reads it with render "${render}"`, async () => {
      const { pages } = await browser.json<{ pages: Record<string, unknown>[] }>('crawl', {
        url: `${site.origin}/`,
        render,
        respect_robots: false,
      });
      expect(pages.find(({ url }) => String(url).endsWith('.pdf'))).toMatchObject({
        title: 'Annual report',
        content_type: 'application/pdf',
        content: expect.stringContaining('| South | 90 |') as string,
      });
    });
});

const readServed = async (path: string): Promise<Uint8Array> =>
  new Uint8Array(await (await fetch(`${site.origin}${path}`)).arrayBuffer());

test('a PDF that answers a form is read without sending the form again', async () => {
  const methods: string[] = [];
  site.page('/invoice.pdf', (request, response) => {
    methods.push(request.method ?? '');
    response.writeHead(200, { 'content-type': 'application/pdf' });
    response.end(buildPages([showText('Invoice 7')]));
  });
  const form = '<form method="post" action="/invoice.pdf"><button>Show</button></form>';
  await browser.json('navigate', { url: site.page('/form', form) });
  const receipt = await browser.text('interact', { action: 'click', query: 'Show' });
  const [, id] = /download (d\d+)/.exec(receipt) ?? []; // the headless shell
  if (id !== undefined) await browser.text('wait_for', { download: 'invoice' });
  const text =
    id === undefined
      ? await browser.text('read_page')
      : await browser.text('downloads', { action: 'read', id });
  expect(text).toContain('Invoice 7');
  expect(methods).toEqual(['POST']);
});

test('a PDF with 300 pages, read by two threads, is returned as a handle that contains all of it', async () => {
  const pages = Array.from({ length: 300 }, (_, index) => writeLines(index + 1));
  pages[0] += showText('Contents', { y: 760, size: 30 });
  pages[299] += showText('Index', { y: 760, size: 20 });
  await open('/long.pdf', buildPages(pages));
  const descriptor = await browser.json<{ output_handle: string; size_bytes: number }>('read_page');
  expect(descriptor).toMatchObject({
    output_handle: expect.stringMatching(/^oh_/) as string,
    mime_type: 'text/markdown',
  });
  expect(
    await browser.text('oc_output_fetch', {
      output_handle: descriptor.output_handle,
      grep: '^300\\.9',
    }),
  ).toContain('300.9 Seven engineers');
  expect(await readBody({ cursor: 'p300' })).toContain('300.0 Seven engineers');
  // the levels of headings depend on the sizes in the whole document
  expect(await readBody({ cursor: 'p1', max_tokens: 100 })).toContain('# Contents');
  expect(await readBody({ cursor: 'p300' })).toContain('## Index');
  const numbers = await browser.text('oc_output_fetch', {
    output_handle: descriptor.output_handle,
    grep: '^--- Page ',
    limit: 400,
  });
  expect(numbers.match(/--- Page \d+ of 300 ---/g)).toEqual(
    pages.map((_, index) => `--- Page ${index + 1} of 300 ---`),
  );
});

describe('a PDF without tags', () => {
  test('headings are found by size and weight, tables by alignment, lists by bullets', async () => {
    const rows = [
      ['Item', 'Price', 'Stock'],
      ['Pen', '2', '100'],
      ['Ink', '15', '7'],
    ];
    const content = [
      showText('Price list', { size: 24, y: 750 }),
      showText('All prices are in euros and', { y: 720 }),
      showText('are valid until June.', { y: 706 }),
      showText('Office', { font: 'F2', y: 680 }),
      ...rows.flatMap((row, index) =>
        row.map((text, column) => showText(text, { x: 50 + 100 * column, y: 650 - 15 * index })),
      ),
      showText('\\267 delivered in two days', { y: 560 }),
      showText('# not a heading', { y: 500 }),
    ].join('');
    await open('/prices.pdf', buildPages([content]));
    expect(await readBody()).toMatchInlineSnapshot(`
      "--- Page 1 of 1 ---

      # Price list

      All prices are in euros and
      are valid until June.

      ## Office

      | Item | Price | Stock |
      | --- | --- | --- |
      | Pen | 2 | 100 |
      | Ink | 15 | 7 |

      - delivered in two days

      \\# not a heading

      "
    `);
  });

  test('text that a reader cannot see is left out and counted', async () => {
    const content = [
      showText('Visible text'),
      showText('invisible mode', { y: 650, mode: 3 }),
      showText('tiny', { y: 600, size: 0.2 }),
      showText('far away', { x: 9000, y: 500 }),
    ].join('');
    await open('/hidden.pdf', buildPages([content]));
    const { text, notes } = await browser.reply('read_page');
    expect(text).toContain('Visible text');
    expect(text).not.toMatch(/invisible mode|tiny|far away/);
    expect(notes.join('\n')).toMatch(/3 .*hid/i);
  });

  test('the text is redacted and sanitised like the text of a page', async () => {
    const content =
      showText('Key: AKIAIOSFODNN7EXAMPLE') +
      showText('api_key=sk_live_4eC39HqLyjWDarjtT1zdp7dc', { y: 600 });
    await open('/secret.pdf', buildPages([content]));
    const text = await browser.text('read_page');
    expect(text).not.toContain('sk_live_4eC39HqLyjWDarjtT1zdp7dc');
  });
});

/** A file whose tree of pages has these children and this number of pages. */
const buildTree = (kids: string, count: number): Buffer =>
  buildPdf([
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Kids[${kids}]/Count ${count}>>`,
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>',
    { dictionary: '', stream: Buffer.from(showText('Hello')) },
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
  ]);

describe('files without readable text', () => {
  test('pages that cannot be loaded are reported as damaged', async () => {
    await open('/three.pdf', buildTree('3 0 R', 3));
    const { text = '', notes } = await browser.reply('read_page');
    expect(text).toContain('Hello');
    expect(text).toContain('--- Page 3 of 3 ---\n\n[This page is damaged and cannot be read.]');
    expect(notes.join()).toContain('[PDF, 3 pages; damaged pages: 2, 3; cursor "p3"');
  });

  test('a page that is only a picture is reported as one', async () => {
    const image = Buffer.from([255, 0, 0]);
    const scan = buildPdf([
      '<</Type/Catalog/Pages 2 0 R>>',
      '<</Type/Pages/Kids[3 0 R]/Count 1>>',
      '<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</XObject<</Im 5 0 R>>>>>>',
      { dictionary: '', stream: Buffer.from('q 600 0 0 800 0 0 cm /Im Do Q') },
      {
        dictionary:
          '/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceRGB',
        stream: image,
      },
    ]);
    await open('/scan.pdf', scan);
    const { text, notes } = await browser.reply('read_page');
    expect(text).toContain('[This page is a picture without text.]');
    expect(notes.join()).toContain('no page has text: it may be a scan');
    const found = await browser.reply('find', { query: 'Invoice' });
    expect(found.text).toBe('No match in the PDF for "Invoice".');
    expect(found.notes).toEqual([
      '[Only text can be found; no page has text: it may be a scan, whose pages are pictures]',
    ]);
  });

  test('an empty page is reported as empty', async () => {
    await open('/blank.pdf', buildPages(['']));
    expect(await readBody()).toContain('[This page is empty.]');
  });

  const unreadable: [string, Uint8Array, object][] = [
    ['an empty file', new Uint8Array(), { code: 'document_unreadable' }],
    [
      'a file that is not a PDF',
      Buffer.from('<html>Sorry</html>'),
      { code: 'document_unreadable' },
    ],
    [
      'a truncated file',
      buildPages([showText('x')]).subarray(0, 40),
      { code: 'document_unreadable' },
    ],
    ['an encrypted file', buildEncrypted(), { code: 'document_encrypted' }],
    ['a file without pages', buildTree('', 0), { code: 'document_unreadable' }],
    ['a file that claims many pages', buildTree('', 2 ** 30), { code: 'document_unreadable' }],
    ['a file whose page is missing', buildTree('9 0 R', 1), { code: 'document_unreadable' }],
  ];
  test.each(unreadable)('%s is a failure with the next step', async (name, bytes, failure) => {
    await open(`/${name.replaceAll(' ', '-')}.pdf`, bytes);
    expect(await browser.failure('read_page')).toMatchObject({
      ...failure,
      retryable: false,
      hint: expect.any(String) as string,
    });
  });
});
