// page_screenshot: takes an image of the viewport, an element, a clip or the full page.
import { extname } from 'node:path';
import { z } from 'zod';
import { defined } from '../../core/defined.ts';
import { fail } from '../../core/failure.ts';
import { measureRef, measureSelector, withMarks } from '../../browser/read/marks.ts';
import type { ElementArea } from '../../page/call-answers.ts';
import type { Tab } from '../../browser/tabs/tab.ts';
import {
  captureScreenshot,
  type ImageFormat,
  type Screenshot,
} from '../../browser/tabs/screenshot.ts';
import { saveFile } from '../../store/files/pictures.ts';
import { renderScreenshot } from '../../render/screenshot.ts';
import { defineTool } from '../../toolkit/define-tool.ts';
import { markUnlisted } from '../../toolkit/tool-description.ts';

interface ScreenshotSubject {
  readonly ref?: string | undefined;
  readonly selector?: string | undefined;
  readonly clip?: ElementArea | undefined;
  readonly fullPage: boolean;
}

const areaOf = (
  { ref, selector, clip, fullPage }: ScreenshotSubject,
  tab: Tab,
  signal: AbortSignal,
): Promise<ElementArea> | ElementArea | 'full' | undefined => {
  if (ref !== undefined) return measureRef(tab, ref, signal);
  if (selector !== undefined) return measureSelector(tab, selector, signal);
  return fullPage ? 'full' : clip;
};

/** Image formats by file extension. */
const FORMAT_BY_EXTENSION: ReadonlyMap<string, ImageFormat> = new Map([
  ['.png', 'png'],
  ['.jpg', 'jpeg'],
  ['.jpeg', 'jpeg'],
  ['.jpe', 'jpeg'],
  ['.jfif', 'jpeg'],
  ['.webp', 'webp'],
]);

/**
 * Returns the format that the file's extension requires. A file without an extension takes any
 * format.
 */
const resolveFormat = (path = '', format: ImageFormat | undefined): ImageFormat => {
  const extension = extname(path).toLowerCase();
  if (['', '.'].includes(extension)) return format ?? 'png';
  const required = FORMAT_BY_EXTENSION.get(extension);
  if (required === undefined)
    throw fail('invalid_argument', `page_screenshot cannot write "${extension}" files.`, {
      argument: 'path',
      hint: 'Use a path that ends in .png, .jpg, .jpeg or .webp.',
    });
  if (format !== undefined && format !== required)
    throw fail(
      'invalid_argument',
      `The path ends in "${extension}", but the format is ${format}.`,
      {
        argument: 'format',
        hint: `Omit "format", or use a path that ends in .${format}.`,
      },
    );
  return required;
};

export const pageScreenshot = defineTool({
  name: 'page_screenshot',
  description:
    'Image of the viewport, an element or the full page. For text and elements read_page is ' +
    'much cheaper.',
  returns: '{mimeType, width, height, scale}; with path: {path, mimeType, sizeBytes, …}',
  keywords: 'picture image photo png jpeg webp capture screen',
  tier: 1,
  traits: {
    effect: 'read',
    scope: 'tab',
    observation: true,
    duration: 'instant',
    dialog: 'blocked',
    needsPage: true,
    rejectsPdf: 'undrawn',
    timeoutMs: 20_000,
    files: ['path'],
    core: true,
  },
  input: () => ({
    ref: z.string().min(1).max(40).optional(),
    selector: z.string().min(1).max(10_000).optional(),
    fullPage: z.boolean().default(false),
    annotate: z.boolean().default(false).describe('Draw refs'),
    clip: markUnlisted(
      z
        .object({
          x: z.number(),
          y: z.number(),
          width: z.number().positive(),
          height: z.number().positive(),
        })
        .optional(),
    ),
    format: markUnlisted(z.enum(['png', 'jpeg', 'webp']).optional()),
    quality: markUnlisted(z.number().int().min(1).max(100).optional()),
    path: z.string().min(1).optional().describe('Save here instead'),
  }),
  prepare: (input) => {
    const { ref, selector, fullPage, clip, path, format } = input;
    if (
      [ref, selector, clip, fullPage || undefined].filter((part) => part !== undefined).length > 1
    ) {
      throw fail(
        'invalid_argument',
        'page_screenshot accepts only one of "ref", "selector", "fullPage" and "clip".',
        { argument: 'clip' },
      );
    }
    return { ...input, format: resolveFormat(path, format) };
  },
  examples: [{}, { fullPage: true, format: 'webp' }],
  run: async (input, { tab, signal }) => {
    const { format = 'png', quality, path, annotate } = input;
    const area = await areaOf(input, tab, signal);
    const options = defined({
      format,
      original: path !== undefined,
      quality,
      area,
    });
    const shoot = (): Promise<Screenshot> => captureScreenshot(tab, options, signal);
    const picture = await (annotate ? withMarks(tab, shoot, signal) : shoot());
    const { data, mimeType, ...facts } = picture;
    if (path === undefined) return { picture };
    const bytes = Buffer.from(data, 'base64');
    await saveFile(path, bytes);
    return { saved: { path, mimeType, sizeBytes: bytes.length, ...facts } };
  },
  render: ({ picture, saved }) => {
    if (!picture) return { json: saved };
    return renderScreenshot(picture);
  },
});
