// Finds elements by words: of their names, labels, placeholders, test ids and texts, ranked by how
// well they fit.
import {
  attribute,
  byIds,
  contains,
  getData,
  elementId,
  firstChild,
  hasAttribute,
  isElement,
  isShown,
  isText,
  localName,
  nextSibling,
  parentNode,
  queryAll,
  getRoot,
  type Root,
} from './safe-dom.ts';
import { isInside } from './act/describe-target.ts';
import { hasHandler, isTypable } from './interactive.ts';
import { Labels } from './labels.ts';
import { type NameCache, computeName, readPlaceholder } from './names.ts';
import { ROLE_WORDS } from './role-words.ts';
import { CONTROL_ROLES, NAMED_BY_CONTENT, computeRole } from './roles.ts';
import {
  Patience,
  collectPieces,
  type SearchScope,
  seekIdentifier,
  seekSpoken,
  seekTestIds,
  seekText,
  TEST_IDS,
  readText,
} from './find-words.ts';
import { GeneratedContent, getStyle } from './style.ts';
import { trees } from './trees.ts';
import {
  bare,
  containsEach,
  fold,
  includesWords,
  includesEachWord,
  isSimilarTo,
  wordsIn,
} from './words.ts';

export { trees } from './trees.ts';

export interface WordMatch {
  readonly element: Element;
  /** 0 fits best; elements of the same rank fit equally well. */
  readonly rank: number;
}

/** How well something fits, best first. */
export const RANK = {
  name: 0,
  /** Only what stands between the words differs. */
  bareName: 0.5,
  nameAndRole: 1,
  attribute: 2,
  text: 3,
  partAndRole: 4,
  partOfName: 5,
  /** The exact text of something that does not react to clicks: for actions only. */
  inertText: 5.5,
  partOfText: 6,
  // From here on the words are scattered or only parts of words: good enough to be shown, not to be
  // acted on.
  wordsOfName: 7,
  wordsOfText: 8,
  letters: 9,
} as const;

export interface QueryWords {
  readonly text: string;
  readonly bare: string;
  readonly each: readonly string[];
  /** The words without the one that names a role, and the roles that it names. */
  readonly stripped?: string;
  readonly roles?: readonly string[];
}

export const readWords = (query: string): QueryWords => {
  const text = fold(query);
  const each = wordsIn(text);
  const whole = { text, bare: each.join(' '), each };
  const words = text.split(' ');
  const last = words.at(-1) ?? '';
  const [first = ''] = words;
  if (words.length > 1 && Object.hasOwn(ROLE_WORDS, last))
    return { ...whole, stripped: words.slice(0, -1).join(' '), roles: ROLE_WORDS[last] ?? [] };
  if (words.length > 1 && Object.hasOwn(ROLE_WORDS, first))
    return { ...whole, stripped: words.slice(1).join(' '), roles: ROLE_WORDS[first] ?? [] };
  return whole;
};

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

/** Whether a person sees the element, or the label that stands for it. */
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

/** Controls whose text is what they hold, not what they are called. */
const HOLDING = new Set(['select', 'textarea', 'input']);

/** No text is compared beyond this. */
const MAX_TEXT = 2000;

const shownText = (element: Element): string => fold(readText(element).slice(0, MAX_TEXT));

/** The text that stands directly in an element, not in elements inside of it. */
const ownText = (element: Element): string => {
  let text = '';
  for (let node = firstChild(element); node && text.length < MAX_TEXT; node = nextSibling(node))
    if (isText(node)) text += getData(node).slice(0, MAX_TEXT);
  return fold(text);
};

