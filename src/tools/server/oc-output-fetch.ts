// oc_output_fetch: reads a stored payload by its handle: a page, a query, or matching lines.
import { z } from 'zod';
import { FETCH_FORMATS, fetchOutput } from '../../store/handles/handle-fetch.ts';
import { defineTool } from '../../toolkit/define-tool.ts';
import { markUndescribed, markUnlisted } from '../../toolkit/tool-description.ts';

export const ocOutputFetch = defineTool({
  name: 'oc_output_fetch',
  description:
    'Read a stored payload (oh_…) in parts. Best: query (JMESPath on JSON: ' +
    'pages[?depth==`1`].url) or grep (regex; lines or items that match); else page with offset ' +
    'until next_offset is null.',
  returns: '{offset, limit, returned, total, next_offset, content, eof, envelope?}',
  keywords: 'handle payload stored large page query grep',
  tier: 1,
  traits: {
    effect: 'read',
    scope: 'none',
    observation: false,
    duration: 'instant',
    dialog: 'allowed',
    timeoutMs: 30_000,
    verbatim: true,
    resource: 'output',
  },
  input: () => ({
    output_handle: z.string(),
    offset: z.number().int().min(0).default(0),
    limit: z.number().int().min(1).optional().describe('Items, matches or bytes'),
    query: markUndescribed(z.string().min(1).max(4000).optional().describe('JMESPath')),
    grep: z.string().min(1).max(1000).optional().describe('(?i) ignores case'),
    context: markUnlisted(
      z.number().int().min(0).max(10).optional().describe('Lines around each match'),
    ),
    fields: z.array(z.string()).min(1).max(100).optional().describe('Of every item'),
    format: markUnlisted(z.enum(FETCH_FORMATS).default('auto')),
  }),
  examples: [
    { output_handle: 'oh_ABCDEFGH2345' },
    {
      output_handle: 'oh_ABCDEFGH2345',
      query: "pages[?contains(title, 'Price')].{url: url, title: title}",
    },
    { output_handle: 'oh_ABCDEFGH2345', grep: '(?i)error', context: 2 },
  ],
  run: (input, { services, session, isUser, signal }) =>
    fetchOutput(services.handles, input, signal, { session: session.ownStorageName, isUser }),
});
