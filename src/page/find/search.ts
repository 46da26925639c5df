// One search: collects candidate elements and ranks them.
import { composedParent } from '../shadow.ts';
import {
  createLookupTable,
  getOrCreate,
  ifDefined,
  listDefined,
  listIf,
  valueIf,
} from '../objects.ts';
import { FindPatience, type SearchScope, TEST_IDS } from '../find-words.ts';
import { isTypable } from '../element-kinds.ts';
import { Labels } from '../element-relations.ts';
import {
  Candidates,
  everyControl,
  isControl,
  Matcher,
  type QueryWords,
  RANK,
  readWords,
} from '../match-words.ts';
import type { NameCache } from '../names.ts';
import { ROLE_WORDS } from '../role-words.ts';
import { computeRole, inputType } from '../roles.ts';
import {
  attributeText,
  closest,
  contains,
  hasAttribute,
  localName,
  matches,
  queryAll,
  type Root,
} from '../safe-dom.ts';
import { isPlainCss, selectAll } from '../selectors.ts';
import { GeneratedContent } from '../style.ts';
import { fold } from '../words.ts';
import { textIf } from '../visible-text.ts';
import type { FindSpec } from './find-answers.ts';
import { type ElementsInside, findAnchors, findNearest, findNeighbours } from './near.ts';

export interface RankedElement {
  readonly element: Element;
  readonly rank: readonly [near: number, words: number];
}

/** Roles of form fields. */
const FIELD_ROLES = new Set(
  (
    'textbox searchbox combobox listbox checkbox radio switch slider spinbutton ColorWell ' +
    'Date DateTime InputTime radiogroup menuitemcheckbox menuitemradio'
  ).split(' '),
);

const GROUPS = new Set(['group', 'radiogroup']);

const isField = (element: Element, tag: string, role: string): boolean =>
  FIELD_ROLES.has(role) ||
  tag === 'select' ||
  (tag === 'input' && inputType(element) === 'file') ||
  isTypable(element) ||
  (role === 'group' && tag === 'fieldset');

/** The role as a page read shows it: an editable element without a role is a textbox. */
export const roleAsRead = (element: Element, tag: string): string =>
  computeRole(element, tag) || textIf(isTypable(element), 'textbox');

const MAX_LABELS = 5;

/**
 * Time limit for computing the names of all controls. Needed for names that are not in text nodes
 * or attributes: style sheets, slots, owned elements.
 */
const MAX_NAMES_MS = 300;

export class Search {
  readonly roles: readonly string[] | undefined;
  readonly query: Matcher | undefined;
  readonly label: Matcher | undefined;
  readonly near: QueryWords | undefined;
  readonly known: NameCache = { generated: new GeneratedContent(), labels: new Labels() };
  /** Matching options by their select element. */
  readonly options = new Map<Element, Element>();
  /** For fields without a label, the text before them. */
  readonly labels = new Map<Element, Element>();
  /** Only `near` is given: every control matches. */
  readonly #placeOnly: boolean;
  #selected: ReadonlySet<Element> | undefined;
  readonly #ranks = new Map<Element, number | undefined>();

  constructor(
    readonly spec: FindSpec,
    readonly roots: readonly Root[],
    readonly patience: FindPatience,
  ) {
    const matcher = (text: string): Matcher =>
      new Matcher(readWords(text), { loose: true, known: this.known });
    this.roles = ifDefined(spec.role, resolveRoles);
    this.query = ifDefined(spec.query, matcher);
    this.label = ifDefined(spec.label, matcher);
    const { selector, testId, query, label, role } = spec;
    this.#placeOnly = listDefined(selector, testId, query, label, role).length === 0;
    this.near = ifDefined(spec.near, readWords);
  }

  /** Returns all matches; equal ranks keep document order. Throws if the selector is invalid. */
  run(): RankedElement[] {
    if (this.near) return this.beside(this.near);
    const found = this.#all(this.candidates());
    if (found.length > 0 || (!this.query && !this.label)) return this.#tidy(found);
    const named = this.#tidy(this.#all(everyControl(this.roots, new FindPatience(MAX_NAMES_MS))));
    return named.length === 0 && this.label ? this.#unlabelled(this.label.words) : named;
  }

