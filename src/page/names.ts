// Computes accessible names (accname and HTML-AAM), with the same results as Chrome.
import { createLookupTable, defined, getOrCreate, ifDefined, listIf, valueIf } from './objects.ts';
import {
  attribute,
  attributeText,
  byIds,
  closest,
  firstChild,
  firstElementChild,
  getData,
  hasAttribute,
  isAria,
  isElement,
  isText,
  localName,
  nextElementSibling,
  nextSibling,
  queryAll,
} from './safe-dom.ts';
import {
  HAS_ACTIONS,
  HAS_ARIA_HIDDEN,
  HAS_INERT,
  HAS_LABEL,
  HAS_LABELLEDBY,
  HAS_OWNS,
  HAS_ROLE,
  HAS_TITLE,
  readFlags,
} from './attribute-flags.ts';
import { inputType, NAMED_BY_CONTENT, computeRole } from './roles.ts';
import { eachFlatChild, getShadowRoot } from './shadow.ts';
import { type Labels, ElementOwners } from './element-relations.ts';
import { type GeneratedContent, buildStyleKey, getStyle } from './style.ts';
import { isBlank, oneLine, textIf } from './visible-text.ts';
import { rangeValue, selectedText } from './element-values.ts';
import { TEXT_FIELD_TAGS, TEXTBOX_ROLES, BOXLESS_DISPLAYS } from './element-kinds.ts';

const SHORT_TAGS = new Set<string>(['label', 'abbr']);
const FLOATING_POSITIONS = new Set<string>(['absolute', 'fixed']);

/** A name and its origin. The text of `sources` is part of the name and is not written again. */
export interface Name {
  readonly text: string;
  readonly from:
    | 'none'
    | 'labelledby'
    | 'label'
    | 'aria-label'
    | 'content'
    | 'native'
    | 'title'
    | 'placeholder';
  readonly sources?: readonly Element[];
}

const NOTHING: Name = { text: '', from: 'none' };

/** Longer names are cut, because a page can put any amount of text into one. */
const MAX_NAME_CHARS = 4000;
const MAX_NAME_DEPTH = 100;

/** Caches that are shared by all names of one walk. */
export interface NameCache {
  readonly generated: GeneratedContent;
  readonly labels: Labels;
}

interface Traversal {
  readonly known: NameCache;
  /** Elements of this tree that aria-owns moves, with their owners. */
  readonly owners: ReadonlyMap<Element, Element>;
  readonly visited: Set<Element>;
  /** Inside an element that labels another one. */
  readonly labelling: boolean;
  /** The label itself is hidden, so hidden elements inside it count. */
  readonly hiddenCounts: boolean;
  /** Characters and nesting so far; both are limited because of hostile pages. */
  size: number;
  depth: number;
}

const startTraversal = (
  known: NameCache,
  element: Element,
  visited: readonly Element[],
  source?: Element,
): Traversal => ({
  known,
  owners: findOwners(known, element),
  visited: new Set(visited),
  labelling: source !== undefined,
  hiddenCounts: source !== undefined && isUnseen(source),
  size: 0,
  depth: 0,
});

/** Kept for one walk, like the other caches in NameCache. */
const ownersByWalk = new WeakMap<NameCache, ElementOwners>();

const findOwners = (known: NameCache, element: Element): ReadonlyMap<Element, Element> =>
  getOrCreate(ownersByWalk, known, () => new ElementOwners()).inTreeOf(element);

export const computeName = (
  element: Element,
  tag: string,
  role: string,
  known: NameCache,
  flags = readFlags(element),
): Name => {
  if (flags & HAS_LABELLEDBY) {
    const sources = byIds(element, 'aria-labelledby');
    const text = oneLine(sources.map((source) => labelText(source, element, known)).join(' '));
    if (text !== '') return { text, from: 'labelledby', sources };
  }
  const label = flags & HAS_LABEL ? oneLine(attributeText(element, 'aria-label')) : '';
  if (label !== '') return { text: label, from: 'aria-label' };
  const key = buildStyleKey(element, tag, flags);
  const replaced = known.generated.replacement(element, key);
  if (replaced !== undefined) return { text: oneLine(replaced), from: 'native' };
  const native = nativeName(element, tag, known);
  // An empty alt attribute marks a decoration: Chrome ignores its title.
  if (tag === 'img' && native.text === '' && native.from === 'native') return NOTHING;
  // Chrome takes an empty label as an empty name and ignores other sources.
  if (native.text !== '' || native.from === 'label') return native;
  if (NAMED_BY_CONTENT.has(role)) {
    const text = contentName(element, known, tag, flags, key);
    if (text !== '') return { text, from: 'content' };
  }
  const title = flags & HAS_TITLE ? oneLine(attributeText(element, 'title')) : '';
  if (title !== '') return { text: title, from: 'title' };
  const placeholder = oneLine(readPlaceholder(element, tag, role));
  return placeholder === '' ? NOTHING : { text: placeholder, from: 'placeholder' };
};

