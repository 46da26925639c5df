// Decides whether an article is the subject of its page: compares it with the other readable text.
import { attempt } from '../objects.ts';
import {
  attribute,
  attributeText,
  getTextContent,
  isElement,
  parentNode,
  queryAll,
} from '../safe-dom.ts';
import type { Article } from './article.ts';
import { isInside } from './article.ts';

/** Words in a class or id that mark comments on an article, or lists of other articles. */
const DISCUSSION_WORDS = new Set(
  (
    'comment comments commentlist disqus discussion livefyre respond responses related ' +
    'recommended recommendations sidebar footer popular trending newsletter outbrain taboola ' +
    'sponsored'
  ).split(' '),
);
/** Words that also mark entries of an index page; used only if the page declares an article. */
const TEASER_WORDS = new Set(
  'teaser teasers promo promos headlines carousel widget widgets more'.split(' '),
);
const LANDMARKS = 'nav, aside, footer, [role=navigation], [role=complementary], [role=contentinfo]';
const ARTICLE_TYPE = /(?:Article|BlogPosting|Posting)$/;
const MAX_JSON_CHARS = 200_000;
const MAX_CLASS_CHARS = 500;

/** Keeps the text that competes with the article: no landmarks, comments or related links. */
export const keepRivals = (article: Element, isDeclared: boolean): Article['keeps'] => {
  const around = new Set<Element>();
  for (let at: Node | null = article; at; at = parentNode(at)) if (isElement(at)) around.add(at);
  return (element) => {
    if (around.has(element) || isInside(article, element)) return true;
    return !element.matches(LANDMARKS) && !hasMarkingWord(element, isDeclared);
  };
};

const hasMarkingWord = (element: Element, isDeclared: boolean): boolean => {
  const names = `${attributeText(element, 'class')} ${attributeText(element, 'id')}`;
  const words = names
    .slice(0, MAX_CLASS_CHARS)
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();
  return words
    .split(/[^a-z]+/)
    .some((word) => DISCUSSION_WORDS.has(word) || (isDeclared && TEASER_WORDS.has(word)));
};

/** Whether the metadata describes the page as one article, as news sites and blogs do. */
export const declaresArticle = (): boolean => {
  const [type] = queryAll(document, 'meta[property="og:type"]');
  if (type && attribute(type, 'content')?.trim().toLowerCase() === 'article') return true;
  const items = [...queryAll(document, '[itemtype]')];
  if (items.filter((item) => isArticleType(attribute(item, 'itemtype'))).length === 1) return true;
  const scripts = [...queryAll(document, 'script[type="application/ld+json"]')];
  return (
    scripts.flatMap((script) => readTypes(getTextContent(script))).filter(isArticleType).length ===
    1
  );
};

const isArticleType = (type: unknown): boolean =>
  typeof type === 'string' && ARTICLE_TYPE.test(type.slice(-100).trim());

/** The types of the top-level entries of a JSON-LD script; entries inside of lists do not count. */
const readTypes = (json: string): unknown[] => {
  if (json.length > MAX_JSON_CHARS) return [];
  // JSON-LD with a syntax error, which browsers ignore too
  return attempt(() => {
    const parsed: unknown = JSON.parse(json);
    const graph = (parsed as { '@graph'?: unknown } | null)?.['@graph'] ?? parsed;
    const entries: unknown[] = Array.isArray(graph) ? graph : [graph];
    return entries.flatMap((entry) => (entry as { '@type'?: unknown } | null)?.['@type'] ?? []);
  }, []);
};
