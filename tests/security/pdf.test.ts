// Hostile PDF files: bombs, deep nesting, loops and false counts end bounded and clean.
import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';
import { buildPages, buildPdf, type PdfObject, showText } from '../pdf-files.ts';

const site = useSite({ '/': '<title>Home</title><h1>Home</h1>' });
const browser = useEngine();

const open = (path: string, bytes: Uint8Array): Promise<unknown> =>
  browser.json('navigate', {
    url: site.page(path, (_request, response) =>
      response.writeHead(200, { 'content-type': 'application/pdf' }).end(bytes),
    ),
  });

const CATALOG = '<</Type/Catalog/Pages 2 0 R>>';
const ONE_PAGE = '<</Type/Pages/Kids[3 0 R]/Count 1>>';
const page = (contents: string, further = ''): string =>
  `<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents ${contents}${further}>>`;

/** A content stream of 64 MB, used 16 times: one gigabyte from 70 kB. */
const buildBomb = (): Buffer =>
  buildPdf([
    CATALOG,
    ONE_PAGE,
    page(`[${'4 0 R '.repeat(16)}]`),
    {
      dictionary: '/Filter[/FlateDecode/FlateDecode]',
      stream: deflateSync(deflateSync(Buffer.alloc(64 * 1024 * 1024, 'q '))),
    },
  ]);

/** Form objects that show each other: 10 to the power of 10 texts. */
const buildFanOut = (): Buffer => {
  const forms = Array.from({ length: 10 }, (_, index): PdfObject => {
    const dictionary =
      '/Type/XObject/Subtype/Form/BBox[0 0 600 800]' +
      `/Resources<</XObject<</X ${6 + index} 0 R>>>>`;
    return { dictionary, stream: Buffer.from('/X Do '.repeat(10)) };
  });
  return buildPdf([
    CATALOG,
    ONE_PAGE,
    page('4 0 R', '/Resources<</XObject<</X 5 0 R>>>>'),
    { dictionary: '', stream: Buffer.from('/X Do') },
    ...forms,
    { dictionary: '/Type/XObject/Subtype/Form/BBox[0 0 9 9]', stream: Buffer.from('q Q') },
  ]);
};

const FILES: Readonly<Record<string, () => Buffer>> = {
  'a content stream of one gigabyte': buildBomb,
  'forms that show each other many times': buildFanOut,
  'a page that is its own parent': () =>
    buildPdf([CATALOG, '<</Type/Pages/Kids[2 0 R 2 0 R]/Count 2>>']),
  'arrays in arrays': () =>
    buildPdf([CATALOG, ONE_PAGE, page(`${'['.repeat(50_000)}${']'.repeat(50_000)}`)]),
  'a form that shows itself': () =>
    buildPdf([
      CATALOG,
      ONE_PAGE,
      page('4 0 R', '/Resources<</XObject<</X 4 0 R>>>>'),
      {
        dictionary: '/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 4 0 R>>>>',
        stream: Buffer.from('/X Do'),
      },
    ]),
  'a count of two thousand million pages': () =>
    buildPdf([CATALOG, '<</Type/Pages/Kids[3 0 R]/Count 2000000000>>', page('4 0 R')]),
  'a broken font': () =>
    buildPdf([
      CATALOG,
      ONE_PAGE,
      page(
        '4 0 R',
        '/Resources<</Font<</F1<</Type/Font/Subtype/TrueType/BaseFont/X/FontDescriptor' +
          '<</Type/FontDescriptor/FontFile2 5 0 R>>>>>>>>',
      ),
      { dictionary: '', stream: Buffer.from(showText('text')) },
      { dictionary: '', stream: Buffer.alloc(5000, 255) },
    ]),
  'a structure tree that contains itself': () =>
    buildPdf([
      '<</Type/Catalog/Pages 2 0 R/MarkInfo<</Marked true>>/StructTreeRoot 5 0 R>>',
      ONE_PAGE,
      page('4 0 R', '/StructParents 0'),
      { dictionary: '', stream: Buffer.from('/P<</MCID 0>>BDC EMC') },
      '<</Type/StructTreeRoot/K 6 0 R/ParentTree<</Nums[0[6 0 R]]>>>>',
      '<</Type/StructElem/S/P/P 6 0 R/K[6 0 R 0]/Pg 3 0 R>>',
    ]),
};

describe('a hostile PDF', () => {
  test.each(Object.entries(FILES))('with %s ends in a text or a failure', async (name, build) => {
    await open(`/${name.replaceAll(' ', '-')}.pdf`, build());
    const { failure, text } = await browser.reply('read_page', { timeout_ms: 50_000 });
    if (failure) expect(failure.code).toMatch(/^document_/);
    else expect(text).toContain('--- Page 1 of ');
    await open('/good.pdf', buildPages([showText('A good file')]));
    expect(await browser.text('read_page')).toContain('A good file');
  });

  test('runs no script and loads no other file', async () => {
    const requests: string[] = [];
    site.page('/beacon', (request, response) => {
      requests.push(request.url ?? '');
      response.end();
    });
    const action = `/OpenAction<</S/JavaScript/JS(app.launchURL\\("${site.origin}/beacon"\\))>>`;
    await open('/script.pdf', buildPages([showText('Text')], { catalog: action }));
    expect(await browser.text('read_page')).toContain('Text');
    expect(requests).toEqual([]);
  });

  test('with many pages is read up to the limit, and the reply reports it', async () => {
    const kids = '3 0 R '.repeat(6000);
    await open(
      '/many.pdf',
      buildPdf([CATALOG, `<</Type/Pages/Kids[${kids}]/Count 6000>>`, page('4 0 R')]),
    );
    const { failure, notes } = await browser.reply('read_page');
    if (failure) expect(failure.code).toMatch(/^document_/);
    else expect(notes.join()).toMatch(/only the first \d+ were read/);
  });
});
