// Reads the title, links and canonical URL of a document, and whether it needs scripts.
import { listIf } from '../../core/collections.ts';
import { defined } from '../../core/defined.ts';
import type { MarkupDocument, MarkupElement, MarkupNode } from './markup-tree.ts';
import { normaliseUrl } from './urls.ts';

export interface DocumentFacts {
  readonly title: string;
  /** Unique link targets in document order. */
  readonly links: readonly string[];
  readonly canonical?: string;
  /** The page has a robots meta tag with nofollow. */
  readonly nofollow: boolean;
  readonly needsScripts: boolean;
}

const MAX_LINKS = 5_000;
const MAX_TITLE_CHARS = 500;

export const readDocumentFacts = (document: MarkupDocument, address: string): DocumentFacts => {
  const base = resolveBaseUrl(document, address);
  const canonical = findCanonical(document, base);
  return defined({
    title: collapseSpaces(document.querySelector('head title, title')?.textContent ?? '').slice(
      0,
      MAX_TITLE_CHARS,
    ),
    links: listLinks(document, base),
    canonical,
    nofollow: [...document.querySelectorAll('meta')].some(
      (meta) =>
        /^robots$/i.test(meta.getAttribute('name') ?? '') &&
        /\b(?:nofollow|none)\b/i.test(meta.getAttribute('content') ?? ''),
    ),
    needsScripts: needsScripts(document),
  });
};

export const collapseSpaces = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Returns the URL that relative links are resolved against. */
export const resolveBaseUrl = (document: MarkupDocument, address: string): string => {
  const href = document.querySelector('base[href]')?.getAttribute('href');
  return href && URL.canParse(href, address) ? new URL(href, address).href : address;
};

const findCanonical = (document: MarkupDocument, base: string): string | undefined => {
  const link = [...document.querySelectorAll('link[href]')].find((node) =>
    /(?:^|\s)canonical(?:\s|$)/i.test(node.getAttribute('rel') ?? ''),
  );
  const href = link?.getAttribute('href');
  return href ? normaliseUrl(href, base) : undefined;
};

const listLinks = (document: MarkupDocument, base: string): string[] => {
  const found = new Set<string>();
  const add = (href: string | null | undefined): void => {
    const url = href ? normaliseUrl(href.trim(), base) : undefined;
    if (url !== undefined) found.add(url);
  };
  for (const node of document.querySelectorAll('a[href], area[href], frame[src], iframe[src]')) {
    if (found.size >= MAX_LINKS) break;
    add(node.getAttribute('href') ?? node.getAttribute('src'));
  }
  add(refreshTarget(document));
  return [...found];
};

/** `<meta http-equiv="refresh" content="0; url=…">` */
const refreshTarget = (document: MarkupDocument): string | undefined => {
  const meta = [...document.querySelectorAll('meta[content]')].find((node) =>
    /^refresh$/i.test(node.getAttribute('http-equiv') ?? ''),
  );
  return /url\s*=\s*["']?([^"']+)/i.exec(meta?.getAttribute('content') ?? '')?.[1];
};

/** A page with scripts and less text than this is probably rendered by its scripts. */
const FEW_CHARS = 200;
const SOME_CHARS = 1_000;
const EMPTY_ROOTS = [
  '#root, #app, #__next, #__nuxt, #svelte, #main-app',
  'app-root, [data-reactroot], [ng-app], [ng-version]',
].join(', ');

const needsScripts = (document: MarkupDocument): boolean => {
  const scripts = [...document.querySelectorAll('script')].filter(isCode);
  if (scripts.length === 0) return false;
  const chars = countChars(document.body, SOME_CHARS);
  if (chars < FEW_CHARS) return true;
  const root = document.querySelector(EMPTY_ROOTS);
  if (root && countChars(root, 1) === 0) return true;
  const asksForScripts = [...document.querySelectorAll('noscript')].some(({ textContent }) =>
    /javascript/i.test(textContent),
  );
  return asksForScripts && chars < SOME_CHARS;
};

const isCode = (script: MarkupElement): boolean =>
  /^(?:$|module$|(?:text|application)\/(?:java|ecma)script)/i.test(
    script.getAttribute('type')?.trim() ?? '',
  );

const SILENT = new Set(['script', 'style', 'noscript', 'template', 'svg', 'head']);

/** Counts the characters of text below a node; stops counting at `enough`. */
const countChars = (node: MarkupNode | null, enough: number): number => {
  let chars = 0;
  const waiting = listIf(node, node);
  for (let at = waiting.pop(); at && chars < enough; at = waiting.pop()) {
    if (at.nodeType === 3) chars += collapseSpaces(at.textContent).length;
    else if (!SILENT.has(at.localName)) waiting.push(...at.childNodes);
  }
  return chars;
};
