// Finds the article of a page with Readability, and decides whether it is the subject of the page.
import { attempt, getOrCreate } from '../objects.ts';
import {
  attribute,
  attributeText,
  contains,
  getData,
  getImplementation,
  getTextContent,
  isElement,
  isText,
  localName,
  parentNode,
  queryAll,
} from '../safe-dom.ts';
import { eachFlatChild } from '../shadow.ts';
import { isBlank } from '../visible-text.ts';
import { PageReadability } from './page-readability.ts';
import { frameDocument, type VisibilityCache } from './shown.ts';

export interface Article {
  readonly root: Element;
  /** Whether a descendant of the root is part of the article. */
  readonly keeps: (element: Element) => boolean;
}

const MARK = 'data-oc';
const KEPT_ATTRIBUTES = [
  'class',
  'id',
  'role',
  'href',
  'src',
  'alt',
  'rel',
  'itemprop',
  'property',
  'colspan',
  'rowspan',
  'summary',
];
/** Readability is too slow on larger pages. */
const MAX_ELEMENTS = 15_000;
const MAX_DEPTH = 200;
/** Elements that Readability often removes although they are part of the article. */
const CONTENT = 'table, pre, dl, blockquote, figure, math, h1, h2, h3, h4, h5, h6, ul, ol';
const NAVIGATION = 'nav, [role=navigation]';
const SURROUNDINGS =
  'nav, aside, footer, form, button, [role=navigation], [role=complementary], ' +
  '[role=contentinfo], [role=search]';

export const findArticle = (body: Element, shown: VisibilityCache): Article | undefined => {
  const copy = new Copy(shown);
  if (!copy.take(body)) return undefined;
  const content = new PageReadability(copy.document, {
    charThreshold: 500,
    keepClasses: true,
    disableJSONLD: true,
  }).findContent();
  if (!content) return undefined;
  const survivors = [...content.querySelectorAll(`[${MARK}]`)].flatMap(
    (element) => copy.original(element) ?? [],
  );
  const root = commonAncestor(survivors, body);
  return root && { root, keeps: keeper(survivors, root) };
};

/** A flat copy of the visible content in a separate document, without scripts. */
class Copy {
  readonly #shown: VisibilityCache;
  readonly #originals: Element[] = [];
  #tooLarge = false;
  readonly document = getImplementation(document).createHTMLDocument(document.title);

  constructor(shown: VisibilityCache) {
    this.#shown = shown;
  }

  original(element: Element): Element | undefined {
    return this.#originals[Number(element.getAttribute(MARK))];
  }

  /** Copies the body; returns false if the page is too large. */
  take(body: Element): boolean {
    this.#mark(this.document.body, body);
    this.#children(body, this.document.body, 0);
    return !this.#tooLarge;
  }

  #children(from: Element, to: Element, depth: number): void {
    this.#tooLarge ||= depth > MAX_DEPTH || this.#originals.length > MAX_ELEMENTS;
    eachFlatChild(from, (child) => {
      if (this.#tooLarge || this.#shown.isFoldedAway(child, from)) return;
      if (isText(child)) {
        if (this.#shown.look(from).visible) this.#text(getData(child).slice(0, 100_000), to);
      } else if (isElement(child) && !this.#shown.isSilent(child)) this.#element(child, to, depth);
    });
  }

  /**
   * Readability replaces a div with its only paragraph, so the text of a div gets the div's mark.
   */
  #text(text: string, to: Element): void {
    const mark = to.getAttribute(MARK);
    if (mark === null || localName(to) !== 'div' || isBlank(text)) return to.append(text);
    const marked = this.document.createElement('span');
    marked.setAttribute(MARK, mark);
    marked.append(text);
    to.append(marked);
  }

  #element(from: Element, to: Element, depth: number): void {
    const inner = frameDocument(from)?.body;
    const copied = this.document.createElement(
      inner ? 'div' : localName(from).replace(/[^a-z0-9-]/g, '') || 'span',
    );
    this.#mark(copied, from);
    to.append(copied);
    this.#children(inner ?? from, copied, depth + 1);
  }

