// Collects the pieces of content inside an element, each with all names that the page gives it.
import { TEXT_FIELD_TAGS } from '../element-kinds.ts';
import { attempt, defined } from '../objects.ts';
import { attribute, attributeText, isElement, isText, localName } from '../safe-dom.ts';
import { eachFlatChild } from '../shadow.ts';
import { isBlank, oneLine, textIf } from '../visible-text.ts';
import { matchGroups } from '../words.ts';
import type { Leaf } from '../read-answers.ts';

// Reads the visible text and the URL of an element.

const LINK_TAGS = new Set<string>(['a', 'area', 'link']);
const SOURCE_TAGS = new Set<string>(['img', 'source', 'video', 'audio', 'iframe']);

const MAX_CHARS = 20_000;

const innerText = Object.getOwnPropertyDescriptor(HTMLElement.prototype, 'innerText')?.get as (
  this: Element,
) => string;

/** Undefined in a parser's document. */
const { checkVisibility: visible }: Partial<Pick<Element, 'checkVisibility'>> = Element.prototype;

/** Whether the element is visible: neither its style nor its opacity hides it. */
export const isShown = (element: Element): boolean =>
  visible
    ? visible.call(element, {
        opacityProperty: true,
        visibilityProperty: true,
        contentVisibilityAuto: false,
      })
    : true;

export const readShownText = (element: Element): string =>
  element instanceof HTMLElement
    ? oneLine(innerText.call(element).slice(0, MAX_CHARS))
    : oneLine(element.textContent.slice(0, MAX_CHARS));

/** The absolute URL; undefined for an empty, script, data or blob URL. */
export const toAddress = (value: string | null): string | undefined => {
  if (value === null || value.trim() === '' || /^(?:javascript|data|blob):/i.test(value.trim()))
    return undefined;
  return attempt(() => new URL(value, document.baseURI).href.slice(0, 4000));
};

/** The URL of a link or media element; images that load lazily have it in other attributes. */
export const readUrl = (element: Element): string | undefined => {
  const name = localName(element);
  if (LINK_TAGS.has(name)) return toAddress(attribute(element, 'href'));
  if (!SOURCE_TAGS.has(name)) return undefined;
  const late =
    attribute(element, 'data-src') ??
    attribute(element, 'data-original') ??
    firstOfSet(attribute(element, 'srcset'));
  return toAddress(attribute(element, 'src')) ?? toAddress(late);
};

const firstOfSet = (srcset: string | null): string | null =>
  srcset?.trim().split(/[\s,]+/, 1)[0] ?? null;

const SILENT = new Set(
  'script style noscript template select option svg canvas head link'.split(' '),
);
const MAX_TEXT = 5000;

/** Names of more distant ancestors describe a piece poorly. */
const MAX_ANCESTORS = 2;

const NAMING = [
  'itemprop',
  'property',
  'data-testid',
  'data-test',
  'data-qa',
  'data-field',
  'data-name',
  'data-label',
  'aria-label',
  'name',
  'id',
  'title',
];

/** Classes that describe the appearance, not the content. */
const LOOKS = new RegExp(
  [
    `^(?:${[
      'col|row|d|p|m|px|py|mx|my|mt|mb|ml|mr|pt|pb|w|h|text|font|flex|grid|btn|is|has|js|u|bg',
      'border|rounded|float|clearfix|container|wrapper|inner|outer|item|card|block|active',
      'first|last|odd|even|small|large|hidden|visible|css|sc|jsx',
    ].join('|')})(?:[-_].*)?$`,
    String.raw`\d{3,}`,
    String.raw`^[a-z0-9]{5,8}$(?<=\d[a-z0-9]*)`,
  ].join('|'),
  'i',
);

/** Data attributes except those that scripts and tests use. */
const DATA_NAME =
  /^data-(?!test|qa|react|v-|reactid|track|index|id$|src|original|toggle|target|bs-)[a-z-]{3,30}$/;

export const classNames = (element: Element): string[] =>
  attributeText(element, 'class')
    .split(/\s+/)
    .filter((name) => name !== '' && name.length <= 60 && !LOOKS.test(name))
    .slice(0, 6);

