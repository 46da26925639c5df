// Reads the facts that identify an element in another run: attributes, row, container, neighbours.
import { createKnown } from '../act/describe-target.ts';
import { isTypable } from '../element-kinds.ts';
import { collectElementContext } from '../find/around.ts';
import { explainUnusable } from '../find/hits.ts';
import { findByRoles, roleAsRead } from '../find/search.ts';
import { collectPieces, FindPatience, TEST_IDS } from '../find-words.ts';
import { Fingerprinter } from '../fingerprint.ts';
import { modalDialog } from '../match-words.ts';
import { computeName } from '../names.ts';
import { compact, getOrCreate } from '../objects.ts';
import { attribute, contains, localName, queryAll } from '../safe-dom.ts';
import { composedParent, trees } from '../shadow.ts';
import { oneLine, shortLine, textIf } from '../visible-text.ts';
import type { RecordedElement } from './recorded-answers.ts';

const MAX_NAME_CHARS = 200;
const MAX_ROW_CHARS = 120;
const MAX_VALUE_CHARS = 120;
const MAX_NEIGHBOURS = 4;
const MAX_NEIGHBOUR_CHARS = 40;
/** Time limit for listing the elements of a role. */
const MAX_MS = 1000;

const ATTRIBUTES = ['id', 'name', 'href', 'formaction', 'data-id', 'data-key', 'data-action'];
/** Tags whose text content is a value, options or code, not a name. */
const VALUE_TAGS = new Set(['input', 'textarea', 'select', 'iframe', 'script', 'style']);
const ROW_KINDS = new Set(['row', 'article', 'item', 'after']);
/** Ids with numbers or colons are often generated at each load. */
const GENERATED_ID = /\d|:/;

export const shortenNeighbour = (name: string): string => shortLine(name, MAX_NEIGHBOUR_CHARS);

const readRole = (element: Element): string => {
  const tag = localName(element);
  return roleAsRead(element, tag) || tag;
};

/** The elements of one role in all trees of a document, in document order per tree. */
export class RoleElements {
  readonly role: string;
  readonly #known = createKnown();
  readonly #names = new Map<Element, string>();
  readonly #fingerprinter = new Fingerprinter();
  #all: readonly Element[] | undefined;
  #usable: readonly Element[] | undefined;

  constructor(role: string) {
    this.role = role;
  }

  get all(): readonly Element[] {
    return (this.#all ??= this.#collect());
  }

  /** The elements that are visible and not inert. */
  get usable(): readonly Element[] {
    if (this.#usable) return this.#usable;
    const modal = modalDialog();
    return (this.#usable = this.all.filter((element) => explainUnusable(element, modal) === ''));
  }

  /** An element without a role has its tag as its role. */
  #collect(): Element[] {
    const roots = trees();
    const patience = new FindPatience(MAX_MS);
    const isOfRole = (element: Element): boolean =>
      patience.left && readRole(element) === this.role;
    const found = [...findByRoles(roots, [this.role])].filter(isOfRole);
    if (found.length > 0) return found;
    return roots.flatMap((root) => [...queryAll(root, CSS.escape(this.role))].filter(isOfRole));
  }

  /** The accessible name; the text of an element that has no role. */
  readName(element: Element): string {
    return getOrCreate(this.#names, element, () => {
      const tag = localName(element);
      const { text } = computeName(element, tag, this.role, this.#known);
      const hasValue = VALUE_TAGS.has(tag) || isTypable(element);
      return shortLine(text || textIf(!hasValue, collectPieces(element).join(' ')), MAX_NAME_CHARS);
    });
  }

  /** The words of the row without the name, which is often the label of a field in a row. */
  readRow(element: Element): string {
    const words = this.#fingerprinter.describeRow(element, MAX_ROW_CHARS);
    return oneLine(words.replace(this.readName(element), ''));
  }

  readWithin(element: Element): string[] {
    return collectElementContext(element, this.#known, undefined)
      .filter(({ kind }) => !ROW_KINDS.has(kind))
      .map(({ kind, text }) => `${kind}${textIf(text !== '', ` ${JSON.stringify(text)}`)}`);
  }

  /** The names of the nearest elements of the role inside the smallest common container. */
  readOrder(element: Element): string[] {
    const { usable } = this;
    const group = this.#findGroup(element);
    const inside = group ? usable.filter((one) => contains(group, one)) : [];
    const at = inside.indexOf(element);
    if (at < 0) return [];
    return inside
      .slice(Math.max(0, at - MAX_NEIGHBOURS), at + MAX_NEIGHBOURS + 1)
      .map((one) => shortenNeighbour(this.readName(one)));
  }

  #findGroup(element: Element): Element | undefined {
    for (let at = composedParent(element); at; at = composedParent(at)) {
      const group = at;
      if (this.usable.some((one) => one !== element && contains(group, one))) return group;
    }
    return undefined;
  }
}

export const readTestId = (element: Element): string | undefined => {
  for (const name of TEST_IDS) {
    const value = attribute(element, name);
    if (value && value.length <= MAX_VALUE_CHARS) return value;
  }
  return undefined;
};

/** The value of an attribute; undefined if it does not identify the element in another run. */
export const readAttribute = (element: Element, name: string): string | undefined => {
  const value = attribute(element, name);
  if (!value) return undefined;
  if (name === 'id' && GENERATED_ID.test(value)) return undefined;
  const text = name === 'href' ? withoutQuery(value) : value;
  return text === '' || text.length > MAX_VALUE_CHARS ? undefined : text;
};

/** Queries often contain ids of sessions. */
const withoutQuery = (address: string): string => {
  const end = address.search(/[?#]/);
  return end < 0 ? address : address.slice(0, end);
};

const readAttributes = (element: Element, { all }: RoleElements): Record<string, string> =>
  Object.fromEntries(
    ATTRIBUTES.flatMap((name) => {
      const value = readAttribute(element, name);
      if (value === undefined) return [];
      const isShared = all.some((one) => one !== element && readAttribute(one, name) === value);
      return isShared ? [] : [[name, value] as const];
    }),
  );

/** Undefined if the element has no name: its role alone does not identify it. */
export const readFacts = (element: Element): RecordedElement | undefined => {
  const elements = new RoleElements(readRole(element));
  const name = elements.readName(element);
  if (name === '') return undefined;
  const attributes = readAttributes(element, elements);
  return {
    role: elements.role,
    name,
    ...compact({
      testId: readTestId(element),
      attributes: Object.keys(attributes).length > 0 ? attributes : undefined,
      row: elements.readRow(element),
      within: elements.readWithin(element),
      order: elements.readOrder(element),
    }),
  };
};