  #mark(copied: Element, from: Element): void {
    copied.setAttribute(MARK, String(this.#originals.length));
    this.#originals.push(from);
    for (const name of KEPT_ATTRIBUTES) {
      const value = attribute(from, name);
      if (value !== null) copied.setAttribute(name, value.slice(0, 1000));
    }
  }
}

const holdsText = (element: Element): boolean => {
  let found = false;
  eachFlatChild(element, (child) => {
    found ||= isText(child) && !isBlank(getData(child));
  });
  return found;
};

/** The parent in the flattened tree; from a shadow root its host, from a frame its element. */
const findParent = (node: Node): Element | undefined => {
  const slot = (node as Element).assignedSlot;
  const parent: Node | null = slot ?? parentNode(node);
  if (!parent) return undefined;
  if (isElement(parent)) return parent;
  if (parent instanceof ShadowRoot || 'host' in parent) return (parent as ShadowRoot).host;
  return 'defaultView' in parent
    ? ((parent as Document).defaultView?.frameElement ?? undefined)
    : undefined;
};

const pathTo = (element: Element, top: Element): Element[] => {
  const path: Element[] = [];
  for (let at: Element | undefined = element; at; at = findParent(at)) {
    path.push(at);
    if (at === top) break;
  }
  return path.toReversed();
};

const commonAncestor = (elements: readonly Element[], body: Element): Element | undefined => {
  let common: Element[] | undefined;
  for (const element of elements) {
    if (!holdsText(element)) continue;
    const path = pathTo(element, body);
    if (!common) common = path;
    else common = common.slice(0, common.findIndex((step, i) => step !== path[i]) >>> 0);
  }
  return common?.at(-1);
};

const keeper = (survivors: readonly Element[], root: Element): Article['keeps'] => {
  const onTheWay = new Set<Element>();
  for (const survivor of survivors) {
    for (
      let at: Element | undefined = survivor;
      at && at !== root && !onTheWay.has(at);
      at = findParent(at)
    )
      onTheWay.add(at);
  }
  const below = new Map<Element, boolean>();
  const isBelowSurvivor = (element: Element): boolean => {
    const parent = findParent(element);
    if (!parent || parent === root) return false;
    return getOrCreate(below, parent, () => !onTheWay.has(parent) && keeps(parent));
  };
  const keeps = (element: Element): boolean =>
    !element.matches(NAVIGATION) &&
    (onTheWay.has(element) || isBelowSurvivor(element) || belongs(element));
  return keeps;
};

/**
 * Whether an element that Readability removed is content: not page furniture, and not mostly links.
 */
const belongs = (element: Element): boolean => {
  if (element.matches(SURROUNDINGS) || element.closest('nav, aside, footer') !== null) return false;
  if (['br', 'img', 'wbr', 'input'].includes(localName(element))) return true;
  const text = element.textContent.trim().length;
  const inLinks = [...queryAll(element, 'a')].reduce(
    (sum, link) => sum + link.textContent.length,
    0,
  );
  if (text === 0) return queryAll(element, 'img, math').length > 0;
  if (/^h[1-6]$/.test(localName(element))) return true; // many headings are links to themselves
  if (inLinks / text > 0.5) return false;
  return (
    element.matches(CONTENT) ||
    queryAll(element, 'table, pre, dl, math').length > 0 ||
    isTextLevel(element)
  );
};

const isTextLevel = (element: Element): boolean =>
  /^(?:a|abbr|b|cite|code|em|i|kbd|mark|q|s|samp|small|span|strong|sub|sup|time|u|var)$/.test(
    localName(element),
  );

/** Whether one element is inside another, through frames and shadow roots. */
export const isInside = (element: Element, root: Element): boolean => {
  if (contains(root, element)) return true;
  for (let at = findParent(element); at; at = findParent(at)) if (at === root) return true;
  return false;
};

// Decides whether an article is the subject of its page: compares it with the other readable text.

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