  /** Fields without a label that follow a text with these words. */
  #unlabelled(words: QueryWords): RankedElement[] {
    const fits = (element: Element): boolean => this.#meets(element) && !this.query;
    const inside: ElementsInside = (outer) =>
      [...everyControl(this.#scopesIn(outer), this.patience)].filter(fits);
    const anchors = findAnchors(this.roots, words, this.patience).slice(0, MAX_LABELS);
    for (const { element: text } of anchors) {
      const field = findNearest(text, inside);
      if (field) this.labels.set(field, text);
    }
    return [...this.labels.keys()].map((element) => ({ element, rank: [0, RANK.partOfText] }));
  }

  #all(elements: Iterable<Element>): RankedElement[] {
    const found: RankedElement[] = [];
    for (const element of elements) {
      if (!this.patience.left) break;
      const rank = this.rank(element);
      if (rank !== undefined) found.push({ element, rank: [0, rank] });
    }
    return found;
  }

  /** Matches beside the `near` words. */
  beside(near: QueryWords): RankedElement[] {
    const anchors = findAnchors(this.roots, near, this.patience);
    const beside = findNeighbours(anchors, this.inside(), this.patience);
    return this.#tidy(
      beside.map(({ element, level }) => ({ element, rank: [level, this.rank(element) ?? 0] })),
    );
  }

  /** Returns a function that lists the matches inside an element and caches the result. */
  inside(): ElementsInside {
    const known = new Map<Element, readonly Element[]>();
    return (outer) => {
      return getOrCreate(known, outer, () => this.#fittingIn(outer));
    };
  }

  #fittingIn(outer: Element): Element[] {
    const scopes = this.#scopesIn(outer);
    const fits = (element: Element): boolean =>
      this.patience.left &&
      scopes.some((scope) => contains(scope, element)) &&
      this.rank(element) !== undefined;
    return [...new Set([outer, ...this.candidates(scopes)])].filter(fits);
  }

  /** The element and the shadow roots inside it. */
  #scopesIn(outer: Element): SearchScope[] {
    const scopes: SearchScope[] = [outer];
    for (const root of this.roots)
      if (root instanceof ShadowRoot && scopes.some((scope) => contains(scope, root.host)))
        scopes.push(root);
    return scopes;
  }

  /** Candidate elements, found by the most selective criterion. */
  candidates(scopes: readonly SearchScope[] = this.roots): Iterable<Element> {
    const { selector, testId } = this.spec;
    if (selector !== undefined) return selectAll(scopes, selector);
    if (testId !== undefined)
      return selectAll(
        scopes,
        TEST_IDS.map((name) => `[${name}*="${CSS.escape(testId)}" i]`).join(','),
      );
    const words = (this.query ?? this.label)?.words;
    if (words) return this.#named(scopes, words);
    return this.roles ? findByRoles(scopes, this.roles) : everyControl(scopes, this.patience);
  }

  #named(scopes: readonly SearchScope[], words: QueryWords): Set<Element> {
    const candidates = new Candidates(
      this.patience,
      (role) =>
        this.roles?.includes(role) === true || (this.label !== undefined && GROUPS.has(role)),
    );
    for (const scope of scopes) candidates.gather(scope, words);
    return candidates.found;
  }

  /** Rank of an element over all criteria; undefined if it does not match. */
  rank(element: Element): number | undefined {
    if (!this.#ranks.has(element)) this.#ranks.set(element, this.#rank(element));
    return this.#ranks.get(element);
  }

  #rank(element: Element): number | undefined {
    if (!this.#meets(element)) return undefined;
    const { testId } = this.spec;
    const ranks = [
      testId === undefined ? 0 : rankTestId(element, testId),
      this.label ? this.label.rank(element) : 0,
      this.query ? this.query.rank(element) : 0,
    ];
    return ranks.includes(undefined) ? undefined : Math.max(...(ranks as number[]));
  }

  /** Whether the element matches the requested role, selector and field kind. Ignores its name. */
  #meets(element: Element): boolean {
    const { selector } = this.spec;
    const tag = localName(element);
    const role = roleAsRead(element, tag);
    if (this.roles && !this.roles.includes(role)) return false;
    if (selector !== undefined && !this.#isSelected(element, selector)) return false;
    if (this.label && !isField(element, tag, role)) return false;
    return !this.#placeOnly || isControl(element, role);
  }

  #isSelected(element: Element, selector: string): boolean {
    if (isPlainCss(selector)) return matches(element, selector);
    this.#selected ??= new Set(selectAll(this.roots, selector));
    return this.#selected.has(element);
  }

  #tidy(found: readonly RankedElement[]): RankedElement[] {
    const best = found.reduce((least, { rank }) => Math.min(least, rank[1]), Infinity);
    const clear =
      best <= RANK.partOfText ? found.filter(({ rank }) => rank[1] <= RANK.partOfText) : [...found];
    return this.query || this.label
      ? removeEchoes(this.roles ? clear : this.#listsOf(clear))
      : clear;
  }

  /** Replaces a matching option by its select, because actions need the select. */
  #listsOf(found: readonly RankedElement[]): RankedElement[] {
    return found.map((one) => {
      const list = localName(one.element) === 'option' ? closest(one.element, 'select') : null;
      if (!list) return one;
      this.options.set(list, one.element);
      return { ...one, element: list };
    });
  }
}

