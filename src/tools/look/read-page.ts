// read_page: reads the page as an element tree, DOM, CSS or Markdown.
import { z } from 'zod';
import { readCss, readDom, readMarkdown } from '../../browser/read/read-modes.ts';
import { showsPdf } from '../../browser/pdf/pdf-kind.ts';
import { fail } from '../../core/failure.ts';
import { readAgain } from '../../browser/read/read-tree.ts';
import {
  type CssDiagnosis,
  fitLines,
  type OutlineNodeData,
  renderCss,
  renderDom,
} from '../../render/read-modes-text.ts';
import { type PageChanges, renderChanges, selectChanges } from '../../render/diff.ts';
import {
  cutMarkdownPage,
  cutPdfPages,
  type MarkdownPage,
  renderMarkdownPage,
} from '../../render/markdown-text.ts';
import { selectOutline } from '../../render/page.ts';
import { estimateTokens } from '../../render/tokens.ts';
import { type OutlineLine, renderOutline } from '../../render/tree.ts';
import type { TabContext } from '../../toolkit/context.ts';
import { type DocumentHeader, defineTool } from '../../toolkit/define-tool.ts';
import { markUndescribed, markUnlisted } from '../../toolkit/tool-description.ts';

const input = () => ({
  mode: z.enum(['ax', 'dom', 'css', 'markdown']).default('ax'),
  filter: markUndescribed(
    z
      .enum(['interactive', 'all', 'roles'])
      .default('all')
      .describe('For ax. roles: also lines for paragraphs, emphasis and every other role'),
  ),
  depth: markUnlisted(z.number().int().min(1).max(100).optional().describe('Levels (ax, dom)')),
  ref: z.string().min(1).max(40).optional().describe('Only this part'),
  selector: markUndescribed(z.string().min(1).max(10_000).optional().describe('CSS')),
  max_tokens: z.number().int().min(100).max(1_000_000).default(10_000),
  since: z.enum(['last']).optional().describe('Only changes (ax)'),
  urls: z.boolean().default(false).describe('Of links'),
  cursor: markUnlisted(z.string().min(1).max(40).optional().describe('For markdown')),
});

/** Estimate for the lines of an element tree. */
const CHARS_PER_TOKEN = 3;

type ReadPageInput = z.output<z.ZodObject<ReturnType<typeof input>>>;

type ReadPageData =
  | { readonly mode: 'ax'; readonly lines: readonly OutlineLine[] }
  | ({ readonly mode: 'diff' } & PageChanges)
  | { readonly mode: 'dom'; readonly tree: OutlineNodeData }
  | ({ readonly mode: 'css' } & CssDiagnosis)
  | ({ readonly mode: 'markdown'; readonly document?: DocumentHeader } & MarkdownPage);

type ReadMode = (input: ReadPageInput, context: TabContext) => Promise<ReadPageData>;

/** Adds a hint to wait if the whole page has no content: an application may still be starting. */
const suggestWaiting = (
  { ref, selector, cursor }: ReadPageInput,
  { tab, note }: TabContext,
): void => {
  if (ref !== undefined || selector !== undefined || cursor !== undefined) return;
  const isLoading = tab.loading || tab.leavingFor !== undefined;
  const state = isLoading
    ? 'The page is still loading: wait'
    : 'The page has loaded and is empty; if it is still starting, wait';
  note(`[${state} for its content with wait_for {text} or {selector}, then read it again]`);
};

const markdown: ReadMode = async (given, context) => {
  const { ref, selector, urls, max_tokens, cursor } = given;
  const { tab, signal, note } = context;
  const {
    markdown: whole,
    part,
    wordsOutside,
    truncated,
  } = await readMarkdown(tab, { ref, selector, urls }, signal);
  if (whole.trim() === '') suggestWaiting(given, context);
  if (truncated)
    note(
      '[The page is too large and was not read completely; pass a selector to read another ' +
        'part]',
    );
  if ((part === 'article' || part === 'main') && wordsOutside > 0 && cursor === undefined)
    note(
      `[${part} only, ${wordsOutside} words around it left out; selector: "body" includes ` +
        `them]`,
    );
  return { mode: 'markdown', ...cutMarkdownPage(whole, { maxTokens: max_tokens, cursor }) };
};