const WITH_PLACEHOLDER = new Set(['text', 'search', 'url', 'tel', 'email', 'password', 'number']);

export const readPlaceholder = (
  element: Element,
  tag: string,
  role = computeRole(element, tag),
): string => {
  if (!TEXT_FIELD_TAGS.has(tag) && !TEXTBOX_ROLES.has(role)) return '';
  const native =
    tag === 'textarea' || (tag === 'input' && WITH_PLACEHOLDER.has(inputType(element)));
  if (native && hasAttribute(element, 'placeholder')) return attributeText(element, 'placeholder');
  return textIf(native || TEXTBOX_ROLES.has(role), attributeText(element, 'aria-placeholder'));
};

/** The name that the content of an element gives. */
export const contentName = (
  element: Element,
  known: NameCache,
  tag = localName(element),
  flags = readFlags(element),
  key = buildStyleKey(element, tag, flags),
): string => {
  // Fast path: most elements contain text only.
  if (
    !firstElementChild(element) &&
    !getShadowRoot(element) &&
    tag !== 'slot' &&
    !(flags & HAS_OWNS)
  )
    return textName(element, known, key);
  const traversal = startTraversal(known, element, [element]);
  return oneLine(contentText(element, tag, '', flags, traversal, key).text);
};

const textName = (element: Element, known: NameCache, key: string): string => {
  const around = known.generated.around(element, key);
  let text = '';
  for (
    let child = firstChild(element);
    child && text.length < MAX_NAME_CHARS;
    child = nextSibling(child)
  )
    if (isText(child)) text += getData(child);
  const name = text.slice(0, MAX_NAME_CHARS);
  return oneLine(around ? around[0] + name + around[1] : name);
};

/** A submenu of a tree item or menu item is not part of the item's name. */
const SUBMENUS = new Set(['group', 'menu', 'tree']);
const opensFrom = (child: Element, flags: number, parent: Element = child): boolean =>
  (flags & HAS_ROLE) !== 0 &&
  SUBMENUS.has(attributeText(child, 'role')) &&
  closest(parent, '[role=treeitem],[role^=menuitem]') !== null;

/** The text of an element that labels another one. */
const labelText = (source: Element, labelled: Element, known: NameCache): string => {
  const traversal = startTraversal(known, source, listIf(source !== labelled, labelled), source);
  return textAlternative(source, localName(source), traversal, source !== labelled).text;
};

/** The text of a label element; '' if the label is hidden. */
const ownLabelText = (label: Element, control: Element, known: NameCache): string =>
  isUnseen(label) ? '' : labelText(label, control, known);

const isUnseen = (element: Element): boolean =>
  !element.checkVisibility({ visibilityProperty: true }) || isAria(element, 'aria-hidden');

/** The text that one element contributes to the name of another. */
interface NamePiece {
  readonly text: string;
  /** A gap separates it from its neighbours: it is a box, or its name is not its text. */
  readonly apart: boolean;
  /** A gap is before its first or after its last piece. */
  readonly startsApart: boolean;
  readonly endsApart: boolean;
  /** It is a block or starts with one. */
  readonly startsBlock: boolean;
}

const inFlow = (text: string): NamePiece => ({
  text,
  apart: false,
  startsApart: false,
  endsApart: false,
  startsBlock: false,
});

const apart = (text: string, startsBlock = false): NamePiece => ({
  text,
  apart: true,
  startsApart: true,
  endsApart: true,
  startsBlock,
});

const SILENCE = inFlow('');

