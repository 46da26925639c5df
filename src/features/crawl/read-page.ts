// Parses one page of a crawl and extracts its content; runs in a worker thread.
import { attempt } from '../../core/attempt.ts';
import { compact, defined } from '../../core/defined.ts';
import { parseUrl } from '../../core/text.ts';
import { boundMarkup, decode, isBinary, startsAsHtml } from './bounded-markup.ts';
import { type CrawlFormat, MAX_CONTENT_CHARS } from './crawl-options.ts';
import { createDefaultStyle } from './default-style.ts';
import { collapseSpaces, readDocumentFacts, resolveBaseUrl } from './page-facts.ts';
import type { MarkupDocument, MarkupElement, MarkupNode, MarkupParent } from './markup-tree.ts';
import { convertToMarkdown, parsePage } from './page-world.ts';

// Extracts the content of a parsed document as Markdown, text or structured data.

const SKIPPED_TAGS = new Set<string>(['noscript', 'svg']);

/** The `structured` output format. */
export interface StructuredContent {
  readonly description?: string;
  readonly language?: string;
  readonly headings: readonly { readonly level: number; readonly text: string }[];
  readonly links: readonly { readonly text: string; readonly url: string }[];
  readonly tables: readonly (readonly string[])[][];
  readonly json_ld: readonly unknown[];
  readonly text: string;
}

const extractContent = (
  document: MarkupDocument,
  address: string,
  format: CrawlFormat,
): string | StructuredContent => {
  if (format === 'markdown')
    return convertToMarkdown(document, address, MAX_CONTENT_CHARS).markdown;
  return format === 'text' ? readPlainText(document.body) : buildStructured(document, address);
};

/** Deeper elements are written as one line of text. */
const MAX_DEPTH = 500;

/** Returns the visible text, one line per block element. */
const readPlainText = (root: MarkupNode | null): string => {
  const lines: string[] = [''];
  const write = (node: MarkupNode, depth: number): void => {
    if (node.nodeType === 3 || depth > MAX_DEPTH)
      lines[lines.length - 1] += node.textContent.replace(/\s+/g, ' ');
    if (node.nodeType !== 1 || depth > MAX_DEPTH) return;
    const { display } = createDefaultStyle(node);
    if (display === 'none' || SKIPPED_TAGS.has(node.localName)) return;
    const alone = !display.startsWith('inline') && display !== 'table-cell';
    if (alone || node.localName === 'br') lines.push('');
    for (const child of node.childNodes) write(child, depth + 1);
    if (display === 'table-cell') lines[lines.length - 1] += '\t';
    if (alone) lines.push('');
  };
  if (root) write(root, 0);
  return lines
    .map((line) => line.replace(/ +/g, ' ').trim())
    .filter((line) => line !== '')
    .join('\n')
    .slice(0, MAX_CONTENT_CHARS);
};

const MAX_ITEMS = 1_000;
const MAX_LABEL_CHARS = 1_000;

const buildStructured = (document: MarkupDocument, address: string): StructuredContent => {
  const description = document
    .querySelector('meta[name=description], meta[property="og:description"]')
    ?.getAttribute('content');
  const language = document.documentElement?.getAttribute('lang');
  return defined({
    description: description ? collapseSpaces(description) : undefined,
    ...compact({ language }),
    headings: all(document, 'h1, h2, h3, h4, h5, h6').map((node) => ({
      level: Number(node.localName.slice(1)),
      text: readLabel(node),
    })),
    links: linksIn(document, resolveBaseUrl(document.querySelectorAll('base'), address)),
    tables: all(document, 'table').map((table) =>
      table.rows.slice(0, MAX_ITEMS).map((row) => row.cells.map(readCell)),
    ),
    json_ld: all(document, 'script[type="application/ld+json"]').flatMap(({ textContent }) =>
      parseJson(textContent),
    ),
    text: readPlainText(document.body),
  });
};

const readCell = (cell: MarkupElement): string => collapseSpaces(cell.textOutsideTables);

/** Short, because elements inside of each other repeat their text. */
const readLabel = (node: MarkupElement): string =>
  collapseSpaces(node.textUpTo(4 * MAX_LABEL_CHARS)).slice(0, MAX_LABEL_CHARS);

const all = (node: MarkupParent, selector: string): MarkupElement[] =>
  [...node.querySelectorAll(selector)].slice(0, MAX_ITEMS);

const linksIn = (document: MarkupDocument, base: string): StructuredContent['links'] =>
  all(document, 'a[href]').flatMap((node) => {
    const href = node.getAttribute('href') ?? '';
    const url = parseUrl(href, base)?.href;
    return url === undefined ? [] : [{ text: readLabel(node), url }];
  });

const parseJson = (text: string): unknown[] => {
  return attempt(() => [JSON.parse(text)], []);
};

export interface PageMarkup {
  readonly url: string;
  /** The response body, or the HTML of a rendered page. */
  readonly body: Uint8Array | string;
  /** The media type; '' if the response has none. */
  readonly type: string;
  readonly charset?: string | undefined;
  /** The output format; undefined if only title and links are needed. */
  readonly format: CrawlFormat | undefined;
}

export interface PageReading {
  readonly title: string;
  readonly content: string | StructuredContent;
  readonly links: readonly string[];
  readonly canonical?: string;
  readonly needsScripts: boolean;
  /** The page was cut before parsing. */
  readonly truncated: boolean;
  /** The page is HTML without any text. */
  readonly isEmpty: boolean;
  /** Why the response is not a page. */
  readonly problem?: string;
}

const NOTHING: PageReading = {
  title: '',
  content: '',
  links: [],
  needsScripts: false,
  truncated: false,
  isEmpty: false,
};

export const readPage = async ({
  url,
  body,
  type,
  charset,
  format,
}: PageMarkup): Promise<PageReading> => {
  if (typeof body !== 'string' && ((type !== '' && !isReadable(type)) || isBinary(body)))
    return { ...NOTHING, problem: `not a page: ${type || 'binary data'}` };
  const text = typeof body === 'string' ? body : decode(body, charset);
  if (!isMarkup(type, text)) return { ...NOTHING, content: text.slice(0, MAX_CONTENT_CHARS) };
  const markup = boundMarkup(text);
  const document = parsePage(markup);
  const { nofollow, ...facts } = readDocumentFacts(document, url);
  const content = format === undefined ? '' : cut(extractContent(document, url, format));
  return {
    ...facts,
    content,
    links: nofollow ? [] : facts.links,
    truncated: markup.length < text.length,
    isEmpty: format !== undefined && getText(content) === '',
  };
};

const cut = (content: PageReading['content']): PageReading['content'] =>
  typeof content === 'string' ? content.slice(0, MAX_CONTENT_CHARS) : content;

const getText = (content: PageReading['content']): string =>
  (typeof content === 'string' ? content : content.text).trim();

const isReadable = (type: string): boolean =>
  type.startsWith('text/') ||
  /^application\/(?:[\w.-]+\+)?(?:json|xml|xhtml\+xml|yaml|x-yaml|javascript)$/.test(type);

const isMarkup = (type: string, text: string): boolean =>
  /html/.test(type) || ((type === '' || type.endsWith('xml')) && startsAsHtml(text));