const rankTestId = (element: Element, testId: string): number | undefined => {
  const ids = TEST_IDS.flatMap((name) =>
    listIf(hasAttribute(element, name), attributeText(element, name)),
  );
  if (ids.includes(testId)) return RANK.name;
  const wanted = fold(testId);
  if (ids.some((id) => fold(id) === wanted)) return RANK.attribute;
  return valueIf(
    ids.some((id) => fold(id).includes(wanted)),
    RANK.letters,
  );
};

/** Removes texts inside a label whose control also matches, and of nested matches the worse one. */
const removeEchoes = (found: readonly RankedElement[]): RankedElement[] => {
  const ranks = new Map<Element, number>();
  for (const { element, rank } of found)
    ranks.set(element, Math.min(rank[1], ranks.get(element) ?? Infinity));
  const echoes = new Set<Element>();
  for (const [element, rank] of ranks) {
    const labelled = closest(element, 'label') as HTMLLabelElement | null;
    if (labelled?.control && labelled.control !== element && ranks.has(labelled.control))
      echoes.add(element);
    for (let outer = composedParent(element); outer; outer = composedParent(outer)) {
      const outerRank = ranks.get(outer);
      if (outerRank === undefined) continue;
      const isOuterBetter = (isText(rank) && !isText(outerRank)) || rank > outerRank;
      echoes.add(isOuterBetter ? element : outer);
    }
  }
  const kept = new Set<Element>();
  return found.filter(
    ({ element }) => !echoes.has(element) && !kept.has(element) && kept.add(element),
  );
};

const TEXT_RANKS = new Set<number>([RANK.text, RANK.partOfText, RANK.wordsOfText]);
const isText = (rank: number): boolean => TEXT_RANKS.has(rank);

/**
 * Selectors of elements that have or may have a role. Roles that are not listed here are only set
 * by the role attribute.
 */
const TAGS = createLookupTable<string>({
  article: 'article',
  banner: 'header',
  blockquote: 'blockquote',
  button: 'button,input,summary',
  caption: 'caption',
  cell: 'td',
  checkbox: 'input',
  code: 'code',
  columnheader: 'th',
  combobox: 'input,select',
  complementary: 'aside',
  contentinfo: 'footer',
  definition: 'dd',
  deletion: 'del,s',
  dialog: 'dialog',
  emphasis: 'em',
  figure: 'figure',
  form: 'form',
  gridcell: 'td',
  group: 'fieldset,details,address,hgroup,optgroup,g,foreignObject',
  heading: 'h1,h2,h3,h4,h5,h6',
  img: 'img,svg,image',
  insertion: 'ins',
  link: 'a,area',
  list: 'ul,ol,menu,dir',
  listbox: 'select,datalist',
  listitem: 'li',
  main: 'main',
  mark: 'mark',
  math: 'math',
  meter: 'meter',
  navigation: 'nav',
  option: 'option',
  paragraph: 'p',
  progressbar: 'progress',
  radio: 'input',
  region: 'section',
  row: 'tr',
  rowgroup: 'tbody,thead,tfoot',
  rowheader: 'th',
  search: 'search',
  sectionfooter: 'footer',
  sectionheader: 'header',
  searchbox: 'input',
  separator: 'hr',
  slider: 'input',
  spinbutton: 'input',
  status: 'output',
  strong: 'strong',
  table: 'table',
  term: 'dt,dfn',
  textbox: 'input,textarea,[contenteditable]',
  time: 'time',
  ColorWell: 'input',
  Date: 'input',
  DateTime: 'input',
  DisclosureTriangle: 'summary',
  InputTime: 'input',
});

const CANONICAL = new Map(Object.keys(TAGS).map((role) => [role.toLowerCase(), role]));

/** Resolves a role or a common word to roles. */
const resolveRoles = (role: string): readonly string[] => {
  const word = role.trim().toLowerCase();
  if (Object.hasOwn(ROLE_WORDS, word)) return ROLE_WORDS[word] ?? [];
  return [CANONICAL.get(word) ?? word];
};

export const findByRoles = function* (
  scopes: readonly SearchScope[],
  roles: readonly string[],
): Generator<Element> {
  const selector = [
    ...new Set([...roles.flatMap((role) => listDefined(TAGS[role])), '[role]']),
  ].join(',');
  for (const scope of scopes) yield* queryAll(scope, selector);
};