/** Joins pieces, with a space where Chrome has a gap between them. */
class Pieces {
  text = '';
  #startsApart = false;
  #endsApart = false;
  #startsBlock = false;
  #isEmpty = true;
  #containsBlock = false;

  add(piece: NamePiece): void {
    if (piece.text === '' && !piece.apart) return;
    if (!piece.apart && isBlank(piece.text)) return void (this.text += piece.text);
    if (piece.startsApart || this.#endsApart)
      this.text += this.text === '' ? piece.text : ` ${piece.text}`;
    // The space before a block is dropped, because the line ends there.
    else this.text = (piece.startsBlock ? this.text.trimEnd() : this.text) + piece.text;
    if (this.#isEmpty) {
      this.#isEmpty = false;
      this.#startsApart = piece.startsApart;
      this.#startsBlock = piece.startsBlock;
    }
    this.#endsApart = piece.endsApart;
    this.#containsBlock ||= piece.startsBlock;
  }

  /** All pieces as one; `transparent` if the element around them has no role of its own. */
  whole(transparent: boolean): NamePiece {
    return {
      text: this.text,
      apart: false,
      startsApart: transparent && this.#startsApart,
      endsApart: transparent ? this.#endsApart : this.#containsBlock,
      startsBlock: !transparent && this.#startsBlock,
    };
  }
}

const textAlternative = (
  element: Element,
  tag: string,
  traversal: Traversal,
  valueCounts = true,
  flags = readFlags(element),
): NamePiece => {
  if (
    traversal.visited.has(element) ||
    traversal.size > MAX_NAME_CHARS ||
    traversal.depth > MAX_NAME_DEPTH
  )
    return SILENCE;
  traversal.visited.add(element);
  const role = computeRole(element, tag, flags);
  if (flags & HAS_LABELLEDBY && !traversal.labelling) {
    const sources = byIds(element, 'aria-labelledby');
    const text = sources.map((source) => labelText(source, element, traversal.known)).join(' ');
    // A label that was used is not read again if it is part of the content.
    for (const source of sources) traversal.visited.add(source);
    if (!isBlank(text)) return apart(text);
  }
  const value = valueCounts ? embeddedValue(element, tag, role, traversal) : undefined;
  if (value !== undefined) return apart(value);
  // Chrome has no accessibility object for a slot, so it has no name.
  const label = flags & HAS_LABEL && tag !== 'slot' ? attributeText(element, 'aria-label') : '';
  if (!isBlank(label)) return apart(label);
  const key = buildStyleKey(element, tag, flags);
  const replaced = traversal.known.generated.replacement(element, key);
  if (replaced !== undefined) return apart(replaced);
  const native = nativeText(element, tag, traversal);
  if (native !== undefined) return native === '' ? SILENCE : apart(native);
  const content = contentText(element, tag, role, flags, traversal, key);
  if (!isBlank(content.text)) return content;
  const title = flags & HAS_TITLE ? attributeText(element, 'title') : '';
  if (!isBlank(title)) return apart(title);
  return role === 'img' ? apart(content.text) : inFlow(content.text);
};

/** A control inside a label contributes its value, not its name. */
const embeddedValue = (
  element: Element,
  tag: string,
  role: string,
  traversal: Traversal,
): string | undefined => EMBEDDED_VALUES[role]?.(element, tag, traversal);

const boxValue = (element: Element, tag: string): string =>
  TEXT_FIELD_TAGS.has(tag)
    ? fieldValue(element as HTMLInputElement)
    : element.textContent.slice(0, MAX_NAME_CHARS);

const comboboxValue = (element: Element, tag: string, traversal: Traversal): string | undefined => {
  if (tag === 'select') return selectedText(element as HTMLSelectElement, ' ');
  if (tag === 'input') return fieldValue(element as HTMLInputElement);
  return traversal.labelling
    ? contentText(element, tag, 'combobox', readFlags(element), traversal).text
    : undefined;
};

const EMBEDDED_VALUES = createLookupTable<
  (element: Element, tag: string, traversal: Traversal) => string | undefined
>({
  textbox: boxValue,
  searchbox: boxValue,
  combobox: comboboxValue,
  listbox: (element, tag, traversal) =>
    tag === 'select'
      ? selectedText(element as HTMLSelectElement, ' ')
      : selectedOptions(element, traversal),
  slider: rangeValue,
  spinbutton: rangeValue,
  progressbar: rangeValue,
  meter: rangeValue,
  scrollbar: rangeValue,
});

/** The value of a field; of a password only its length. */
const fieldValue = (field: HTMLInputElement): string =>
  inputType(field) === 'password'
    ? '•'.repeat(Math.min(field.value.length, MAX_BULLETS))
    : field.value;
const MAX_BULLETS = 20;

const selectedOptions = (listbox: Element, traversal: Traversal): string =>
  [...queryAll(listbox, '[role=option][aria-selected=true]')]
    .map((option) => textAlternative(option, localName(option), traversal).text)
    .join(' ');

const contentText = (
  element: Element,
  tag: string,
  role: string,
  flags: number,
  traversal: Traversal,
  key = buildStyleKey(element, tag, flags),
): NamePiece => {
  const pieces = new Pieces();
  const around = traversal.known.generated.around(element, key);
  if (around) pieces.add(inFlow(around[0]));
  const closed = tag === 'details' && !(element as HTMLDetailsElement).open;
  if (flags & HAS_ACTIONS)
    for (const action of byIds(element, 'aria-actions')) traversal.visited.add(action);
  traversal.depth++;
  eachFlatChild(element, (child) => {
    if (traversal.size > MAX_NAME_CHARS) return;
    if (closed && !(isElement(child) && localName(child) === 'summary')) return;
    if (isText(child)) pieces.add(textPiece(child, traversal));
    else if (isElement(child) && !traversal.owners.has(child))
      pieces.add(childText(child, traversal));
  });
  if (flags & HAS_OWNS) addOwned(element, pieces, traversal);
  traversal.depth--;
  if (around) pieces.add(inFlow(around[1]));
  return pieces.whole(around === undefined && isTransparent(tag, role, flags));
};

/** Adds the elements that aria-owns makes children of this one. */
const addOwned = (owner: Element, pieces: Pieces, traversal: Traversal): void => {
  for (const owned of byIds(owner, 'aria-owns'))
    if (traversal.owners.get(owned) === owner && !opensFrom(owned, readFlags(owned), owner))
      pieces.add(apart(childText(owned, traversal).text));
};

/** Whether Chrome ignores the element itself when it computes a name from content. */
const isTransparent = (tag: string, role: string, flags: number): boolean =>
  role === '' && !SHORT_TAGS.has(tag) && !(flags & HAS_TITLE);

const textPiece = (node: Text, traversal: Traversal): NamePiece => {
  const data = getData(node).slice(0, MAX_NAME_CHARS);
  traversal.size += data.length;
  return inFlow(data);
};

/** Display values that start a new line. */
const BLOCKS = new Set(['block', 'flex', 'grid', 'table', 'list-item', 'flow-root']);
const SILENT = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'head',
  'title',
  'desc',
  'defs',
  'datalist',
  'rt',
  'rp',
]);

