// Finds elements by words in their names, labels, placeholders, test ids and texts, ranked.
import {
  attribute,
  attributeText,
  byIds,
  contains,
  elementId,
  firstChild,
  getData,
  getRoot,
  hasAttribute,
  isElement,
  isShown,
  isText,
  localName,
  nextSibling,
  parentNode,
  queryAll,
  type Root,
} from './safe-dom.ts';
import { isInside, trees } from './shadow.ts';
import { hasHandler, isTypable } from './element-kinds.ts';
import { Labels } from './element-relations.ts';
import { type NameCache, computeName, readPlaceholder } from './names.ts';
import { ROLE_WORDS } from './role-words.ts';
import { CONTROL_ROLES, NAMED_BY_CONTENT, computeRole } from './roles.ts';
import {
  FindPatience,
  collectPieces,
  type SearchScope,
  seekIdentifier,
  seekSpoken,
  seekTestIds,
  seekText,
  TEST_IDS,
  readText,
} from './find-words.ts';
import { defined, getOrCreate, valueIf } from './objects.ts';
import { GeneratedContent, getStyle } from './style.ts';
import {
  bare,
  containsEach,
  fold,
  includesWords,
  includesEachWord,
  isSimilarTo,
  wordsIn,
} from './words.ts';

export { trees } from './shadow.ts';

export interface WordMatch {
  readonly element: Element;
  /** 0 is the best match; elements of the same rank match equally well. */
  readonly rank: number;
}

/** Ranks of matches, best first. */
export const RANK = {
  name: 0,
  /** Only characters between the words differ. */
  bareName: 0.5,
  nameAndRole: 1,
  attribute: 2,
  text: 3,
  partAndRole: 4,
  partOfName: 5,
  /** The exact text of an element that does not react to clicks; used for actions only. */
  inertText: 5.5,
  partOfText: 6,
  // From here on, the words are scattered or parts of words: shown as results, but not acted on.
  wordsOfName: 7,
  wordsOfText: 8,
  letters: 9,
} as const;

export interface QueryWords {
  readonly text: string;
  readonly bare: string;
  readonly each: readonly string[];
  /** The query without the word that names a role, and the roles that this word names. */
  readonly stripped?: string;
  readonly roles?: readonly string[];
}

export const readWords = (query: string): QueryWords => {
  const text = fold(query);
  const each = wordsIn(text);
  const whole = { text, bare: each.join(' '), each };
  const words = text.split(' ');
  if (words.length === 1) return whole;
  const before = words.slice(0, -1).join(' ');
  const after = words.slice(1).join(' ');
  return { ...whole, ...(strip(words.at(-1), before) ?? strip(words[0], after)) };
};

/** Undefined if the word does not name a role. */
const strip = (word = '', stripped: string): Pick<QueryWords, 'stripped' | 'roles'> | undefined =>
  Object.hasOwn(ROLE_WORDS, word) ? defined({ stripped, roles: ROLE_WORDS[word] }) : undefined;

const NAMING = ['placeholder', 'title', 'alt', 'name', 'id', ...TEST_IDS];

const SKIPPED = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'head',
  'meta',
  'link',
  'title',
  'option',
  'optgroup',
  'html',
  'body',
]);

/** Whether the element or one of its labels is visible. */
export const isSeen = (element: Element): boolean => {
  if (isShown(element)) return true;
  const { labels } = element as HTMLInputElement;
  return labels instanceof NodeList && [...labels].some(isShown);
};

export const isControl = (element: Element, role: string): boolean =>
  CONTROL_ROLES.has(role) ||
  hasAttribute(element, 'onclick') ||
  isTypable(element) ||
  (hasAttribute(element, 'tabindex') && attribute(element, 'tabindex') !== '-1');

/** Controls whose text content is their value, not their name. */
const HOLDING = new Set(['select', 'textarea', 'input']);

/** Longer texts are cut before they are compared. */
const MAX_TEXT = 2000;

const shownText = (element: Element): string => fold(readText(element).slice(0, MAX_TEXT));

/** The text directly in an element, without the text of its child elements. */
const ownText = (element: Element): string => {
  let text = '';
  for (let node = firstChild(element); node && text.length < MAX_TEXT; node = nextSibling(node))
    if (isText(node)) text += getData(node).slice(0, MAX_TEXT);
  return fold(text);
};

