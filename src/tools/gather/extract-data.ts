// extract_data: extracts records from a page in the shape of a JSON Schema.
import { z } from 'zod';
import { defineTool } from '../../toolkit/define-tool.ts';
import { markUndescribed, markUnlisted } from '../../toolkit/tool-description.ts';

export const extractData = defineTool({
  name: 'extract_data',
  description:
    'Records of the page as JSON: give a JSON Schema of one record; fields are matched by name ' +
    'and type in JSON-LD, microdata, tables, lists and cards. For free text use read_page.',
  returns: '{items: [...], provenance: {…}, missing: [...], errors: [...]}',
  keywords: 'scrape table json schema records list products prices',
  tier: 1,
  traits: {
    effect: 'read',
    scope: 'tab',
    observation: false,
    duration: 'instant',
    dialog: 'blocked',
    needsPage: true,
    rejectsPdf: true,
    timeoutMs: 30_000,
    large: true,
    items: 'items',
  },
  input: () => ({
    schema: z.record(z.string(), z.unknown()),
    multiple: markUndescribed(z.boolean().optional().describe('All records, not one')),
    selector: z
      .string()
      .min(1)
      .max(10_000)
      .optional()
      .describe('Where to look, or the records themselves'),
    ref: markUnlisted(z.string().min(1).max(40).optional()),
  }),
  examples: [
    {
      schema: {
        type: 'object',
        properties: { name: { type: 'string' }, price: { type: 'number' } },
      },
      multiple: true,
    },
    {
      schema: {
        properties: {
          title: { type: 'string' },
          author: { type: 'string' },
          date: { type: 'string', format: 'date' },
        },
      },
    },
  ],
  run: async ({ schema, multiple, selector, ref }, { tab, services, signal, note }) => {
    const [{ createExtractor }, { readRecords }] = await Promise.all([
      import('../../features/extract/extract-data.ts'),
      import('../../browser/read/read-modes.ts'),
    ]);
    const extractor = createExtractor(schema, multiple);
    const page = await readRecords(tab, { selector, ref, multiple: extractor.multiple }, signal);
    if (page.truncated) note('[The page is too large to be searched completely; pass a selector]');
    return extractor.extract(page, services.workers, signal);
  },
});
