// Walks the flattened tree: skips hidden nodes and passes each visible element to its writer.
import {
  byIds,
  contains,
  getData,
  firstChild,
  isAria,
  isElement,
  localName,
  nextSibling,
  nodeType,
  queryAll,
  getRoot,
  type Root,
} from './safe-dom.ts';
import { assignId } from './state.ts';
import { isTypable } from './element-kinds.ts';
import { findOwners, Labels } from './element-relations.ts';
import type { NameCache } from './names.ts';
import { type OutputLine, Output } from './line-output.ts';
import type { WalkOptions } from './walk-record.ts';
import {
  HAS_ARIA_HIDDEN,
  HAS_EDITABLE,
  HAS_INERT,
  HAS_OWNS,
  readFlags,
} from './attribute-flags.ts';
import { CONTROL_ROLES, computeRole } from './roles.ts';
import { activeInTrees, getAssignedNodes, eachFlatChild, getShadowRoot } from './shadow.ts';
import { GeneratedContent, isInline, getStyle, buildStyleKey } from './style.ts';
import { suspect, suspectHost } from './closed-root-suspects.ts';
import type { Covered, RowCells } from './tables.ts';
import { writeArea, isArea, writeControl, writeLabel } from './control-lines.ts';
import { writeLabelledImage, writeMedium } from './media-lines.ts';
import { writeStructure } from './structure-lines.ts';
import { isBlank } from './visible-text.ts';

/** Elements that are never shown, even if a style sheet displays them. */
const SKIPPED = new Set(
  (
    'script style noscript template head meta link title base param source track datalist map ' +
    'area option optgroup'
  ).split(' '),
);
/** Elements that stay in the line even if a flex or grid container makes them blocks. */
const INLINE_TAGS = new Set(
  (
    'span b i em strong small time abbr code sub sup u s q cite bdi bdo font data kbd var samp ' +
    'mark'
  ).split(' '),
);
/** Display values that make blocks of the children. */
const FLEXIBLE = new Set(['flex', 'inline-flex', 'grid', 'inline-grid']);
const MEDIA_TAGS = new Set([
  'img',
  'svg',
  'iframe',
  'frame',
  'object',
  'embed',
  'fencedframe',
  'canvas',
  'video',
  'audio',
]);
/** Deeper than parsers nest, and small enough for the stack. */
const MAX_DEPTH = 400;
const CHECK_EVERY = 512;
const MAX_TEXT_NODE_CHARS = 1_000_000;
const MAX_CHARS = 8_000_000;
const MAX_MS = 5000;
const FOCUSABLE = 'a[href],button,input:not([type=hidden]),select,textarea,[tabindex]';

const ELEMENT = 1;
const TEXT = 3;
const SHADOW_ROOT = 11;

/** A visible element with the facts that all writers need. */
export interface VisibleElement {
  readonly element: Element;
  readonly tag: string;
  readonly role: string;
  readonly style: CSSStyleDeclaration;
  readonly display: string;
  /** The flags of its attributes; 0 if it has none. */
  readonly flags: number;
  /** `cursor: pointer` on this element or an ancestor; `handAround`: on an ancestor. */
  readonly hand: boolean;
  readonly handAround: boolean;
}

const isTabStop = (element: Element): boolean => (element as HTMLElement).tabIndex >= 0;

export class Walker {
  readonly out: Output;
  readonly known: NameCache = { generated: new GeneratedContent(), labels: new Labels() };
  readonly options: WalkOptions;
  /** The focused element. */
  readonly active = activeInTrees();
  /** The elements of all control lines, in order. */
  readonly controls: Element[] = [];
  /** Above 0: inside a control or clickable area. */
  clickable = 0;
  /** The row whose cells are being written. */
  row: RowCells | undefined;
  readonly covered = new Map<Node, Covered>();
  /** The line range of the modal dialog that makes everything else inert. */
  modal: readonly [from: number, to: number] | undefined;
  /** Content of a shadow root was walked. */
  hasShadowRoots = false;
  /** A dialog is open, modal or not. */
  hasDialog = false;
  /** Elements that are inert or aria-hidden. */
  readonly outOfReach: Element[] = [];
  /** The walk reached a limit before the end of the page. */
  stopped = false;
  /** Elements that aria-owns moves to another parent. */
  readonly #owned = new Map<Element, Element>();
  /** Owned elements that were walked below their owner. */
  readonly #moved = new Set<Element>();
  /** Elements that label others, with the lines that they produced. */
  readonly #labels = new Map<Element, OutputLine[]>();
  /** Labels whose text was written as a name. */
  readonly #writtenLabels = new Set<Element>();
  readonly #endsAt: number;
  readonly #maxElements: number;
  #named: Element | undefined;
  #count = 0;
  #level = 0;

