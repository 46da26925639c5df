// page_pdf: saves the page as a PDF file.
import { extname, join } from 'node:path';
import { z } from 'zod';
import { defined } from '../../core/defined.ts';
import { fail } from '../../core/failure.ts';
import { PAPER_FORMATS, printPdf } from '../../browser/tabs/pdf.ts';
import { saveFile } from '../../store/files/pictures.ts';
import { defineTool } from '../../toolkit/define-tool.ts';

/** A name that is valid on every file system: the title, and the time so that it is unique. */
const PDF_EXTENSIONS = new Set(['', '.', '.pdf']);

const fileName = (title: string, at: number): string => {
  const words = title
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');
  const time = new Date(at).toISOString().replace(/[:.]/g, '-');
  return `${[...words].slice(0, 60).join('') || 'page'}-${time}.pdf`;
};

export const pagePdf = defineTool({
  name: 'page_pdf',
  description:
    'Save the page as a PDF file, as it would be printed; replies with path, pages and size. ' +
    'To read the page use read_page, for an image page_screenshot.',
  returns: '{path, pages, sizeBytes}',
  keywords: 'print paper document save',
  tier: 2,
  traits: {
    effect: 'read',
    scope: 'tab',
    observation: false,
    duration: 'instant',
    dialog: 'blocked',
    needsPage: true,
    rejectsPdf: true,
    timeoutMs: 60_000,
    files: ['path'],
  },
  input: () => ({
    path: z
      .string()
      .min(1)
      .max(4096)
      .optional()
      .describe('Default: a new file in the downloads folder'),
    format: z
      .preprocess(
        (value) => (typeof value === 'string' ? value.toLowerCase() : value),
        z.enum(PAPER_FORMATS),
      )
      .default('a4'),
    landscape: z.boolean().default(false),
    background: z.boolean().default(true).describe('Print background colours and images'),
    scale: z.number().min(0.1).max(2).default(1),
    marginCm: z.number().min(0).max(20).default(1),
    pageRanges: z
      .string()
      .regex(/^(?=\D*\d)[\d\s,-]*$/, 'expected a form like "1-3, 5"')
      .max(200)
      .optional()
      .describe('"1-3, 5"'),
  }),
  prepare: (input) => {
    const { path = '' } = input;
    const extension = extname(path).toLowerCase();
    if (!PDF_EXTENSIONS.has(extension))
      throw fail('invalid_argument', `page_pdf writes PDF, not "${extension}" files.`, {
        argument: 'path',
        hint: 'Use a path that ends in .pdf; for an image use [[screenshot]].',
      });
    return input;
  },
  examples: [{}, { path: 'invoice.pdf', format: 'letter', pageRanges: '1-2' }],
  run: async ({ path: given, pageRanges, ...options }, { tab, signal, services }) => {
    const { bytes, pages } = await printPdf(tab, defined({ ...options, pageRanges }), signal);
    const path = given ?? join(services.home.downloads, fileName(tab.title, tab.clock()));
    await saveFile(path, bytes);
    return { path, pages, sizeBytes: bytes.length };
  },
});
