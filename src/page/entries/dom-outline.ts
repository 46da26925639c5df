// Compact outline of the element tree: joins wrappers and folds runs of similar siblings.
import { addCount, defined } from '../objects.ts';
import {
  attribute,
  attributeText,
  childElementCount,
  elementId,
  firstChild,
  firstElementChild,
  getData,
  hasAttribute,
  isElement,
  isText,
  localName,
  nextElementSibling,
  nextSibling,
  queryAll,
  rootElement,
} from '../safe-dom.ts';
import { FRAME_TAGS, isFocusableByAuthor, isTypable } from '../element-kinds.ts';
import { buildDomLabel, textLevelText } from '../dom-label.ts';
import type { DomAnswer, DomNode, NoSubject, Suspicious, RefTarget } from '../read-answers.ts';
import { CONTROL_ROLES, computeRole } from '../roles.ts';
import { getShadowRoot } from '../shadow.ts';
import { documentTitle, findSubject, isNoSubject, withSuspects } from '../selectors.ts';
import { suspect } from '../closed-root-suspects.ts';
import { Describer } from '../describe-element.ts';
import { shortLine, textIf } from '../visible-text.ts';
import { implement, type OutlineRequest } from '../page-functions.ts';

/** Number of elements shown of a folded run of similar siblings. */
const SHOWN_OF_RUN = 2;
const SHORTEST_RUN = 5;
const MAX_TEXT = 100;
/** Elements that are shown without children, unless they are the subject. */
const CLOSED = new Set(['head', 'script', 'style', 'svg', 'template', 'noscript', 'select']);

const CODE_TAGS = new Set(['script', 'style']);
/** Closed elements whose children are not counted, and those whose children are named. */
const COUNTLESS_TAGS = new Set([...CODE_TAGS, 'svg']);
const LISTED_TAGS = new Set(['head', 'select']);

interface Draft {
  label: string;
  text?: string;
  target?: RefTarget;
  frame?: true;
  note?: string;
  children?: Draft[];
  folded?: string;
}

/** An element whose children are not in the outline yet. */
interface OpenElement {
  readonly parent: Element | ShadowRoot;
  readonly draft: Draft;
  readonly depth: number;
  /** The requested element: runs of similar children are not folded. */
  readonly isSubject?: boolean;
}

class Outline {
  readonly #options: OutlineRequest;
  readonly #queue: OpenElement[] = [];
  readonly #describer = new Describer();
  #left: number;

  constructor(options: OutlineRequest) {
    this.#options = options;
    this.#left = options.maxChars;
  }

  build(root: Element): DomNode {
    const draft = this.#line(root, 0, true);
    this.#drain();
    return draft;
  }

  #drain(): void {
    for (let open = this.#queue.shift(); open; open = this.#queue.shift()) this.#expand(open);
  }

  /** Adds the line of an element, joined with the single children that it wraps. */
  #line(element: Element, depth: number, isSubject = false): Draft {
    const draft: Draft = { label: buildDomLabel(element, this.#options.urls) };
    let inner = element;
    if (!isSubject) {
      for (let only = findWrapped(inner); only; only = findWrapped(inner)) {
        inner = only;
        draft.label += ` > ${buildDomLabel(inner, this.#options.urls)}`;
      }
    }
    this.#describe(draft, inner);
    const { label, text = '', note = '' } = draft;
    this.#left -= label.length + text.length + note.length + depth + 6;
    this.#open(draft, inner, depth, isSubject);
    return draft;
  }

  #describe(draft: Draft, element: Element): void {
    const tag = localName(element);
    const text = CODE_TAGS.has(tag) ? '' : ownText(element);
    if (text !== '') draft.text = text;
    if (canBeActedOn(element, tag)) draft.target = this.#describer.target(element);
    const note = buildNote(element, tag);
    if (note !== '') draft.note = note;
    if (note !== 'hidden' && FRAME_TAGS.has(tag)) {
      draft.target = this.#describer.target(element);
      draft.frame = true;
    }
  }

  #open(draft: Draft, element: Element, depth: number, isSubject: boolean): void {
    if (!isSubject && (CLOSED.has(localName(element)) || draft.note?.startsWith('hidden')))
      return this.#close(draft, element);
    suspect(element, localName(element));
    const root = getShadowRoot(element);
    if (!root && !hasChildren(element)) return;
    if (this.#options.depth !== undefined && depth + 1 >= this.#options.depth)
      return this.#close(draft, element);
    if (root) draft.children = [this.#rootLine(root, depth + 1)];
    if (hasChildren(element))
      this.#queue.push({ parent: element, draft, depth: depth + 1, isSubject });
  }

  #rootLine(root: ShadowRoot, depth: number): Draft {
    const draft: Draft = { label: `#shadow-root (${root.mode})`, children: [] };
    this.#queue.push({ parent: root, draft, depth: depth + 1 });
    return draft;
  }

