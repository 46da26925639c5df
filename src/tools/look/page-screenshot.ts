// page_screenshot: a picture of the page, an element, a clip or the full page.
import { z } from 'zod';
import { fail } from '../../core/failure.ts';
import { captureScreenshot, elementArea } from '../../browser/tabs/screenshot.ts';
import { replaceFile } from '../../store/replace-file.ts';
import { defineTool } from '../../toolkit/define-tool.ts';

export const pageScreenshot = defineTool({
  name: 'page_screenshot',
  description:
    'Picture of what is in view, of an element (selector), of a clip or of the full page, scaled to what models accept. For text and for finding elements read_page is far cheaper. path saves it to a file instead of returning it.',
  tier: 1,
  traits: {
    effect: 'read',
    scope: 'tab',
    observation: true,
    duration: 'instant',
    dialog: 'blocked',
    timeoutMs: 20_000,
    files: ['path'],
    core: true,
  },
  input: {
    selector: z.string().min(1).optional().describe('CSS selector of one element'),
    fullPage: z.boolean().default(false),
    clip: z
      .object({ x: z.number(), y: z.number(), width: z.number().positive(), height: z.number().positive() })
      .optional()
      .describe('In CSS pixels of the page'),
    format: z.enum(['png', 'jpeg', 'webp']).default('png'),
    quality: z.number().int().min(1).max(100).optional(),
    path: z.string().min(1).optional().describe('Save here, at full size'),
  },
  prepare: (input) => {
    const { selector, fullPage, clip } = input;
    if ([selector !== undefined, fullPage, clip !== undefined].filter(Boolean).length > 1) {
      throw fail('invalid_argument', 'page_screenshot takes only one of "selector", "fullPage" and "clip".', { argument: 'clip' });
    }
    return input;
  },
  examples: [{}, { fullPage: true, format: 'webp' }],
  run: async ({ selector, fullPage, clip, format, quality, path }, { tab, signal }) => {
    const area = fullPage ? 'full' : selector === undefined ? clip : await elementArea(tab, selector, signal);
    const picture = await captureScreenshot(
      tab,
      { format, original: path !== undefined, ...(quality === undefined ? {} : { quality }), ...(area ? { area } : {}) },
      signal,
    );
    const { data, mimeType, ...facts } = picture;
    if (path === undefined) return { picture };
    const bytes = Buffer.from(data, 'base64');
    await replaceFile(path, bytes);
    return { saved: { path, mimeType, sizeBytes: bytes.length, ...facts } };
  },
  render: ({ picture, saved }) => {
    if (!picture) return { json: saved };
    const scaled = picture.scale < 1 ? `scaled to ${picture.width}x${picture.height} (x${picture.scale.toFixed(3)})` : undefined;
    return { images: [{ data: picture.data, mimeType: picture.mimeType }], ...(scaled ? { text: scaled } : {}) };
  },
});
