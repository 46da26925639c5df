// Parses one page of a crawl; runs in a worker thread because parsing may take long.
import { boundMarkup } from './bounded-markup.ts';
import { extractContent, type StructuredContent } from './content.ts';
import { decode, isBinary } from './decode.ts';
import { readDocumentFacts } from './page-facts.ts';
import { startsAsHtml } from './markup-start.ts';
import { type CrawlFormat, MAX_CONTENT_CHARS } from './crawl-options.ts';
import { loadParser } from './page-world.ts';

export interface PageSource {
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
}: PageSource): Promise<PageReading> => {
  if (typeof body !== 'string' && ((type !== '' && !isReadable(type)) || isBinary(body)))
    return { ...NOTHING, problem: `not a page: ${type || 'binary data'}` };
  const text = typeof body === 'string' ? body : decode(body, charset);
  if (!isMarkup(type, text)) return { ...NOTHING, content: text.slice(0, MAX_CONTENT_CHARS) };
  const markup = boundMarkup(text);
  const document = (await loadParser())(markup);
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