/** Says of single elements how well they fit the words. */
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

  /** How well an element fits; nothing when it does not. */
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

  /** The folded name. */
  nameOf(element: Element, tag: string, role: string): string {
    let name = this.#names.get(element);
    if (name === undefined)
      this.#names.set(element, (name = fold(computeName(element, tag, role, this.known).text)));
    return name;
  }

  #rankName(name: string, role: string): number | undefined {
    const { text, bare: plain, stripped, roles } = this.words;
    if (name === text) return RANK.name;
    if (name === '') return undefined;
    if (bare(name) === plain) return RANK.bareName;
    return stripped !== undefined &&
      roles?.includes(role) &&
      (name === stripped || bare(name) === bare(stripped))
      ? RANK.nameAndRole
      : undefined;
  }

  #rankAttributes(element: Element, tag: string): number | undefined {
    const { text } = this.words;
    if (fold(readPlaceholder(element, tag)) === text) return RANK.attribute;
    return NAMING.some(
      (name) => hasAttribute(element, name) && fold(attribute(element, name) ?? '') === text,
    )
      ? RANK.attribute
      : undefined;
  }

  #rankPart(name: string, role: string): number | undefined {
    const { text, stripped, roles } = this.words;
    if (stripped !== undefined && roles?.includes(role) && includesWords(name, stripped))
      return RANK.partAndRole;
    return includesWords(name, text) ? RANK.partOfName : undefined;
  }

  /**
   * What a control shows: a plain element that reacts to clicks has no name by the rules, others
   * are called otherwise.
   */
  #rankShown(shown: string, role: string): number | undefined {
    if (shown === this.words.text) return CONTROL_ROLES.has(role) ? RANK.attribute : RANK.name;
    return includesWords(shown, this.words.text) ? RANK.partOfText : undefined;
  }

  #rankLoosely(shown: string, scattered: number): number | undefined {
    if (!this.#loose || shown === '') return undefined;
    const { each } = this.words;
    if (includesEachWord(shown, each)) return scattered;
    // "Log in" and "login", "E-mail" and "email"
    return containsEach(shown, each) || wordsIn(shown).join('').includes(each.join(''))
      ? RANK.letters
      : undefined;
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

  /** Headings, images, dialogs and other things that have a name beside their text. */
  #rankGroup(name: string): number | undefined {
    if (name === '') return undefined;
    const { text, bare: plain } = this.words;
    if (name === text || bare(name) === plain) return RANK.text;
    return includesWords(name, text) ? RANK.partOfText : undefined;
  }

  #rankOption(element: Element): number | undefined {
    const label = fold((element as HTMLOptionElement).label);
    if (label === this.words.text) return RANK.text;
    return includesWords(label, this.words.text)
      ? RANK.partOfText
      : this.#rankLoosely(label, RANK.wordsOfText);
  }
}

/** How far above its words a control may begin. */
const MAX_CLIMB = 12;

/**
 * The elements that the words may be about: where they stand, and what is named by what stands
 * there.
 */
export class Candidates {
  readonly found = new Set<Element>();
  readonly #patience: Patience;
  readonly #wanted: (role: string) => boolean;
  readonly #labelled = new Map<Root, Map<string, Element[]>>();

  /** `wanted`: roles that are meant although nobody acts on them. */
  constructor(patience: Patience, wanted: (role: string) => boolean = () => false) {
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
      at = parentOf(at), i++
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

  /** What takes its name from this element. */
  #namedBy(element: Element): readonly Element[] {
    if (localName(element) === 'label') {
      const { control } = element as HTMLLabelElement;
      return control ? [control] : [];
    }
    const id = elementId(element);
    if (id === '') return [];
    const root = getRoot(element) as Root;
    let labelled = this.#labelled.get(root);
    if (!labelled) this.#labelled.set(root, (labelled = labelledBy(root)));
    return labelled.get(id) ?? [];
  }
}

/** The parent, out of a shadow root to its host. */
const parentOf = (node: Node): Node | null => {
  const parent = parentNode(node);
  return parent instanceof ShadowRoot ? parent.host : parent;
};

