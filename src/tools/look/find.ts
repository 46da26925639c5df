// find: finds elements by words, role, label, test id, CSS or neighbours, each with a ref.
import { z } from 'zod';
import { fail } from '../../core/failure.ts';
import { showsPdf } from '../../browser/pdf/pdf-kind.ts';
import { findElements } from '../../browser/read/find-elements.ts';
import { requirePage } from '../../browser/tabs/shown-page.ts';
import { type FindingView, renderFinding } from '../../render/find-text.ts';
import { type PdfMatches, renderPdfMatches } from '../../render/markdown-text.ts';
import type { TabContext } from '../../toolkit/context.ts';
import { defineTool } from '../../toolkit/define-tool.ts';
import { markUndescribed, markUnlisted } from '../../toolkit/tool-description.ts';

const words = z.string().trim().min(1).max(1000);

const input = () => ({
  query: words.optional().describe('Words of its name, label or text'),
  role: z.string().trim().min(1).max(40).optional().describe('button, link, field …'),
  label: markUndescribed(words.optional().describe('Label of a form field')),
  testId: markUnlisted(z.string().min(1).max(200).optional()),
  selector: markUndescribed(z.string().min(1).max(10_000).optional().describe('CSS')),
  near: words.optional().describe('Words of the same row, card or list item'),
  limit: z.number().int().min(1).max(100).default(10),
  waitForMs: markUndescribed(
    z.number().int().min(0).max(600_000).default(0).describe('Wait for a match'),
  ),
});

const CRITERIA = ['query', 'role', 'label', 'testId', 'selector', 'near'] as const;

/** Criteria that a text does not have. */
const ELEMENT_CRITERIA = ['role', 'testId', 'selector'] as const;

/** Time for the reply, out of the time of the call. */
const ANSWER_MS = 1000;

type FindData = (FindingView & { readonly kind?: undefined }) | PdfMatches;

const findInPdf = async (
  criteria: Readonly<Record<string, string | undefined>>,
  limit: number,
  { tab, services, signal, note, requireConsent }: TabContext,
): Promise<PdfMatches> => {
  const { query, near, label } = criteria;
  const words = [query, near, label].filter((text) => text !== undefined).join(' ');
  if (words === '')
    throw fail('invalid_argument', 'The tab shows a PDF, which has no elements.', {
      argument: 'query',
      situation: 'pdf_without_elements',
    });
  const ignored = ELEMENT_CRITERIA.filter((name) => criteria[name] !== undefined);
  if (ignored.length > 0)
    note(`[The tab shows a PDF, which has no elements: ${ignored.join(', ')} was ignored]`);
  const { describeTextlessPages, readTabPdf } = await import('../../browser/pdf/tab-pdf.ts');
  const { searchPdf } = await import('../../browser/pdf/search-pdf.ts');
  const { workers } = services;
  const { reading } = await readTabPdf(tab, { workers, requireConsent, signal });
  const textless = describeTextlessPages(reading);
  if (textless !== undefined) note(`[Only text can be found; ${textless}]`);
  return { kind: 'pdf', ...(await searchPdf(reading, words, { limit, signal })) };
};

export const find = defineTool({
  name: 'find',
  description:
    'Find elements in all frames, ranked, each with a ref. Arguments combine: {role: "button", ' +
    'near: "Ada"} is the button in the row of Ada. Much cheaper than read_page.',
  returns:
    '{hits: [{ref, role, name, states, value?, around: [{kind, text}]}], total, closest: [...]}',
  keywords: 'search locate element button link',
  tier: 1,
  traits: {
    effect: 'read',
    scope: 'tab',
    observation: true,
    duration: 'instant',
    dialog: 'blocked',
    needsPage: ({ waitForMs }) => waitForMs === 0,
    timeoutMs: 30_000,
    negative: (data) => (data as { readonly total: number }).total === 0,
    core: true,
  },
  input,
  prepare: (given) => {
    if (CRITERIA.every((name) => given[name] === undefined))
      throw fail('invalid_argument', `find needs at least one of ${CRITERIA.join(', ')}.`, {
        argument: 'query',
      });
    return given;
  },
  examples: [
    { query: 'Sign in' },
    { role: 'button', near: 'Ada Lovelace' },
    { label: 'Email', waitForMs: 5000 },
  ],
  run: async ({ waitForMs, limit, ...criteria }, context): Promise<FindData> => {
    const { tab, signal, deadline } = context;
    if (showsPdf(tab)) return findInPdf(criteria, limit, context);
    const spec = Object.fromEntries(
      Object.entries(criteria).filter(([, value]) => value !== undefined),
    );
    const maxWaitMs = Math.min(waitForMs, Math.max(0, deadline.remainingMs - ANSWER_MS));
    const finding = await findElements(tab, { ...spec, limit, waitForMs: maxWaitMs }, signal);
    // A popup may load its page during the wait, so the missing page is checked at the end.
    if (finding.total === 0) await requirePage(tab, signal);
    return finding;
  },
  render: (data, asked) =>
    data.kind === 'pdf' ? renderPdfMatches(data, asked.query ?? '') : renderFinding(data, asked),
});