/** Ranks single elements by how well they match the words. */
export class Matcher {
  readonly words: QueryWords;
  readonly known: NameCache;
  readonly #loose: boolean;
  readonly #names = new Map<Element, string>();

  constructor(
    words: QueryWords,
    {
      loose = false,
      known = { generated: new GeneratedContent(), labels: new Labels() },
    }: { loose?: boolean; known?: NameCache } = {},
  ) {
    this.words = words;
    this.#loose = loose;
    this.known = known;
  }

  /** The rank of an element; undefined if it does not match. */
  rank(element: Element): number | undefined {
    const tag = localName(element);
    if (SKIPPED.has(tag))
      return tag === 'option' && this.#loose ? this.#rankOption(element) : undefined;
    const role = computeRole(element, tag);
    if (!isControl(element, role)) return this.#rankText(element, tag, role);
    const name = this.nameOf(element, tag, role);
    const rank =
      this.#rankName(name, role) ??
      this.#rankAttributes(element, tag) ??
      this.#rankPart(name, role);
    if (rank !== undefined) return rank;
    const shown = HOLDING.has(tag) || isTypable(element) ? '' : shownText(element);
    return (
      this.#rankShown(shown, role) ??
      this.#rankLoosely(name, RANK.wordsOfName) ??
      this.#rankLoosely(shown, RANK.wordsOfText)
    );
  }

  /** The folded accessible name, cached. */
  nameOf(element: Element, tag: string, role: string): string {
    return getOrCreate(this.#names, element, () =>
      fold(computeName(element, tag, role, this.known).text),
    );
  }

  #rankName(name: string, role: string): number | undefined {
    const { text, bare: plain, stripped, roles } = this.words;
    if (name === text) return RANK.name;
    if (name === '') return undefined;
    if (bare(name) === plain) return RANK.bareName;
    return valueIf(
      stripped !== undefined &&
        roles?.includes(role) &&
        (name === stripped || bare(name) === bare(stripped)),
      RANK.nameAndRole,
    );
  }

  #rankAttributes(element: Element, tag: string): number | undefined {
    const { text } = this.words;
    if (fold(readPlaceholder(element, tag)) === text) return RANK.attribute;
    return valueIf(
      NAMING.some(
        (name) => hasAttribute(element, name) && fold(attributeText(element, name)) === text,
      ),
      RANK.attribute,
    );
  }

  #rankPart(name: string, role: string): number | undefined {
    const { text, stripped, roles } = this.words;
    if (stripped !== undefined && roles?.includes(role) && includesWords(name, stripped))
      return RANK.partAndRole;
    return valueIf(includesWords(name, text), RANK.partOfName);
  }

  /**
   * Ranks the text of a control. A clickable element without a role has no accessible name, so its
   * text counts as its name.
   */
  #rankShown(shown: string, role: string): number | undefined {
    if (shown === this.words.text) return CONTROL_ROLES.has(role) ? RANK.attribute : RANK.name;
    return valueIf(includesWords(shown, this.words.text), RANK.partOfText);
  }

  #rankLoosely(shown: string, scattered: number): number | undefined {
    if (!this.#loose || shown === '') return undefined;
    const { each } = this.words;
    if (includesEachWord(shown, each)) return scattered;
    // Matches "Log in" with "login", and "E-mail" with "email".
    return valueIf(
      containsEach(shown, each) || wordsIn(shown).join('').includes(each.join('')),
      RANK.letters,
    );
  }

  #rankText(element: Element, tag: string, role: string): number | undefined {
    const { text, stripped, roles } = this.words;
    const shown = shownText(element);
    if (shown === text || ownText(element) === text) return RANK.text;
    const named = role === '' ? undefined : this.#rankGroup(this.nameOf(element, tag, role));
    if (named === RANK.text) return named;
    if (stripped !== undefined && roles?.includes(role) && includesWords(shown, stripped))
      return RANK.partAndRole;
    if (this.#rankAttributes(element, tag) !== undefined) return RANK.text;
    if (named !== undefined || includesWords(shown, text)) return RANK.partOfText;
    const spaced = fold(collectPieces(element).join(' '));
    return includesWords(spaced, text)
      ? RANK.partOfText
      : this.#rankLoosely(spaced, RANK.wordsOfText);
  }

  /** For headings, images, dialogs and other elements whose name may differ from their text. */
  #rankGroup(name: string): number | undefined {
    if (name === '') return undefined;
    const { text, bare: plain } = this.words;
    if (name === text || bare(name) === plain) return RANK.text;
    return valueIf(includesWords(name, text), RANK.partOfText);
  }

  #rankOption(element: Element): number | undefined {
    const label = fold((element as HTMLOptionElement).label);
    if (label === this.words.text) return RANK.text;
    return includesWords(label, this.words.text)
      ? RANK.partOfText
      : this.#rankLoosely(label, RANK.wordsOfText);
  }
}