/** Reads about as much as fits in `max_tokens`; if that was too much, reads again with less. */
const dom: ReadMode = async ({ ref, selector, depth, urls, max_tokens }, { tab, signal }) => {
  let maxChars = max_tokens * CHARS_PER_TOKEN;
  for (let attempt = 1; ; attempt++) {
    const tree = await readDom(tab, { ref, selector, depth, urls, maxChars }, signal);
    const tokens = estimateTokens(renderDom(tree));
    if (tokens <= max_tokens || attempt === 3) return { mode: 'dom', tree };
    maxChars *= (max_tokens / tokens) * 0.9;
  }
};

const css: ReadMode = async ({ ref, selector }, { tab, signal }) => {
  const { page, element, refOf } = await readCss(tab, { ref, selector }, signal);
  if (!element) return { mode: 'css', page };
  const { target, ...facts } = element;
  return { mode: 'css', element: { ref: refOf(target), ...facts } };
};

const ax: ReadMode = async (given, context) => {
  const { ref, selector, urls, filter, depth, max_tokens, since } = given;
  const { tab, signal, note } = context;
  const { now, before } = await readAgain(
    tab,
    { ref, selector, urls, roles: filter === 'roles', maxTokens: max_tokens },
    signal,
  );
  if (since !== undefined && before)
    return { mode: 'diff', ...selectChanges(before, now, { filter, maxTokens: max_tokens }) };
  if (since !== undefined)
    note('[No earlier read of this part to compare with, so all of it is shown]');
  if (now.nodes.length === 0) suggestWaiting(given, context);
  return { mode: 'ax', lines: selectOutline(now, { filter, depth, maxTokens: max_tokens }) };
};

/** Modes that read elements, which a PDF does not have. */
const ELEMENT_MODES = new Set(['dom', 'css']);

const pdf: ReadMode = async ({ mode, ref, selector, max_tokens, cursor }, context) => {
  const target = ref ?? selector;
  if (ELEMENT_MODES.has(mode) || target !== undefined)
    throw fail('invalid_argument', 'The tab shows a PDF, which has no elements.', {
      argument: target === undefined ? 'mode' : 'ref',
      situation: 'pdf_without_elements',
    });
  const { tab, signal, services, note, inlineLimitBytes, leftOut, requireConsent } = context;
  const { describePdf, readTabPdf } = await import('../../browser/pdf/tab-pdf.ts');
  const { workers } = services;
  const { url, title, reading } = await readTabPdf(tab, { workers, requireConsent, signal });
  leftOut(reading.hidden);
  if (cursor === undefined) note(`[${describePdf(reading)}]`);
  const budget = { maxTokens: max_tokens, cursor, inlineLimitBytes: inlineLimitBytes() };
  const document = { mode: 'markdown' as const, url, title };
  return { mode: 'markdown', document, ...cutPdfPages(reading.pages, budget) };
};

const MODES: Readonly<Record<ReadPageInput['mode'], ReadMode>> = { ax, dom, css, markdown };

const renderReading = (data: ReadPageData, { max_tokens }: ReadPageInput): string => {
  switch (data.mode) {
    case 'ax':
      return renderOutline(data.lines);
    case 'diff':
      return renderChanges(data);
    case 'dom':
      return fitLines(renderDom(data.tree), max_tokens);
    case 'css':
      return fitLines(renderCss(data), max_tokens);
    default:
      return renderMarkdownPage(data);
  }
};

export const readPage = defineTool({
  name: 'read_page',
  description:
    'Read the page. ax: outline with refs for interact. markdown: readable content. dom: ' +
    'element tree. css: layout and style diagnosis. Long parts are folded and show how to ' +
    'expand them. For one element use find.',
  returns:
    '{state: {url, title, mode, tabId}, mode, text} and lines: [{depth, kind, ref?, role, name, ' +
    'states?, current?}] (ax), body (markdown) or tree (dom)',
  keywords: 'snapshot accessibility tree text view see elements markdown changes',
  tier: 1,
  traits: {
    effect: 'read',
    scope: 'tab',
    observation: true,
    duration: 'instant',
    dialog: 'blocked',
    needsPage: true,
    timeoutMs: 20_000,
    large: true,
    header: (_: unknown, data: ReadPageData) =>
      (data.mode === 'markdown' ? data.document : undefined) ?? data.mode,
    core: true,
  },
  input,
  examples: [{}, { mode: 'markdown' }, { mode: 'css', selector: '#menu' }],
  run: (given, context) => (showsPdf(context.tab) ? pdf : MODES[given.mode])(given, context),
  render: renderReading,
});