  #close(draft: Draft, element: Element): void {
    const tag = localName(element);
    const count = childElementCount(element);
    if (count === 0 || COUNTLESS_TAGS.has(tag)) return;
    draft.folded = LISTED_TAGS.has(tag) ? countTags(element) : `${count} inside`;
    draft.target ??= this.#describer.target(element);
  }

  #expand({ parent, draft, depth, isSubject }: OpenElement): void {
    let child: Element | null = parent.firstElementChild;
    while (child) {
      if (this.#left <= 0)
        return this.#fold(draft, parent, `${count(remaining(child))} more inside`);
      child = isPlainInline(child)
        ? nextElementSibling(child)
        : this.#run(child, draft, depth, isSubject === true);
    }
  }

  /** Adds an element and its run of similar siblings; returns the first sibling after the run. */
  #run(first: Element, draft: Draft, depth: number, isSubject: boolean): Element | null {
    const children = (draft.children ??= []);
    const length = isSubject ? 1 : countRun(first);
    const shown = length >= SHORTEST_RUN ? SHOWN_OF_RUN : length;
    let child: Element | null = first;
    for (let i = 0; i < length && child; i++) {
      if (i < shown) children.push(this.#line(child, depth));
      child = nextElementSibling(child);
    }
    // Children of the subject are expanded depth-first, so that each is complete.
    if (isSubject) this.#drain();
    if (shown < length) {
      const [like] = buildDomLabel(first, false).split(/[#[]/, 1);
      children.push(
        defined({
          label: `… ${count(length - shown)} more ${like} like these`,
          target: first.parentElement ? this.#describer.target(first.parentElement) : undefined,
        }),
      );
    }
    return child;
  }

  #fold(draft: Draft, parent: Element | ShadowRoot, words: string): void {
    draft.folded = words;
    if (isElement(parent)) draft.target ??= this.#describer.target(parent);
  }
}

const count = (n: number): string => n.toLocaleString('en');

const remaining = (from: Element): number => {
  let n = 0;
  for (let at: Element | null = from; at; at = nextElementSibling(at)) n++;
  return n;
};

/** The only child of a wrapper element; undefined if the element is not a plain wrapper. */
const findWrapped = (element: Element): Element | undefined => {
  if (childElementCount(element) !== 1 || CLOSED.has(localName(element)) || getShadowRoot(element))
    return undefined;
  if (canBeActedOn(element, localName(element)) || isHidden(element)) return undefined;
  for (let child = firstChild(element); child; child = nextSibling(child))
    if (isText(child) && /\S/.test(getData(child).slice(0, 10_000))) return undefined;
  const only = firstElementChild(element);
  return only && !isPlainInline(only) && !CLOSED.has(localName(only)) ? only : undefined;
};

const hasChildren = (element: Element): boolean => {
  for (let child = firstElementChild(element); child; child = nextElementSibling(child))
    if (!isPlainInline(child)) return true;
  return false;
};

/** Inline markup without a line of its own: its text is part of the parent's text. */
const isPlainInline = (element: Element): boolean => textLevelText(element) !== undefined;

const ownText = (element: Element): string => {
  let text = '';
  for (
    let child = firstChild(element);
    child && text.trimEnd().length < MAX_TEXT * 2;
    child = nextSibling(child)
  ) {
    if (isText(child)) text += getData(child).slice(0, 1000);
    else if (isElement(child)) text += textLevelText(child) ?? textIf(text !== '', ' ');
  }
  return shortLine(text, MAX_TEXT);
};

const canBeActedOn = (element: Element, tag: string): boolean =>
  tag !== 'option' &&
  (CONTROL_ROLES.has(computeRole(element, tag)) ||
    isTypable(element) ||
    isFocusableByAuthor(element) ||
    hasAttribute(element, 'onclick'));

const isHidden = (element: Element): boolean => getComputedStyle(element).display === 'none';

const NEVER_SHOWN = new Set([
  'head',
  'script',
  'style',
  'template',
  'noscript',
  'meta',
  'link',
  'title',
  'base',
  'option',
  'optgroup',
  'source',
  'track',
  'param',
  'datalist',
]);

const buildNote = (element: Element, tag: string): string => {
  if (CODE_TAGS.has(tag))
    return textIf(!hasAttribute(element, 'src'), `${count(element.textContent.length)} characters`);
  if (NEVER_SHOWN.has(tag)) return '';
  return textIf(isHidden(element), 'hidden');
};

const countTags = (element: Element): string => {
  const tags = new Map<string, number>();
  for (const child of queryAll(element, '*')) addCount(tags, localName(child));
  return [...tags]
    .map(([tag, n]) => (n === 1 ? tag : `${count(n)} ${tag}`))
    .join(', ')
    .slice(0, 200);
};

/** Elements with the same tag, first class and child tags have the same shape. */
const computeShape = (element: Element): string => {
  const kinds = new Set<string>();
  let n = 0;
  for (
    let child = firstElementChild(element);
    child && n < 30;
    child = nextElementSibling(child), n++
  )
    kinds.add(localName(child));
  const [first = ''] = attributeText(element, 'class').trim().split(/\s+/);
  // Form fields also differ by type, name and id.
  if (/^(?:input|select|textarea)$/.test(localName(element)))
    kinds.add(`${attribute(element, 'type')} ${attribute(element, 'name')} ${elementId(element)}`);
  return `${localName(element)}.${first}(${[...kinds].join()})`;
};

/** Number of consecutive similar siblings, starting with this one. */
const countRun = (first: Element): number => {
  const shape = computeShape(first);
  let n = 1;
  for (
    let next = nextElementSibling(first);
    next && computeShape(next) === shape;
    next = nextElementSibling(next)
  )
    n++;
  return n;
};

const read = (options: OutlineRequest): (DomAnswer & Suspicious) | NoSubject =>
  withSuspects(() => readDom(options));

const readDom = (options: OutlineRequest): DomAnswer | NoSubject => {
  const found = options.subject ? findSubject(options.subject) : rootElement(document);
  if (found && isNoSubject(found)) return found;
  const root = found ? new Outline(options).build(found) : { label: '(empty document)' };
  return { title: documentTitle(), root };
};

export const functions = implement('domOutline', { read });