const ownNames = (element: Element): string[] => [
  ...NAMING.map((name) => attributeText(element, name)).filter(
    (value) => value !== '' && value.length <= 60,
  ),
  ...classNames(element),
];

/** All pieces in document order, at most `max`. */
export const collectLeaves = (item: Element, max: number): Leaf[] => {
  const walk = new LeafWalk(max);
  walk.visit(item, '', []);
  return walk.leaves;
};

class LeafWalk {
  readonly leaves: Leaf[] = [];
  readonly #seen = new Map<string, number>();
  #label = '';
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  visit(element: Element, path: string, outer: readonly string[]): void {
    const tag = localName(element);
    if (this.leaves.length >= this.#max || SILENT.has(tag) || !isShown(element)) return;
    const own = ownNames(element);
    const names = [...own, ...outer];
    const key =
      path === '' ? tag : `${path}>${[tag, ...classNames(element).slice(0, 2)].join('.')}`;
    this.#data(element, key, names);
    if (this.#take(element, tag, key, names)) return;
    const inner = [...own, ...outer].slice(0, 6 * MAX_ANCESTORS);
    eachFlatChild(element, (child) => isElement(child) && this.visit(child, key, inner));
  }

  /** Values in attributes such as data-price="5". */
  #data(element: Element, key: string, names: readonly string[]): void {
    for (const { name, value } of Array.from(element.attributes)) {
      if (!DATA_NAME.test(name) || value === '' || value.length > 300) continue;
      this.#add({
        key: `${key}@${name}`,
        names: [name.slice(5), ...names.slice(0, 2)],
        kind: 'data',
        text: oneLine(value),
      });
    }
  }

  /**
   * Adds the element as a piece if it has text or is an image, time, link or heading. Returns true
   * if its children need no visit.
   */
  #take(element: Element, tag: string, key: string, names: readonly string[]): boolean {
    if (tag === 'img') {
      this.#addSome(element, key, names, 'image', oneLine(attributeText(element, 'alt')));
      return true;
    }
    if (tag === 'time') {
      this.#addSome(element, key, names, 'time', readShownText(element));
      return true;
    }
    if (TEXT_FIELD_TAGS.has(tag)) return true;
    const hasText = hasOwnText(element);
    const heading = /^h[1-6]$/.test(tag) || attribute(element, 'role') === 'heading';
    if (tag === 'a') this.#addSome(element, key, names, 'link', readShownText(element));
    else if (heading) this.#addSome(element, key, names, 'heading', readShownText(element));
    else if (hasText) this.#addSome(element, key, names, 'text', readShownText(element));
    return hasText && !element.querySelector('a[href], img, time, h1, h2, h3, h4, h5, h6');
  }

  #addSome(
    element: Element,
    key: string,
    names: readonly string[],
    kind: Leaf['kind'],
    text: string,
  ): void {
    const url = readUrl(element);
    const when = kind === 'time' ? attribute(element, 'datetime') : null;
    if (text === '' && url === undefined && when === null) return;
    const labelled = this.#label === '' ? names : [this.#label, ...names];
    this.#add(
      defined({
        key,
        names: labelled,
        kind,
        text: text.slice(0, MAX_TEXT),
        url,
        when: when === null ? undefined : when,
      }),
    );
    this.#label = textIf(/^[^:：]{2,30}[:：]$/.test(text), text.slice(0, -1));
    const [, name, value] = matchGroups(/^([^:：]{2,30})[:：]\s+(\S.{0,300})$/, text);
    if (kind === 'text' && name !== undefined && value !== undefined)
      this.#add({ key: `${key}:${name.toLowerCase()}`, names: [name], kind: 'text', text: value });
  }

  #add(leaf: Leaf): void {
    const times = this.#seen.get(leaf.key) ?? 0;
    this.#seen.set(leaf.key, times + 1);
    this.leaves.push(times === 0 ? leaf : { ...leaf, key: `${leaf.key}#${times + 1}` });
  }
}

const hasOwnText = (element: Element): boolean => {
  let found = false;
  eachFlatChild(element, (child) => {
    if (isText(child) && !isBlank(child.data)) found = true;
  });
  return found;
};