/** Number of ancestors that are searched for a control. */
const MAX_CLIMB = 12;

/**
 * Collects the elements that may match: those that contain the words, and those that they label.
 */
export class Candidates {
  readonly found = new Set<Element>();
  readonly #patience: FindPatience;
  readonly #wanted: (role: string) => boolean;
  readonly #labelled = new Map<Root, Map<string, Element[]>>();

  /** `wanted` accepts roles that are not controls but that the caller looks for. */
  constructor(patience: FindPatience, wanted: (role: string) => boolean = () => false) {
    this.#patience = patience;
    this.#wanted = wanted;
  }

  gather(scope: SearchScope, { text, each, stripped }: QueryWords): void {
    for (const words of stripped === undefined ? [each] : [each, wordsIn(stripped)]) {
      for (const seek of [seekText, seekSpoken, seekTestIds])
        for (const element of seek(scope, words, this.#patience)) this.#add(element);
    }
    for (const element of seekIdentifier(scope, text)) this.#add(element);
  }

  #add(holder: Element): void {
    this.found.add(holder);
    for (
      let at: Node | null = holder, i = 0;
      at && isElement(at) && i < MAX_CLIMB;
      at = findParent(at), i++
    ) {
      for (const labelled of this.#namedBy(at)) this.found.add(labelled);
      const tag = localName(at);
      const role = computeRole(at, tag);
      if (this.#wanted(role) || tag === 'svg') this.found.add(at);
      if (tag === 'option' || !isControl(at, role)) continue;
      this.found.add(at);
      break;
    }
  }

  /** The elements that this element labels. */
  #namedBy(element: Element): readonly Element[] {
    if (localName(element) === 'label') {
      const { control } = element as HTMLLabelElement;
      return control ? [control] : [];
    }
    const id = elementId(element);
    if (id === '') return [];
    const root = getRoot(element) as Root;
    const labelled = getOrCreate(this.#labelled, root, () => findLabelled(root));
    return labelled.get(id) ?? [];
  }
}

/** The parent node; of the top nodes of a shadow root its host. */
const findParent = (node: Node): Node | null => {
  const parent = parentNode(node);
  return parent instanceof ShadowRoot ? parent.host : parent;
};

/** Maps the id of a label to the elements that it labels (aria-labelledby). */
const findLabelled = (root: Root): Map<string, Element[]> => {
  const found = new Map<string, Element[]>();
  for (const element of queryAll(root, '[aria-labelledby]')) {
    for (const label of byIds(element, 'aria-labelledby')) {
      getOrCreate(found, elementId(label), (): Element[] => []).push(element);
    }
  }
  return found;
};

const CONTROLS =
  'a,area,button,input,select,textarea,summary,[role],[contenteditable],[tabindex],[onclick]';
const MAX_SEARCH_MS = 2000;
const MAX_NAMES_MS = 150;

/**
 * All controls, for names that a text search does not find: from style sheets, slots or owned
 * elements.
 */
export function* everyControl(
  scopes: readonly SearchScope[],
  patience: FindPatience,
): Generator<Element> {
  for (const scope of scopes) {
    for (const element of queryAll(scope, CONTROLS)) {
      if (!patience.left) return;
      yield element;
    }
  }
}

/**
 * The matching elements, best first, else in document order. Hidden elements are returned only if
 * no visible element matches.
 */
export const matchWords = (
  query: string,
  accept: (element: Element) => boolean = () => true,
): WordMatch[] => {
  const words = readWords(query);
  if (words.text === '') return [];
  const matcher = new Matcher(words);
  const candidates = new Candidates(new FindPatience(MAX_SEARCH_MS));
  const roots = trees();
  for (const root of roots) candidates.gather(root, words);
  let found = rankAll(candidates.found, matcher, accept);
  if (found.length === 0)
    found = rankAll(everyControl(roots, new FindPatience(MAX_NAMES_MS)), matcher, accept);
  // If all are behind a modal dialog, the action on them reports that dialog.
  const reached = withoutInert(found);
  const reachable = reached.length > 0 ? reached : found;
  const seen = reachable.filter(({ element }) => isSeen(element));
  return (seen.length > 0 ? seen : reachable).sort((a, b) => a.rank - b.rank);
};

const rankAll = (
  elements: Iterable<Element>,
  matcher: Matcher,
  accept: (element: Element) => boolean,
): WordMatch[] => {
  const ranks = new Map<Element, number>();
  for (const element of elements) {
    const rank = matcher.rank(element);
    if (rank === undefined) continue;
    const control = findControl(element);
    const target = control ?? element;
    if (!accept(target)) continue;
    const adjusted =
      rank === RANK.text && !control && !reactsToClicks(element) ? RANK.inertText : rank;
    ranks.set(target, Math.min(adjusted, ranks.get(target) ?? Infinity));
  }
  return [...ranks].map(([element, rank]) => ({ element, rank }));
};

/** The link, button or option that contains an icon or text. A control is returned itself. */
const findControl = (element: Element): Element | undefined => {
  let at: Node | null = element;
  for (let i = 0; at && isElement(at) && i < MAX_CLIMB; at = findParent(at), i++) {
    const role = computeRole(at, localName(at));
    if (isControl(at, role) && at === element) return at;
    if (CONTROL_ROLES.has(role) && NAMED_BY_CONTENT.has(role)) return at;
  }
  return undefined;
};

const reactsToClicks = (element: Element): boolean =>
  hasHandler(element) || getStyle(element).cursor === 'pointer';

/** The topmost modal dialog, which makes everything outside of it inert. */
export const modalDialog = (): Element | undefined =>
  [...queryAll(document, 'dialog:modal')].at(-1);

/** Removes the matches that are outside of an open modal dialog. */
const withoutInert = (matches: WordMatch[]): WordMatch[] => {
  const modal = modalDialog();
  return modal ? matches.filter(({ element }) => isInside(element, modal)) : matches;
};

const TEXT_RANKS = new Set<number>([RANK.text, RANK.inertText, RANK.partOfText]);

/**
 * The elements of the best rank. Of nested text matches the innermost is kept, of nested controls
 * the outermost.
 */
export const pickBest = (matches: readonly WordMatch[]): Element[] => {
  const [first] = matches;
  if (!first) return [];
  const best = matches.filter(({ rank }) => rank === first.rank).map(({ element }) => element);
  const controls = !TEXT_RANKS.has(first.rank);
  return best.filter(
    (element) =>
      !best.some(
        (other) =>
          other !== element && (controls ? contains(other, element) : contains(element, other)),
      ),
  );
};

/** Minimum similarity of a suggested name. */
const MIN_LIKENESS = 0.3;

interface NearOptions {
  readonly accept?: (element: Element) => boolean;
  /** Where to search; pass a matcher to reuse its cached names. */
  readonly roots?: readonly Root[];
  readonly matcher?: Matcher;
}

/**
 * Controls whose names share words with the query or are similar to it, most similar first. Used as
 * suggestions if the search found no element.
 */
export const nearMisses = (
  query: string,
  limit: number,
  {
    accept = () => true,
    roots = trees(),
    matcher = new Matcher(readWords(query)),
  }: NearOptions = {},
): Element[] => {
  const { each, text } = matcher.words;
  if (text === '') return [];
  const similarity = isSimilarTo(text);
  const found: { readonly element: Element; readonly score: number }[] = [];
  for (const element of everyControl(roots, new FindPatience(MAX_NAMES_MS))) {
    const tag = localName(element);
    const name = matcher.nameOf(element, tag, computeRole(element, tag));
    const score = Math.max(similarity(name), 0.9 * sharedPart(name, each));
    if (score >= MIN_LIKENESS && accept(element)) found.push({ element, score });
  }
  return found
    .sort((a, b) => b.score - a.score)
    .slice(0, limit * 20)
    .filter(({ element }) => isSeen(element))
    .slice(0, limit)
    .map(({ element }) => element);
};

/** The share of the words that the name contains, from 0 to 1. */
const sharedPart = (name: string, each: readonly string[]): number =>
  name === ''
    ? 0
    : each.filter((word) => word.length > 1 && name.includes(word) && includesWords(name, word))
        .length / each.length;