const childText = (child: Element, traversal: Traversal): NamePiece => {
  const tag = localName(child);
  if (tag === 'br') return inFlow(' ');
  if (SILENT.has(tag)) return SILENCE;
  const flags = readFlags(child);
  if (opensFrom(child, flags)) return SILENCE;
  const style = getStyle(child);
  const { display } = style;
  if (!traversal.hiddenCounts && isHidden(child, style, display, flags)) {
    // An element with visibility: hidden may contain visible elements.
    const mayHaveVisible =
      display !== 'none' && style.visibility !== 'visible' && !isAria(child, 'aria-hidden');
    return mayHaveVisible ? visibleInside(child, traversal) : SILENCE;
  }
  if (flags !== 0 && display !== 'inline' && style.contentVisibility === 'hidden') return apart('');
  const piece = textAlternative(child, tag, traversal, true, flags);
  const flows =
    (display === 'inline' && tag !== 'canvas') ||
    display === 'ruby' ||
    (piece.text === '' && tag === 'img');
  if (piece.apart || flows) return piece;
  return apart(
    piece.text,
    BLOCKS.has(display) && style.float === 'none' && !FLOATING_POSITIONS.has(style.position),
  );
};

const isHidden = (
  element: Element,
  style: CSSStyleDeclaration,
  display: string,
  flags: number,
): boolean =>
  BOXLESS_DISPLAYS.has(display) ||
  style.visibility !== 'visible' ||
  (flags & HAS_INERT) !== 0 ||
  ((flags & HAS_ARIA_HIDDEN) !== 0 && isAria(element, 'aria-hidden'));

