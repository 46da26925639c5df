// Parses one sitemap: a page list, an index or plain lines; reports errors and continues.
import { SaxesParser } from 'saxes';
import { defined } from '../../core/defined.ts';
import { parseUrl } from '../../core/text.ts';

export interface SitemapEntry {
  readonly url: string;
  readonly lastmod?: string;
}

export interface Sitemap {
  readonly pages: readonly SitemapEntry[];
  /** The sitemaps that an index lists. */
  readonly sitemaps: readonly SitemapEntry[];
  /** The first parse error. */
  readonly problem?: string;
}

/** The limit of the sitemap protocol. */
const MAX_ENTRIES = 50_000;
/**
 * A few compressed kilobytes can expand to millions of errors or elements, which would block the
 * thread.
 */
const MAX_ERRORS = 1000;
const MAX_DEPTH = 100;
const MAX_ELEMENTS = 1_000_000;

export const parseSitemap = (text: string): Sitemap =>
  /^\s*</.test(text) ? parseXml(text) : parseLines(text);

const parseLines = (text: string): Sitemap => {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const pages = lines
    .filter((line) => /^https?:\/\//i.test(line) && parseUrl(line))
    .slice(0, MAX_ENTRIES);
  const problem = pages.length === 0 ? { problem: 'it is neither XML nor a list of URLs' } : {};
  return { pages: pages.map((url) => ({ url })), sitemaps: [], ...problem };
};

const parseXml = (text: string): Sitemap => {
  const found = new Entries();
  let problem: string | undefined;
  const parser = new SaxesParser();
  const bounds = { errors: 0, depth: 0, elements: 0 };
  parser.on('attribute', () => {
    if (++bounds.elements > MAX_ELEMENTS) throw new Error('it has too many attributes');
  });
  parser.on('error', (error) => {
    problem ??= error.message.split('\n')[0]; // the parser continues after an error
    if (++bounds.errors > MAX_ERRORS) throw error;
  });
  parser.on('opentag', ({ name }) => {
    if (++bounds.depth > MAX_DEPTH || ++bounds.elements > MAX_ELEMENTS)
      throw new Error('it has too many elements, or they are nested too deeply');
    found.open(localName(name));
  });
  parser.on('text', (part) => found.take(part));
  parser.on('cdata', (part) => found.take(part));
  parser.on('closetag', ({ name }) => {
    bounds.depth--;
    found.close(localName(name));
  });
  try {
    parser.write(text).close();
  } catch (error) {
    problem ??= error instanceof Error ? error.message : 'it could not be read';
  }
  const { pages, sitemaps } = found;
  if (problem === undefined && pages.length + sitemaps.length === 0)
    problem = 'it contains no pages';
  return defined({ pages, sitemaps, problem });
};

/** Collects the entries of a sitemap from its open, text and close events. */
class Entries {
  readonly pages: SitemapEntry[] = [];
  readonly sitemaps: SitemapEntry[] = [];
  #entry: { loc: string; lastmod: string } | undefined;
  #field: 'loc' | 'lastmod' | undefined;

  open(name: string): void {
    if (name === 'url' || name === 'sitemap') this.#entry = { loc: '', lastmod: '' };
    else if (name === 'loc' || name === 'lastmod') this.#field = name;
  }

  take(part: string): void {
    if (this.#entry && this.#field) this.#entry[this.#field] += part;
  }

  close(name: string): void {
    if (name === this.#field) this.#field = undefined;
    if (name === 'url') this.#add(this.pages);
    if (name === 'sitemap') this.#add(this.sitemaps);
  }

  #add(list: SitemapEntry[]): void {
    if (!this.#entry) return;
    const [url, lastmod] = [this.#entry.loc.trim(), this.#entry.lastmod.trim()];
    if (parseUrl(url) && list.length < MAX_ENTRIES)
      list.push(defined({ url, lastmod: lastmod === '' ? undefined : lastmod }));
    this.#entry = undefined;
  }
}

/**
 * Strips the prefix of the sitemap namespace. Elements of extensions, such as image:loc, keep
 * theirs.
 */
const localName = (name: string): string =>
  /^(?:image|video|news|xhtml):/.test(name) ? name : (name.split(':').at(-1) ?? name);