/** By the ids of their labels, the elements that others name. */
const labelledBy = (root: Root): Map<string, Element[]> => {
  const found = new Map<string, Element[]>();
  for (const element of queryAll(root, '[aria-labelledby]')) {
    for (const label of byIds(element, 'aria-labelledby')) {
      const id = elementId(label);
      const known = found.get(id);
      if (known) known.push(element);
      else found.set(id, [element]);
    }
  }
  return found;
};

const CONTROLS =
  'a,area,button,input,select,textarea,summary,[role],[contenteditable],[tabindex],[onclick]';
const MAX_SEARCH_MS = 2000;
const MAX_NAMES_MS = 150;

/**
 * Every control, for names that come from places where nobody looks: style sheets, slots, owned
 * elements.
 */
export function* everyControl(
  scopes: readonly SearchScope[],
  patience: Patience,
): Generator<Element> {
  for (const scope of scopes) {
    for (const element of queryAll(scope, CONTROLS)) {
      if (!patience.left) return;
      yield element;
    }
  }
}

/**
 * The elements that fit the words, the best first, in the order of the page; only what is seen,
 * unless nothing is.
 */
export const matchWords = (
  query: string,
  accept: (element: Element) => boolean = () => true,
): WordMatch[] => {
  const words = readWords(query);
  if (words.text === '') return [];
  const matcher = new Matcher(words);
  const candidates = new Candidates(new Patience(MAX_SEARCH_MS));
  const roots = trees();
  for (const root of roots) candidates.gather(root, words);
  let found = rankAll(candidates.found, matcher, accept);
  if (found.length === 0)
    found = rankAll(everyControl(roots, new Patience(MAX_NAMES_MS)), matcher, accept);
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

/**
 * The link, button or option that an icon or a text is a part of. An element that is a control is
 * its own.
 */
const findControl = (element: Element): Element | undefined => {
  let at: Node | null = element;
  for (let i = 0; at && isElement(at) && i < MAX_CLIMB; at = parentOf(at), i++) {
    const role = computeRole(at, localName(at));
    if (isControl(at, role) && at === element) return at;
    if (CONTROL_ROLES.has(role) && NAMED_BY_CONTENT.has(role)) return at;
  }
  return undefined;
};

const reactsToClicks = (element: Element): boolean =>
  hasHandler(element) || getStyle(element).cursor === 'pointer';

/** The dialog that makes everything outside of it inert. */
export const modalDialog = (): Element | undefined =>
  [...queryAll(document, 'dialog:modal')].at(-1);

/** Behind a modal dialog nothing can be reached. */
const withoutInert = (matches: WordMatch[]): WordMatch[] => {
  const modal = modalDialog();
  return modal ? matches.filter(({ element }) => isInside(element, modal)) : matches;
};

/**
 * Those that fit best. Of a thing and what is inside of it the inner one is meant, except that a
 * control is meant as a whole.
 */
export const pickBest = (matches: readonly WordMatch[]): Element[] => {
  const [first] = matches;
  if (!first) return [];
  const best = matches.filter(({ rank }) => rank === first.rank).map(({ element }) => element);
  const controls =
    first.rank !== RANK.text && first.rank !== RANK.inertText && first.rank !== RANK.partOfText;
  return best.filter(
    (element) =>
      !best.some(
        (other) =>
          other !== element && (controls ? contains(other, element) : contains(element, other)),
      ),
  );
};

/** How alike a name must be to be worth telling. */
const MIN_LIKENESS = 0.3;

interface NearOptions {
  readonly accept?: (element: Element) => boolean;
  /** Where to look, and with names that are known already. */
  readonly roots?: readonly Root[];
  readonly matcher?: Matcher;
}

/**
 * Controls whose names share words with the query or look like it, the most alike first, for
 * whoever found nothing.
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
  for (const element of everyControl(roots, new Patience(MAX_NAMES_MS))) {
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

/** Which part of the words stands in the name. */
const sharedPart = (name: string, each: readonly string[]): number =>
  name === ''
    ? 0
    : each.filter((word) => word.length > 1 && name.includes(word) && includesWords(name, word))
        .length / each.length;