  constructor(options: WalkOptions) {
    const { maxChars = MAX_CHARS, maxMs = MAX_MS, maxElements = Infinity } = options;
    this.options = options;
    this.out = new Output(maxChars);
    this.#endsAt = performance.now() + maxMs;
    this.#maxElements = maxElements;
  }

  /** Collects owners and labels of a tree; call it before the tree is walked. */
  prepare(root: Root): void {
    if (nodeType(root) === SHADOW_ROOT) this.#own(findOwners(root));
    for (const labelled of queryAll(root, '[aria-labelledby]'))
      for (const label of byIds(labelled, 'aria-labelledby')) this.#labels.set(label, []);
  }

  #own(owners: ReadonlyMap<Element, Element>): void {
    for (const [owned, owner] of owners) this.#owned.set(owned, owner);
  }

  /** Walks from this element; the element itself is shown even if it is inert or aria-hidden. */
  start(element: Element, handAround: boolean): void {
    this.#named = element;
    this.#own(findOwners(getRoot(element) as Root, (owner) => contains(element, owner)));
    try {
      this.element(element, element, handAround, false);
      this.#leftBehind(element, handAround);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.stopped = true; // stack overflow: the lines so far are still a valid result
    }
    this.out.flush();
  }

  /** Walks the children of an element in the flattened tree. */
  children({ element, tag, display, flags, hand }: VisibleElement): void {
    const flexible = FLEXIBLE.has(display);
    const root = getShadowRoot(element);
    if (root) {
      this.hasShadowRoots = true;
      this.prepare(root);
    }
    const assigned = tag === 'slot' ? getAssignedNodes(element) : undefined;
    if (assigned) for (const child of assigned) this.#node(child, element, hand, flexible);
    else
      for (let child = firstChild(root ?? element); child; child = nextSibling(child))
        this.#node(child, element, hand, flexible);
    if (flags & HAS_OWNS) this.ownedBy({ element, hand });
  }

  /** Walks the elements elsewhere in the document that aria-owns makes children of this one. */
  ownedBy({ element, hand }: Pick<VisibleElement, 'element' | 'hand'>): void {
    for (const owned of byIds(element, 'aria-owns'))
      if (this.#owned.get(owned) === element) this.#moveHere(owned, element, hand);
  }

  #moveHere(owned: Element, owner: Element, hand: boolean): void {
    if (this.#moved.has(owned)) return;
    this.#moved.add(owned);
    this.#owned.delete(owned);
    this.#node(owned, owner, hand, false);
    this.#owned.set(owned, owner);
  }

  /**
   * Walks owned elements last whose owner shows no children (an image, a gauge), so that none is
   * lost.
   */
  #leftBehind(start: Element, hand: boolean): void {
    for (const [owned, owner] of [...this.#owned])
      if (contains(start, owned)) this.#moveHere(owned, owner, hand);
  }

  #node(node: Node, parent: Element, hand: boolean, flexible: boolean): void {
    const type = nodeType(node);
    if (type === TEXT) this.#text(node as Text);
    else if (type === ELEMENT) this.element(node as Element, parent, hand, flexible);
  }

  #text(node: Text): void {
    const { out } = this;
    if (out.muted > 0) return;
    const whole = getData(node);
    const data = whole.slice(0, MAX_TEXT_NODE_CHARS);
    if (out.preformatted === 0 && isBlank(data)) out.space();
    else out.text(data);
  }

  /** Counts an element; false if a limit of size or time is reached. */
  #goesOn(): boolean {
    if (this.stopped) return false;
    this.#count++;
    this.stopped =
      this.#count > this.#maxElements || (this.#count % CHECK_EVERY === 0 && this.#isOverLimit());
    return !this.stopped;
  }

  #isOverLimit(): boolean {
    return performance.now() > this.#endsAt || this.out.full;
  }

  element(element: Element, parent: Element, handAround: boolean, flexible: boolean): void {
    const tag = localName(element);
    if (SKIPPED.has(tag) || !this.#goesOn()) return;
    if (this.#owned.size > 0 && this.#owned.has(element)) return;
    const style = getStyle(element);
    const { display } = style;
    if (display === 'none') return;
    if (display === '') return suspectHost(parent);
    const flags = readFlags(element);
    const isAside = (flags & (HAS_INERT | HAS_ARIA_HIDDEN)) !== 0;
    if (isAside && element !== this.#named && this.#isSetAside(element, flags))
      return void this.outOfReach.push(element);
    if (this.#level >= MAX_DEPTH)
      return void this.out.push('note', { role: '(content nested too deeply to be read)' });
    this.#level++;
    if (style.visibility === 'visible')
      this.#flow(element, tag, style, display, flags, handAround, flexible);
    else this.#invisible(element, handAround);
    this.#level--;
  }

  /**
   * Whether the element is inert or aria-hidden. An aria-hidden element with focusable elements
   * gets a line with their number.
   */
  #isSetAside(element: Element, flags: number): boolean {
    if (flags & HAS_INERT) return true;
    if (!isAria(element, 'aria-hidden')) return false;
    const inside = [...queryAll(element, FOCUSABLE)].filter(
      (inner) => isTabStop(inner) && inner.checkVisibility({ visibilityProperty: true }),
    );
    const count = inside.length + Number(isTabStop(element));
    if (count === 0) return true;
    this.out.flush();
    this.out.push('group', {
      id: assignId(element),
      role: 'aria-hidden',
      states: `${count} ${count === 1 ? 'control' : 'controls'}`,
    });
    return true;
  }

  /** Writes an element; blocks start a new line and end it. */
  #flow(
    element: Element,
    tag: string,
    style: CSSStyleDeclaration,
    display: string,
    flags: number,
    handAround: boolean,
    flexible: boolean,
  ): void {
    const { out } = this;
    if (tag === 'br') return out.preformatted ? out.text('\n') : out.flush();
    const hand = handAround || style.cursor === 'pointer';
    const role = computeRole(element, tag, flags);
    const shown: VisibleElement = { element, tag, role, style, display, flags, hand, handAround };
    if (isInline(display)) return this.#write(shown);
    const inLine = display === 'inline-block' || (flexible && INLINE_TAGS.has(tag));
    out.separate(inLine);
    this.#write(shown);
    out.separate(inLine);
  }

  #invisible(element: Element, handAround: boolean): void {
    const { out } = this;
    out.muted++;
    eachFlatChild(element, (child) => {
      if (!isElement(child)) return;
      const { muted } = out;
      // Visible descendants of an invisible element are written.
      if (getStyle(child).visibility === 'visible') out.muted = 0;
      this.element(child, element, handAround, false);
      out.muted = muted;
    });
    out.muted--;
  }

  /** Passes an element to the writer of its kind. */
  #write(shown: VisibleElement): void {
    const { element, tag, role, flags } = shown;
    if (CONTROL_ROLES.has(role)) return writeControl(this, shown, role);
    if (MEDIA_TAGS.has(tag)) return writeMedium(this, shown);
    if (role === 'img' && writeLabelledImage(this, shown)) return;
    if (tag === 'label') return writeLabel(this, shown);
    if (flags & HAS_EDITABLE && isTypable(element)) return writeControl(this, shown, 'textbox');
    if (isArea(this, shown)) return writeArea(this, shown);
    writeStructure(this, shown);
  }

  /** Writes the content of an element that gets no line itself. */
  inside(shown: VisibleElement): void {
    const { element, tag, style, display, flags } = shown;
    const { out } = this;
    if (!isInline(display) && flags !== 0 && style.contentVisibility === 'hidden') return;
    const first = firstChild(element);
    suspect(element, tag, first);
    const labels = this.#labels.get(element);
    const around = flags === 0 ? undefined : this.#wordsAround(shown, first);
    if (tag === 'pre') out.preformatted++;
    if (around) out.text(around[0]);
    if (labels) this.#insideLabel(shown, labels);
    else this.children(shown);
    if (around) out.text(around[1]);
    if (tag === 'pre') {
      out.flush();
      out.preformatted--;
    }
  }

  /**
   * Visible ::before and ::after words. Reading them is slow, so only elements that start with text
   * are checked.
   */
  #wordsAround(
    { element, tag, flags }: VisibleElement,
    first: Node | null,
  ): readonly [before: string, after: string] | undefined {
    if (!first || this.out.muted > 0) return undefined;
    return nodeType(first) === TEXT && !isBlank(getData(first))
      ? this.known.generated.wordsAround(element, buildStyleKey(element, tag, flags))
      : undefined;
  }

  /**
   * Records which lines are the text of a label, so that they are removed if it names a control.
   */
  #insideLabel(shown: VisibleElement, lines: OutputLine[]): void {
    const { out } = this;
    const from = out.mark();
    const wasWritten = this.#writtenLabels.has(shown.element);
    if (wasWritten) out.muted++;
    this.children(shown);
    out.flush();
    if (wasWritten) out.muted--;
    // A control inside the label may have used it as its name in the meantime.
    const isWritten = this.#writtenLabels.has(shown.element);
    for (let i = from; i < out.lines.length; i++) {
      const line = out.lines[i] as OutputLine;
      if (line.kind !== 'text') continue;
      if (isWritten) line.dead = true;
      lines.push(line);
    }
  }

  /** Registers an element that may label another one. */
  expectLabel(element: Element): void {
    if (!this.#labels.has(element)) this.#labels.set(element, []);
  }

  /** Marks these elements as written in a name, and removes their lines. */
  tellOnce(sources: readonly Element[] = []): void {
    for (const source of sources) {
      this.#writtenLabels.add(source);
      for (const line of this.#labels.get(source) ?? []) line.dead = true;
      this.expectLabel(source);
    }
  }
}
