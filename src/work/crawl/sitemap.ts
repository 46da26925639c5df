// Reads one sitemap: a list of pages, an index of other sitemaps, or plain lines; what is broken in it is told and passed over.
import { SaxesParser } from 'saxes';

export interface SitemapEntry {
  readonly url: string;
  readonly lastmod?: string;
}

export interface Sitemap {
  readonly pages: readonly SitemapEntry[];
  /** Other sitemaps that this one names. */
  readonly sitemaps: readonly SitemapEntry[];
  /** Where it could not be read as it should be. */
  readonly problem?: string;
}

/** As much as the protocol allows in one file. */
const MAX_ENTRIES = 50_000;
/** A bomb of a few kilobytes unpacks to millions of these; each costs time in which nobody else is answered. */
const MAX_ERRORS = 1000;
const MAX_DEPTH = 100;
const MAX_ELEMENTS = 1_000_000;

export const parseSitemap = (text: string): Sitemap => (/^\s*</.test(text) ? parseXml(text) : parseLines(text));

const parseLines = (text: string): Sitemap => {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const pages = lines.filter((line) => /^https?:\/\//i.test(line) && URL.canParse(line)).slice(0, MAX_ENTRIES);
  const problem = pages.length === 0 ? { problem: 'it is neither XML nor a list of addresses' } : {};
  return { pages: pages.map((url) => ({ url })), sitemaps: [], ...problem };
};

const parseXml = (text: string): Sitemap => {
  const found: { pages: SitemapEntry[]; sitemaps: SitemapEntry[] } = { pages: [], sitemaps: [] };
  let problem: string | undefined;
  let entry: { loc: string; lastmod: string } | undefined;
  let field: 'loc' | 'lastmod' | undefined;
  const add = (kind: 'pages' | 'sitemaps'): void => {
    const url = entry?.loc.trim() ?? '';
    const lastmod = entry?.lastmod.trim() ?? '';
    if (URL.canParse(url) && found[kind].length < MAX_ENTRIES) found[kind].push({ url, ...(lastmod === '' ? {} : { lastmod }) });
    entry = undefined;
  };
  const parser = new SaxesParser();
  const bounds = { errors: 0, depth: 0, elements: 0 };
  parser.on('attribute', () => {
    if (++bounds.elements > MAX_ELEMENTS) throw new Error('it has too many attributes');
  });
  parser.on('error', (error) => {
    problem ??= error.message.split('\n')[0]; // it goes on behind the error
    if (++bounds.errors > MAX_ERRORS) throw error;
  });
  parser.on('opentag', ({ name }) => {
    if (++bounds.depth > MAX_DEPTH || ++bounds.elements > MAX_ELEMENTS) throw new Error('it has too many elements, or too deep ones');
    const local = localName(name);
    if (local === 'url' || local === 'sitemap') entry = { loc: '', lastmod: '' };
    else if (local === 'loc' || local === 'lastmod') field = local;
  });
  const take = (part: string): void => {
    if (entry && field) entry[field] += part;
  };
  parser.on('text', take);
  parser.on('cdata', take);
  parser.on('closetag', ({ name }) => {
    bounds.depth--;
    const local = localName(name);
    if (local === field) field = undefined;
    if (local === 'url' && entry) add('pages');
    if (local === 'sitemap' && entry) add('sitemaps');
  });
  try {
    parser.write(text).close();
  } catch (error) {
    problem ??= error instanceof Error ? error.message : 'it could not be read';
  }
  if (problem === undefined && found.pages.length + found.sitemaps.length === 0) problem = 'it names no page';
  return { ...found, ...(problem === undefined ? {} : { problem }) };
};

/** Prefixes of the protocol's own namespace do not matter; those of its extensions (image:loc) are other things. */
const localName = (name: string): string => (/^(?:image|video|news|xhtml):/.test(name) ? name : (name.split(':').at(-1) ?? name));