const visibleInside = (element: Element, traversal: Traversal): NamePiece => {
  const pieces = new Pieces();
  eachFlatChild(element, (child) => {
    if (isElement(child)) pieces.add(childText(child, traversal));
  });
  return pieces.whole(true);
};

/** The name from HTML labels, captions and attributes, with its sources; '' if there is none. */
const nativeName = (element: Element, tag: string, known: NameCache): Name => {
  const labels = LABELABLE.has(tag) ? known.labels.of(element) : undefined;
  if (labels) {
    const text = oneLine(labels.map((label) => ownLabelText(label, element, known)).join(' '));
    return { text, from: 'label', sources: labels };
  }
  if (!WITH_NATIVE_TEXT.has(tag) && !(element instanceof SVGElement)) return NOTHING;
  const traversal = startTraversal(known, element, [element]);
  const text = nativeText(element, tag, traversal);
  if (text === undefined) return NOTHING;
  const source = findCaption(element, tag);
  return defined({ text: oneLine(text), from: 'native', sources: source ? [source] : undefined });
};

const LABELABLE = new Set(['input', 'select', 'textarea', 'button', 'meter', 'output', 'progress']);

const CAPTION_TAGS = createLookupTable<string>({ fieldset: 'legend', table: 'caption' });

/** The child that names its parent: legend or caption. */
const findCaption = (element: Element, tag: string): Element | undefined =>
  ifDefined(CAPTION_TAGS[tag], (wanted) => findChild(element, wanted));

const findChild = (element: Element, tag: string): Element | undefined => {
  for (let child = firstElementChild(element); child; child = nextElementSibling(child))
    if (localName(child) === tag) return child;
  return undefined;
};

/** Tags with a native name. Of all other elements, only SVG elements have one (their title). */
const WITH_NATIVE_TEXT = new Set(['input', 'img', 'area', 'svg', 'fieldset', 'table', 'optgroup']);

/** The text that HTML defines apart from the content, such as alt; undefined if there is none. */
const nativeText = (element: Element, tag: string, traversal: Traversal): string | undefined => {
  const readText = NATIVE_TEXTS[tag];
  if (readText) return readText(element, tag, traversal);
  return element instanceof SVGElement ? svgTitle(element) : undefined;
};

const alternativeText = (element: Element): string | undefined =>
  attribute(element, 'alt') ?? undefined;

const captionText = (element: Element, tag: string, traversal: Traversal): string | undefined => {
  const caption = findCaption(element, tag);
  if (caption) return textAlternative(caption, localName(caption), traversal).text;
  return attribute(element, 'summary') ?? undefined;
};

const NATIVE_TEXTS = createLookupTable<
  (element: Element, tag: string, traversal: Traversal) => string | undefined
>({
  input: (element) => INPUT_TEXTS[inputType(element)]?.(element as HTMLInputElement),
  img: alternativeText,
  area: alternativeText,
  svg: (element) => svgTitle(element) ?? (element.getAttribute('role') === 'img' ? '' : undefined),
  optgroup: (element) => attribute(element, 'label') ?? undefined,
  fieldset: captionText,
  table: captionText,
});

const buttonText = (input: HTMLInputElement, usual: string): string | undefined =>
  input.value || valueIf(!hasAttribute(input, 'value'), usual);

const INPUT_TEXTS = createLookupTable<(input: HTMLInputElement) => string | undefined>({
  button: (input) => input.value || undefined,
  submit: (input) => buttonText(input, 'Submit'),
  reset: (input) => buttonText(input, 'Reset'),
  file: (input) => (input.multiple ? 'Choose Files' : 'Choose File'),
  image: (input) => attribute(input, 'alt') || input.value || attribute(input, 'title') || 'Submit',
});

/** The title child of an SVG element, else its xlink:title attribute. */
const svgTitle = (element: Element): string | undefined =>
  findChild(element, 'title')?.textContent ?? attribute(element, 'xlink:title') ?? undefined;
