// Reads the title, links and canonical URL of a document, and whether it needs scripts.
import { listIf } from '../../core/collections.ts';
import { defined } from '../../core/defined.ts';
import { parseUrl } from '../../core/text.ts';
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

/** The elements with facts; all are found in one walk. */
const FACT_TAGS = 'title, base, link, meta, a, area, frame, iframe, script, noscript';

export const readDocumentFacts = (document: MarkupDocument, address: string): DocumentFacts => {
  const elements = document.querySelectorAll(FACT_TAGS);
  const withTag = (name: string): readonly MarkupElement[] =>
    elements.filter(({ localName }) => localName === name);
  const base = resolveBaseUrl(withTag('base'), address);
  const canonical = findCanonical(withTag('link'), base);
  const metas = withTag('meta');
  return defined({
    title: collapseSpaces(withTag('title')[0]?.textContent ?? '').slice(0, MAX_TITLE_CHARS),
    links: listLinks(elements, metas, base),
    canonical,
    nofollow: metas.some(
      (meta) =>
        /^robots$/i.test(meta.getAttribute('name') ?? '') &&
        /\b(?:nofollow|none)\b/i.test(meta.getAttribute('content') ?? ''),
    ),
    needsScripts: needsScripts(document, withTag('script'), withTag('noscript')),
  });
};

export const collapseSpaces = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Returns the URL that relative links are resolved against. */
export const resolveBaseUrl = (bases: readonly MarkupElement[], address: string): string => {
  const href = bases.find((base) => base.hasAttribute('href'))?.getAttribute('href');
  return (href && parseUrl(href, address)?.href) || address;
};

const findCanonical = (links: readonly MarkupElement[], base: string): string | undefined => {
  const link = links.find(
    (node) =>
      node.hasAttribute('href') &&
      /(?:^|\s)canonical(?:\s|$)/i.test(node.getAttribute('rel') ?? ''),
  );
  const href = link?.getAttribute('href');
  return href ? normaliseUrl(href, base) : undefined;
};

/** The attribute with the target of a link. */
const TARGETS = new Map([
  ['a', 'href'],
  ['area', 'href'],
  ['frame', 'src'],
  ['iframe', 'src'],
]);

const listLinks = (
  elements: readonly MarkupElement[],
  metas: readonly MarkupElement[],
  base: string,
): string[] => {
  const found = new Set<string>();
  /** Links to places inside of one page are resolved only once. */
  const seen = new Set<string>();
  const add = (href: string | null | undefined): void => {
    const target = href?.trim().split('#', 1)[0];
    if (!href || target === undefined || seen.has(target)) return;
    seen.add(target);
    const url = normaliseUrl(target, base);
    if (url !== undefined) found.add(url);
  };
  for (const node of elements) {
    if (found.size >= MAX_LINKS) break;
    const name = TARGETS.get(node.localName);
    if (name !== undefined) add(node.getAttribute(name));
  }
  add(refreshTarget(metas));
  return [...found];
};

/** `<meta http-equiv="refresh" content="0; url=…">` */
const refreshTarget = (metas: readonly MarkupElement[]): string | undefined => {
  const meta = metas.find(
    (node) =>
      node.hasAttribute('content') && /^refresh$/i.test(node.getAttribute('http-equiv') ?? ''),
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

const needsScripts = (
  document: MarkupDocument,
  scripts: readonly MarkupElement[],
  noscripts: readonly MarkupElement[],
): boolean => {
  if (!scripts.some(isCode)) return false;
  const chars = countChars(document.body, SOME_CHARS);
  if (chars < FEW_CHARS) return true;
  const root = document.querySelector(EMPTY_ROOTS);
  if (root && countChars(root, 1) === 0) return true;
  const asksForScripts = noscripts.some(({ textContent }) => /javascript/i.test(textContent));
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
