// page_screenshot: the requested area, scaled for models, saved only in allowed folders.
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { useEngine, useSite } from '../fixtures.ts';

const browser = useEngine();
const site = useSite({
  '/': '<body style="margin:0"><div id=box style="width:200px;height:100px;background:rgb(255,0,0)"></div><div style="height:3000px;background:rgb(0,0,255)"></div>',
});

/** Width and height of a PNG, from its first chunk. */
const sizeOf = (png: Buffer): [number, number] => [png.readUInt32BE(16), png.readUInt32BE(20)];

const shoot = async (
  args: object,
): Promise<{ size: [number, number]; text: string | undefined }> => {
  const { images, text, failure } = await browser.reply('page_screenshot', args);
  if (failure) throw failure;
  return { size: sizeOf(Buffer.from(images[0]?.data ?? '', 'base64')), text };
};

describe('page_screenshot', () => {
  test('captures the viewport', async () => {
    await browser.json('navigate', { url: `${site.origin}/` });
    expect(await shoot({})).toEqual({ size: [1280, 720], text: undefined });
  });

  test('captures a single element', async () => {
    expect((await shoot({ selector: '#box' })).size).toEqual([200, 100]);
  });

  test('pictures the element of a ref, in a frame too', async () => {
    await browser.json('navigate', {
      url: site.page(
        '/framed',
        '<body style="margin:0"><div style="height:900px"></div><iframe src="/inner" width=400 height=200></iframe>',
      ),
    });
    site.page(
      '/inner',
      '<body style="margin:0"><button style="width:120px;height:40px">Go</button>',
    );
    await browser.json('navigate', { action: 'reload' });
    const [, ref] = /(e\d+) button "Go"/.exec(await browser.text('read_page')) ?? [];
    expect((await shoot({ ref })).size).toEqual([120, 40]);
    await browser.json('navigate', { url: `${site.origin}/` });
  });

  test('draws refs over what can be acted on, and leaves nothing of it behind', async () => {
    await browser.json('navigate', {
      url: site.page('/buttons', '<button>One</button><button>Two</button>'),
    });
    const before = await browser.reply('page_screenshot');
    const marked = await browser.reply('page_screenshot', { annotate: true });
    const after = await browser.reply('page_screenshot');
    expect(marked.images[0]?.data).not.toBe(before.images[0]?.data);
    expect(after.images[0]?.data).toBe(before.images[0]?.data);
    expect(
      await browser.text('javascript_tool', { code: 'document.documentElement.children.length' }),
    ).toBe('2');
    await browser.json('navigate', { url: `${site.origin}/` });
  });

  test('pictures a clip of the page', async () => {
    expect((await shoot({ clip: { x: 0, y: 50, width: 300, height: 80 } })).size).toEqual([
      300, 80,
    ]);
  });

  test('scales the full page to the size that models accept, and reports it', async () => {
    const { size, text } = await shoot({ fullPage: true });
    expect(size[0] * size[1]).toBeLessThanOrEqual(1_160_000);
    expect(Math.max(...size)).toBeLessThanOrEqual(1568);
    expect(text).toMatch(/^scaled to \d+x\d+ \(x0\.\d+\)$/);
  });

  test.each(['png', 'jpeg', 'webp'] as const)('encodes as %s', async (format) => {
    const { images } = await browser.reply('page_screenshot', { format });
    expect(images[0]?.mimeType).toBe(`image/${format}`);
  });

  test('saves at full size inside of an allowed folder', async () => {
    const path = join(browser.home, 'shots', 'full.png');
    expect(await browser.json('page_screenshot', { fullPage: true, path })).toMatchObject({
      path,
      mimeType: 'image/png',
      width: 1280,
      height: 3100,
    });
    expect(sizeOf(await readFile(path))).toEqual([1280, 3100]);
  });

  test.each([
    ['a.png', '89504e47', 'image/png'],
    ['a.JPG', 'ffd8ff', 'image/jpeg'],
    ['a.jpeg', 'ffd8ff', 'image/jpeg'],
    ['a.webp', '52494646', 'image/webp'],
    ['without-extension', '89504e47', 'image/png'],
  ])('writes %s in the format of its extension', async (name, magic, mimeType) => {
    const path = join(browser.home, 'formats', name);
    expect(await browser.json('page_screenshot', { path })).toMatchObject({ path, mimeType });
    expect((await readFile(path)).toString('hex', 0, 4)).toMatch(new RegExp(`^${magic}`));
  });

  test('rejects an extension that it cannot write, and a format that contradicts the extension', async () => {
    for (const name of ['a.gif', 'a.txt', 'a.png.bak']) {
      const path = join(browser.home, 'formats', name);
      expect(await browser.failure('page_screenshot', { path })).toMatchObject({
        code: 'invalid_argument',
        argument: 'path',
      });
      await expect(readFile(path)).rejects.toThrow('ENOENT');
    }
    expect(
      await browser.failure('page_screenshot', {
        path: join(browser.home, 'a.webp'),
        format: 'png',
      }),
    ).toMatchObject({
      code: 'invalid_argument',
      argument: 'format',
    });
  });

  test('does not save outside of the allowed folders, also not through a link', async () => {
    const outside = await mkdtemp(join(tmpdir(), 'openchrome-outside-'));
    onTestFinished(() => rm(outside, { recursive: true }));
    await symlink(outside, join(browser.home, 'link'));
    for (const path of [
      join(outside, 'a.png'),
      join(browser.home, 'link', 'a.png'),
      join(browser.home, '..', 'a.png'),
    ]) {
      expect(await browser.failure('page_screenshot', { path })).toMatchObject({
        code: 'file_not_allowed',
      });
    }
  });

  test.each([
    [{ selector: '#none' }, 'element_not_found'],
    [{ selector: '##' }, 'invalid_argument'],
    [{ selector: '#box', fullPage: true }, 'invalid_argument'],
    [{ format: 'gif' }, 'invalid_argument'],
    [{ clip: { x: 0, y: 0, width: -1, height: 5 } }, 'invalid_argument'],
    [{ path: 'a\0b.png' }, 'invalid_argument'],
  ])('%j is not allowed: %s', async (args, code) => {
    expect(await browser.failure('page_screenshot', args)).toMatchObject({ code });
  });
});
