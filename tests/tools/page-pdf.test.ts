// page_pdf: a PDF of the page on the requested paper, in an allowed folder.
import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';

const browser = useEngine();
const site = useSite({
  '/': '<title>Über: a/b?</title><style>p{page-break-after:always}</style><p>one</p><p>two</p><div>three</div>',
});

interface Saved {
  readonly path: string;
  readonly pages: number;
  readonly sizeBytes: number;
}

/** Width and height of its first page, in points. */
const paperOf = async (path: string): Promise<number[]> => {
  const [, box = ''] = /\/MediaBox\s*\[([^\]]+)\]/.exec(await readFile(path, 'latin1')) ?? [];
  return box
    .trim()
    .split(/\s+/)
    .slice(2)
    .map((side) => Math.round(Number(side)));
};

describe('page_pdf', () => {
  test('prints all pages into a new file, readable only by its owner', async () => {
    await browser.json('navigate', { url: `${site.origin}/` });
    const saved = await browser.json<Saved>('page_pdf');
    const bytes = await readFile(saved.path);
    expect(bytes.subarray(0, 5).toString()).toBe('%PDF-');
    expect(saved).toMatchObject({ pages: 3, sizeBytes: bytes.length });
    expect(dirname(saved.path)).toBe(join(browser.home, 'downloads'));
    expect(saved.path).toMatch(/Über-a-b-[\dTZ-]+\.pdf$/);
    if (process.platform !== 'win32') expect((await stat(saved.path)).mode & 0o777).toBe(0o600);
    expect((await browser.json<Saved>('page_pdf')).path).not.toBe(saved.path);
  });

  test('uses the requested paper, orientation and pages', async () => {
    const path = join(browser.home, 'out', 'letter.pdf');
    expect(
      await browser.json('page_pdf', {
        path,
        format: 'Letter',
        landscape: true,
        pageRanges: '2-3',
      }),
    ).toMatchObject({
      path,
      pages: 2,
    });
    expect(await paperOf(path)).toEqual([792, 612]);
    await browser.json('page_pdf', { path });
    expect(await paperOf(path)).toEqual([596, 842]);
  });

  test.each([
    [{ path: '/etc/page.pdf' }, { code: 'file_not_allowed' }],
    [{ path: 'page.png' }, { code: 'invalid_argument', argument: 'path' }],
    [{ pageRanges: '7-9' }, { code: 'invalid_argument', argument: 'pageRanges' }],
    [{ pageRanges: 'first' }, { code: 'invalid_argument', argument: 'pageRanges' }],
    [{ pageRanges: '3-1' }, { code: 'invalid_argument', argument: 'pageRanges' }],
    [{ marginCm: 15 }, { code: 'invalid_argument', argument: 'marginCm' }],
    [{ format: 'a9' }, { code: 'invalid_argument', argument: 'format' }],
    [{ scale: 9 }, { code: 'invalid_argument', argument: 'scale' }],
  ])('%j is refused', async (args, failure) => {
    expect(await browser.failure('page_pdf', args)).toMatchObject(failure);
  });
});
