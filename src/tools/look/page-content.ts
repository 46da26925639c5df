// page_content: returns the raw HTML of the page or of one element.
import { z } from 'zod';
import { findHtml } from '../../browser/read/read-modes.ts';
import { staleRefFailure } from '../../browser/read/resolve-ref.ts';
import { defineTool } from '../../toolkit/define-tool.ts';
import { markUnlisted } from '../../toolkit/tool-description.ts';

export const pageContent = defineTool({
  name: 'page_content',
  description:
    'Raw HTML of the page, or of the first match of selector. Costly: prefer read_page or ' +
    'extract_data.',
  returns: '{html}; no match: {content: null, message}',
  keywords: 'html source markup dom',
  tier: 1,
  traits: {
    effect: 'read',
    scope: 'tab',
    observation: true,
    duration: 'instant',
    dialog: 'blocked',
    needsPage: true,
    rejectsPdf: true,
    timeoutMs: 20_000,
    large: true,
    header: 'html',
    html: true,
    negative: (data) => 'content' in (data as object),
  },
  input: () => ({
    selector: z.string().min(1).max(10_000).optional(),
    ref: markUnlisted(z.string().min(1).max(40).optional()),
    outerHTML: markUnlisted(
      z.boolean().default(true).describe('false: without the element itself'),
    ),
  }),
  examples: [{ selector: '#main' }, { selector: 'main', outerHTML: false }],
  run: async ({ selector, ref, outerHTML }, { tab, signal, note }) => {
    const found = await findHtml(tab, { selector, ref, outer: outerHTML }, signal);
    if (found && found.length > found.html.length)
      note(
        `[${found.length - found.html.length} of ${found.length} characters left out: too large]`,
      );
    if (!found && ref !== undefined) throw await staleRefFailure(tab, ref, signal);
    return found
      ? { html: found.html }
      : { selector, content: null, message: `No element matches ${selector?.slice(0, 200)}.` };
  },
  render: (data) => ('html' in data ? (data.html ?? '') : { json: data }),
});
