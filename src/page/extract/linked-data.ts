// Reads structured data of a page: JSON-LD, microdata, RDFa and meta tags.
import { valueIf } from '../objects.ts';
import {
  attribute,
  attributeText,
  closest,
  contains,
  hasAttribute,
  localName,
  query,
  queryAll,
  type Root,
} from '../safe-dom.ts';
import { oneLine } from '../visible-text.ts';
import { readShownText, readUrl, toAddress } from './leaves.ts';

// Checks of values whose type is unknown, such as parsed JSON of a page.

/** Throws a SyntaxError for text that is not JSON. */
const parseJson = (text: string): unknown => JSON.parse(text);

/** Like Array.isArray, which would make the items `any`. */
const isUnknownArray = (value: unknown): value is readonly unknown[] => Array.isArray(value);

const VALUE_TAGS = new Set<string>(['data', 'meter']);

const MAX_SCRIPT_CHARS = 2_000_000;
const MAX_OBJECTS = 2000;

/** All objects of the page's JSON-LD; scripts that cannot be parsed are skipped. */
export const readJsonLd = (scope: Element | Root): unknown[] => {
  const found: unknown[] = [];
  for (const script of queryAll(scope, 'script[type="application/ld+json" i]')) {
    const text = script.textContent.slice(0, MAX_SCRIPT_CHARS);
    const value = parseLoosely(text);
    if (isUnknownArray(value)) found.push(...value);
    else if (value !== undefined) found.push(value);
  }
  return found.slice(0, MAX_OBJECTS);
};

/** Many sites wrap JSON-LD in comments or have line breaks in strings. */
const parseLoosely = (text: string): unknown => {
  const plain = text
    .trim()
    .replace(/^(?:<!--|\/\*[^*]{0,200}\*\/|\/\/[^\n]*\n)/, '')
    .replace(/;$/, '')
    .trimEnd()
    .replace(/-->$/, '')
    .trim();
  for (const attempt of [plain, plain.replace(/[\r\n\t]+/g, ' ').replace(/;\s*$/, '')]) {
    try {
      return parseJson(attempt);
    } catch {
      // Not JSON: try the next variant.
    }
  }
  return undefined;
};

type LinkedItem = Record<string, unknown>;

/** Microdata and simple RDFa as objects in the shape of JSON-LD. */
export const readMicrodata = (scope: Element | Root): LinkedItem[] => {
  const items: LinkedItem[] = [];
  for (const [item, property] of [
    ['itemscope', 'itemprop'],
    ['typeof', 'property'],
  ] as const) {
    for (const element of queryAll(scope, `[${item}]`)) {
      if (items.length >= MAX_OBJECTS) return items;
      if (!hasAttribute(element, property)) items.push(readItem(element, item, property, 0));
    }
  }
  return items;
};

const readItem = (element: Element, item: string, property: string, depth: number): LinkedItem => {
  const type = attributeText(element, item === 'itemscope' ? 'itemtype' : 'typeof');
  const out: LinkedItem =
    type === ''
      ? {}
      : {
          '@type': type
            .trim()
            .split(/\s+/)[0]
            ?.replace(/^.*[/#:]/, ''),
        };
  for (const part of listProperties(element, item, property)) {
    const value =
      hasAttribute(part, item) && depth < 4
        ? readItem(part, item, property, depth + 1)
        : readValue(part);
    for (const name of attributeText(part, property).trim().split(/\s+/))
      add(out, name.replace(/^.*[/#:]/, ''), value);
  }
  return out;
};

/** Properties of this item, without those of nested items; itemref adds elements from elsewhere. */
const listProperties = (element: Element, item: string, property: string): Element[] => {
  const own = Array.from(queryAll(element, `[${property}]`)).filter(
    (part) => findOwner(part, item) === element,
  );
  const elsewhere = attributeText(element, 'itemref')
    .split(/\s+/)
    .filter((id) => id !== '');
  const named = elsewhere
    .flatMap((id) => query(document, `#${CSS.escape(id)}`) ?? [])
    .filter((part) => !contains(element, part));
  return [
    ...own,
    ...named.flatMap((part) =>
      hasAttribute(part, property) ? [part] : Array.from(queryAll(part, `[${property}]`)),
    ),
  ];
};

const findOwner = (part: Element, item: string): Element | null => {
  const parent = part.parentElement;
  return parent ? closest(parent, `[${item}]`) : null;
};

const add = (item: LinkedItem, name: string, value: unknown): void => {
  if (name === '' || value === '') return;
  const known = valueIf(Object.hasOwn(item, name), item[name]);
  if (known === undefined) item[name] = value;
  else item[name] = isUnknownArray(known) ? [...known, value] : [known, value];
};

/** The value of an element by the rules of microdata. */
const readValue = (element: Element): string => {
  const name = localName(element);
  const content = attribute(element, 'content');
  if (content !== null) return oneLine(content);
  if (name === 'time') return attribute(element, 'datetime') ?? readShownText(element);
  if (VALUE_TAGS.has(name)) return attribute(element, 'value') ?? readShownText(element);
  return readUrl(element) ?? readShownText(element);
};

const META_NAMES = new RegExp(
  `^(?:${[
    'description|author|keywords|date|publish-?date',
    'article:|og:|twitter:|product:|book:|profile:|video:|music:',
    String.raw`dc\.|dcterms\.|citation_`,
  ].join('|')})`,
  'i',
);

/** Meta tags that describe the page; the first of several with the same name. */
export const readMeta = (): Record<string, string> => {
  const meta: Record<string, string> = {};
  for (const element of queryAll(document, 'meta[content]')) {
    const name = (attribute(element, 'property') ?? attributeText(element, 'name')).trim();
    const content = oneLine(attributeText(element, 'content'));
    if (META_NAMES.test(name) && content !== '' && !Object.hasOwn(meta, name))
      meta[name] = content.slice(0, 5000);
  }
  const canonical = query(document, 'link[rel="canonical" i]');
  const url = canonical && toAddress(attribute(canonical, 'href'));
  if (url) meta['canonical'] = url;
  return meta;
};
