// The walk: every shown node of a document, in the order in which it is shown, as the lines that matter.
import {
  activeElement,
  attribute,
  byIds,
  childElementCount,
  contains,
  dataOf,
  hasAttribute,
  isElement,
  isText,
  lengthOf,
  localName,
  matches,
  nextElementSibling,
  openShadowRoot,
  parentNode,
  query,
  queryAll,
  rectOf,
  rootElement,
  titleOf, type Root,
} from './dom.ts';
import { elementOf, idOf, isHere } from './ids.ts';
import { isClickable, isFocusableByAuthor, isTypable } from './interactive.ts';
import { type Line, Output } from './output.ts';
import { Labels } from './labels.ts';
import { contentName, type Known, type Name, nameOf, placeholderOf } from './names.ts';
import { IN_VIEW, type WalkOptions } from './record.ts';
import { CONTROL_ROLES, inputType, NAMED_BY_CONTENT, roleOf } from './roles.ts';
import { eachFlatChild, shadowRootOf } from './shadow.ts';
import { state } from './state.ts';
import { statesOf } from './states.ts';
import { GeneratedContent, isInline, likeness, styleOf } from './style.ts';
import { suspect, suspectHost } from './suspects.ts';
import { type Covered, RowCells } from './tables.ts';
import { isBlank, oneLine, shortLine } from './text.ts';
import { optionsOf, valueOf } from './values.ts';

/** Never shown as themselves, whatever a style sheet says. */
const SKIPPED = new Set(
  'script style noscript template head meta link title base param source track datalist map area option optgroup'.split(' '),
);
/** Elements that stay in the line although a flex or grid container made blocks of them. */
const INLINE_TAGS = new Set('span b i em strong small time abbr code sub sup u s q cite bdi bdo font data kbd var samp mark'.split(' '));
/** Groups that get a line even without a name. */
const LANDMARKS = new Set(['navigation', 'main', 'search', 'complementary', 'dialog', 'alertdialog', 'alert']);
/** Groups that get a line where the author gave them a name. */
const NAMED_GROUPS = new Set(
  'form region group radiogroup toolbar tablist menu menubar tree grid treegrid table list feed log tabpanel banner contentinfo article application'.split(
    ' ',
  ),
);
const NESTED =
  'a[href],button,input,select,textarea,iframe,[tabindex],[contenteditable],[role=button],[role=link],[role=checkbox],[role=menuitem],[role=tab],[role=option],[role=switch],[role=treeitem],[role=radio]';
/** Deeper than any parser nests, and well within the stack. */
const MAX_DEPTH = 400;
const CHECK_EVERY = 512;
const MAX_TEXT_NODE_CHARS = 1_000_000;
const MIN_CANVAS_PX = 16;

interface Surroundings {
  /** The cursor of the parent: a pointer that is inherited says nothing new. */
  readonly cursor: string;
  /** The parent lays its children out by itself, so that inline elements became blocks. */
  readonly flexible: boolean;
  /** The parent has several children, which may be alike. */
  readonly several: boolean;
}

const OUTSIDE: Surroundings = { cursor: 'auto', flexible: false, several: false };

class Walk {
  readonly out: Output;
  readonly known: Known = { generated: new GeneratedContent(), labels: new Labels() };
  readonly #options: WalkOptions;
  readonly #active = deepActiveElement();
  /** Elements that aria-owns moves to another place. */
  readonly #owned = new Set<Element>();
  /** Elements that label others, with the lines they made. */
  readonly #labels = new Map<Element, Line[]>();
  /** Labels whose text is told as a name. */
  readonly #told = new Set<Element>();
  readonly #endsAt: number;
  #named: Element | undefined;
  #count = 0;
  #level = 0;
  stopped = false;
  /** The lines of the modal dialog that makes everything else inert. */
  modal: readonly [from: number, to: number] | undefined;
  readonly controls: Element[] = [];
  #row: RowCells | undefined;
  readonly #covered = new Map<Node, Covered>();
  /** Inside something that is acted on as a whole. */
  #clickable = 0;

  constructor(options: WalkOptions) {
    this.#options = options;
    this.out = new Output(options.maxChars ?? 8_000_000);
    this.#endsAt = performance.now() + (options.maxMs ?? 5000);
  }

  /** What must be known about a tree before it is walked. */
  prepare(root: Root): void {
    for (const owner of queryAll(root, '[aria-owns]'))
      for (const owned of byIds(owner, 'aria-owns')) if (!contains(owned, owner)) this.#owned.add(owned);
    for (const labelled of queryAll(root, '[aria-labelledby]'))
      for (const label of byIds(labelled, 'aria-labelledby')) this.#labels.set(label, []);
  }

  children(element: Element, surroundings: Surroundings): void {
    const root = shadowRootOf(element);
    if (root) this.prepare(root);
    eachFlatChild(element, (child) => this.node(child, element, surroundings));
    if (hasAttribute(element, 'aria-owns')) this.#ownedBy(element, surroundings);
  }

  /** What the author counts among the children of an element although it stands elsewhere. */
  #ownedBy(element: Element, surroundings: Surroundings): void {
    for (const owned of byIds(element, 'aria-owns')) {
      if (!this.#owned.delete(owned)) continue;
      this.node(owned, element, surroundings);
      this.#owned.add(owned);
    }
  }

  node(node: Node, parent: Element, surroundings: Surroundings): void {
    if (isText(node)) this.#text(node);
    else if (isElement(node)) this.element(node, parent, surroundings);
  }

  #text(node: Text): void {
    const { out } = this;
    if (out.muted > 0) return;
    const data = lengthOf(node) > MAX_TEXT_NODE_CHARS ? dataOf(node).slice(0, MAX_TEXT_NODE_CHARS) : dataOf(node);
    if (out.preformatted === 0 && isBlank(data)) out.space();
    else out.text(data);
  }

  /** Whether there is still room and time. */
  #goesOn(): boolean {
    if (this.stopped) return false;
    if (++this.#count % CHECK_EVERY === 0 && (performance.now() > this.#endsAt || this.out.full)) this.stopped = true;
    return !this.stopped;
  }

  /** The element that the walk was asked for: what is hidden from others is shown when it is named. */
  root(element: Element, surroundings: Surroundings): void {
    this.#named = element;
    this.element(element, element, surroundings);
  }

  element(element: Element, parent: Element, surroundings: Surroundings): void {
    const tag = localName(element);
    if (SKIPPED.has(tag) || !this.#goesOn()) return;
    if (this.#owned.size > 0 && this.#owned.has(element)) return;
    const style = styleOf(element);
    const { display } = style;
    if (display === 'none') return;
    if (display === '') return suspectHost(parent);
    if (hasAttribute(element, 'inert') && element !== this.#named) return;
    if (attribute(element, 'aria-hidden') === 'true' && element !== this.#named) return this.#ariaHidden(element);
    if (this.#level > MAX_DEPTH) return void this.out.push('note', { role: '(content nested too deeply to be read)' });
    this.#level++;
    this.#shown(element, tag, style, display, surroundings);
    this.#level--;
  }

  /** Left out for assistive technology; where it holds things to act on, that is said. */
  #ariaHidden(element: Element): void {
    let count = 0;
    for (const inner of queryAll(element, 'a[href],button,input:not([type=hidden]),select,textarea,[tabindex]'))
      if ((inner as HTMLElement).tabIndex >= 0 && inner.checkVisibility({ visibilityProperty: true })) count++;
    if ((element as HTMLElement).tabIndex >= 0) count++;
    if (count === 0) return;
    this.out.flush();
    this.out.push('group', {
      id: idOf(element),
      role: 'aria-hidden',
      name: '',
      states: `${count} ${count === 1 ? 'control' : 'controls'}`,
    });
  }

  #shown(element: Element, tag: string, style: CSSStyleDeclaration, display: string, surroundings: Surroundings): void {
    const { out } = this;
    if (style.visibility !== 'visible') return this.#invisible(element, style, surroundings);
    if (tag === 'br') return out.preformatted ? out.text('\n') : out.flush();
    const inline = isInline(display);
    const inLine = inline || display === 'inline-block' || (surroundings.flexible && INLINE_TAGS.has(tag));
    if (!inline && !inLine) out.flush();
    else if (!inline) out.space();
    const role = roleOf(element, tag);
    const handled = this.#special(element, tag, role, style, surroundings);
    if (!handled) this.#plain(element, tag, role, style, display, surroundings);
    if (!inline && !inLine) out.flush();
    else if (!inline) out.space();
  }

  #invisible(element: Element, style: CSSStyleDeclaration, surroundings: Surroundings): void {
    this.out.muted++;
    // What is visible inside speaks for itself.
    eachFlatChild(element, (child) => {
      if (!isElement(child)) return;
      if (styleOf(child).visibility === 'visible') {
        const { muted } = this.out;
        this.out.muted = 0;
        this.element(child, element, surroundings);
        this.out.muted = muted;
      } else this.element(child, element, surroundings);
    });
    this.out.muted--;
    void style;
  }

  /** Elements that are more than their children; true when the element was dealt with. */
  #special(element: Element, tag: string, role: string, style: CSSStyleDeclaration, surroundings: Surroundings): boolean {
    if (CONTROL_ROLES.has(role)) {
      this.#control(element, tag, role, style);
      return true;
    }
    switch (tag) {
      case 'img':
        this.#image(element, tag, role, style, surroundings);
        return true;
      case 'svg':
        this.#svg(element, style, surroundings);
        return true;
      case 'iframe':
      case 'frame':
      case 'object':
      case 'embed':
      case 'fencedframe':
        this.#frame(element, tag, surroundings);
        return true;
      case 'canvas':
        this.#canvas(element);
        return true;
      case 'video':
      case 'audio':
        this.#media(element, tag);
        return true;
      case 'details':
        if (!(element as HTMLDetailsElement).open) {
          this.#closedDetails(element, style);
          return true;
        }
        return false;
      case 'label':
        this.#label(element, style);
        return true;
      default:
        if (isTypable(element)) {
          this.#control(element, tag, 'textbox', style);
          return true;
        }
        if (role === 'progressbar' || role === 'meter') {
          this.#gauge(element, tag, role);
          return true;
        }
        return false;
    }
  }

  #plain(element: Element, tag: string, role: string, style: CSSStyleDeclaration, display: string, surroundings: Surroundings): void {
    const clickable =
      this.#clickable === 0 &&
      this.out.muted === 0 &&
      tag !== 'html' &&
      tag !== 'body' &&
      (isClickable(element, style, surroundings.cursor) || isFocusableByAuthor(element));
    if (clickable) return this.#clickableArea(element, tag, role, style, display);
    this.#structure(element, tag, role, style, display, surroundings);
  }

  /** Headings, rows, items and groups; anything else is only its children. */
  #structure(element: Element, tag: string, role: string, style: CSSStyleDeclaration, display: string, surroundings: Surroundings): void {
    if (role === 'heading') return this.#heading(element, tag, style);
    if (role === 'row') return this.#tableRow(element, style);
    if (role === 'cell' || role === 'gridcell' || role === 'columnheader' || role === 'rowheader') return this.#tableCell(element, style);
    if (role === 'listitem' || role === 'article') return this.#item(element, 'item', style);
    if (LANDMARKS.has(role) || NAMED_GROUPS.has(role)) return this.#group(element, tag, role, style);
    if (surroundings.several && !isInline(display) && isRepeated(element)) return this.#item(element, 'item', style);
    this.#inside(element, tag, style, display);
  }

  #around(style: CSSStyleDeclaration, element: Element): Surroundings {
    const { display } = style;
    return {
      cursor: style.cursor,
      flexible: display === 'flex' || display === 'grid' || display === 'inline-flex' || display === 'inline-grid',
      several: (shadowRootOf(element)?.childElementCount ?? childElementCount(element)) > 2,
    };
  }

  /** The children of an element, with the text that a style sheet puts around them. */
  #inside(element: Element, tag: string, style: CSSStyleDeclaration, display: string): void {
    const { out } = this;
    if (!isInline(display) && style.contentVisibility === 'hidden') return;
    suspect(element, tag);
    const labels = this.#labels.get(element);
    const pre = tag === 'pre' ? 1 : 0;
    out.preformatted += pre;
    if (labels) this.#asLabel(element, labels, () => this.children(element, this.#around(style, element)));
    else this.children(element, this.#around(style, element));
    if (pre) {
      out.flush();
      out.preformatted -= pre;
    }
  }

  /** Remembers which lines are the text of a label, so that they can go when a control takes them as its name. */
  #asLabel(element: Element, lines: Line[], walk: () => void): void {
    const { out } = this;
    const from = out.mark();
    const told = this.#told.has(element);
    if (told) out.muted++;
    walk();
    out.flush();
    if (told) out.muted--;
    // A control inside the label may have taken it as its name meanwhile.
    const nowTold = this.#told.has(element);
    for (let i = from; i < out.lines.length; i++) {
      const line = out.lines[i] as Line;
      if (line.kind !== 'text') continue;
      if (nowTold) line.dead = true;
      lines.push(line);
    }
  }

  #heading(element: Element, tag: string, style: CSSStyleDeclaration): void {
    const { out } = this;
    const from = out.mark();
    const before = out.heading;
    out.heading = headingLevel(element, tag);
    this.#inside(element, tag, style, style.display);
    const label = attribute(element, 'aria-label');
    out.flush();
    if (label && !isBlank(label) && out.muted === 0) {
      for (let i = from; i < out.lines.length; i++) if ((out.lines[i] as Line).kind === 'heading') (out.lines[i] as Line).dead = true;
      out.text(label);
      out.flush();
    }
    this.#headingOfOne(from);
    out.heading = before;
  }

  /** A heading that is nothing but a link or an image is one line. */
  #headingOfOne(from: number): void {
    const { out } = this;
    const lines = out.topLines(from, 1);
    const [only] = lines;
    if (lines.length !== 1 || !only) return;
    if (only.kind === 'control') only.states += `${only.states ? ' ' : ''}h${out.heading}`;
    if (only.kind === 'image') {
      only.dead = true;
      out.push('heading', { name: only.name, role: String(out.heading) });
    }
  }

  #item(element: Element, role: string, style: CSSStyleDeclaration): void {
    const { out } = this;
    const tag = localName(element);
    const from = out.mark();
    const item = out.push('item', { id: idOf(element), role });
    out.depth++;
    this.#inside(element, tag, style, style.display);
    out.flush();
    out.depth--;
    this.#closeItem(item, from);
  }

  /** An item of one line is that line. */
  #closeItem(item: Line, from: number): void {
    const { out } = this;
    const lines = out.topLines(from + 1, 1);
    if (lines.length > 1) return;
    item.dead = true;
    if (lines.length === 1) out.outdent(from + 1);
  }

  #tableRow(element: Element, style: CSSStyleDeclaration): void {
    const { out } = this;
    const from = out.mark();
    const item = out.push('item', { id: idOf(element), role: 'row' });
    const outer = this.#row;
    this.#row = new RowCells(this.#coveredIn(element));
    out.depth++;
    this.#inside(element, localName(element), style, style.display);
    out.flush();
    this.#row.join(out, from + 1);
    out.depth--;
    this.#row = outer;
    this.#closeItem(item, from);
  }

  #coveredIn(row: Element): Covered {
    const rows = parentNode(row) ?? row;
    let covered = this.#covered.get(rows);
    if (!covered) this.#covered.set(rows, (covered = []));
    return covered;
  }

  #tableCell(element: Element, style: CSSStyleDeclaration): void {
    const { out } = this;
    out.flush();
    const row = this.#row;
    row?.begin(out);
    const from = out.mark();
    this.#row = undefined;
    const { cell } = out;
    out.cell = true;
    this.#inside(element, localName(element), style, style.display);
    out.flush();
    out.cell = cell;
    this.#row = row;
    row?.add(out, element, from);
  }

  #group(element: Element, tag: string, role: string, style: CSSStyleDeclaration): void {
    const { out } = this;
    const name = this.#groupName(element, tag, role);
    if (name.text === '' && !LANDMARKS.has(role)) return this.#inside(element, tag, style, style.display);
    const from = out.mark();
    const line = out.push('group', { id: idOf(element), role, name: name.text, states: statesOf(element, tag, role) });
    this.#tell(name.sources);
    out.depth++;
    this.#inside(element, tag, style, style.display);
    out.flush();
    out.depth--;
    if (out.topLines(from + 1, 0).length === 0) line.dead = true;
    if (tag === 'dialog' && element.matches(':modal')) this.modal = [from, out.lines.length];
  }

  /** A group that is named by a heading in it lets the heading speak. */
  #groupName(element: Element, tag: string, role: string): Name {
    if (role === 'group' && tag === 'details') return { text: '', from: 'none' };
    const name = nameOf(element, tag, role, this.known);
    if (name.from === 'labelledby' && name.sources?.some((source) => contains(element, source) && /^h[1-6]$/.test(localName(source))))
      return { text: '', from: 'none' };
    return name;
  }

  /** The text of these elements has been told as a name: it is not told again. */
  #tell(sources: readonly Element[] | undefined): void {
    for (const source of sources ?? []) {
      this.#told.add(source);
      for (const line of this.#labels.get(source) ?? []) line.dead = true;
      if (!this.#labels.has(source)) this.#labels.set(source, []);
    }
  }

  #label(element: Element, style: CSSStyleDeclaration): void {
    let lines = this.#labels.get(element);
    if (!lines) this.#labels.set(element, (lines = []));
    const { control } = element as HTMLLabelElement;
    if (control && isHiddenChoice(control) && this.out.muted === 0) return this.#labelOfHidden(element, control);
    this.#inside(element, 'label', style, style.display);
  }

  /** A styled label whose check box, radio button or file field is not shown: the label is what one acts on. */
  #labelOfHidden(label: Element, control: Element): void {
    const { out } = this;
    out.flush();
    const tag = localName(control);
    const role = roleOf(control, tag);
    out.push('control', {
      id: idOf(label),
      role,
      name: contentName(label, this.known),
      states: statesOf(control, tag, role),
      key: 'label',
    });
    this.controls.push(label);
  }

  #control(element: Element, tag: string, role: string, style: CSSStyleDeclaration): void {
    const { out } = this;
    out.flush();
    const name = nameOf(element, tag, role, this.known);
    const line = out.push('control', {
      id: idOf(element),
      // Chrome's word for it is long, and what it does is what a button does.
      role: role === 'DisclosureTriangle' ? 'button' : role,
      name: role === 'textbox' && name.from === 'content' ? '' : name.text,
      states: this.#controlStates(element, tag, role, name),
      value: tag === 'select' ? '' : valueOf(element, tag, role),
      key: keyOf(element, tag, role),
      url: this.#options.urls && role === 'link' ? hrefOf(element) : '',
    });
    this.controls.push(element);
    this.#tell(name.sources);
    if (tag === 'select') return this.#select(element as HTMLSelectElement, line, role);
    if (tag === 'input' || tag === 'textarea') return;
    this.#insideControl(element, tag, role, name, style);
  }

  #controlStates(element: Element, tag: string, role: string, name: Name): string {
    let states = statesOf(element, tag, role);
    if (element === this.#active) states += `${states ? ' ' : ''}focused`;
    if (tag === 'input' && inputType(element) === 'file') states += `${states ? ' ' : ''}file`;
    const placeholder = name.from === 'placeholder' ? '' : oneLine(placeholderOf(element, tag, role));
    if (placeholder && placeholder !== name.text && !(element as HTMLInputElement).value)
      states += `${states ? ' ' : ''}placeholder=${JSON.stringify(shortLine(placeholder, 100))}`;
    return states;
  }

  #select(select: HTMLSelectElement, line: Line, role: string): void {
    const { value, options } = optionsOf(select, role === 'listbox');
    Object.assign(line, { value, states: line.states + (options ? `${line.states ? ' ' : ''}${options}` : '') });
    this.out.size += value.length + options.length;
  }

  /** Inside a control its name is told already; what can be acted on in it, and what the name left out, is not. */
  #insideControl(element: Element, tag: string, role: string, name: Name, style: CSSStyleDeclaration): void {
    const { out } = this;
    const byContent = NAMED_BY_CONTENT.has(role);
    const told = byContent ? this.#isTold(element, name) : role === 'textbox' || role === 'searchbox';
    const root = shadowRootOf(element);
    if (told && !root && !query(element, NESTED)) return;
    out.depth++;
    if (told) out.muted++;
    this.#clickable++;
    this.#inside(element, tag, style, style.display);
    this.#clickable--;
    if (told) out.muted--;
    else out.flush();
    out.depth--;
  }

  #isTold(element: Element, name: Name): boolean {
    if (name.from === 'content' || name.text === '') return name.from === 'content';
    const content = contentName(element, this.known).toLowerCase();
    return content === '' || name.text.toLowerCase().includes(content) || !/[\p{L}\p{N}]{2}/u.test(content);
  }

  /** Something without a role of its own that reacts to clicks or can be focused. */
  #clickableArea(element: Element, tag: string, role: string, style: CSSStyleDeclaration, display: string): void {
    const { out } = this;
    const from = out.mark();
    const line = out.push('control', {
      id: idOf(element),
      role: areaRole(role, tag),
      states: statesOf(element, tag, role),
      key: keyOf(element, tag, ''),
    });
    out.depth++;
    this.#clickable++;
    this.#structure(element, tag, role, style, display, OUTSIDE);
    this.#clickable--;
    out.flush();
    out.depth--;
    this.#closeArea(element, tag, role, line, from);
    if (!line.dead) this.controls.push(element);
  }

  /** Text alone becomes the name of the area; a control alone makes it superfluous. */
  #closeArea(element: Element, tag: string, role: string, line: Line, from: number): void {
    const { out } = this;
    const inner = out.topLines(from + 1, 8);
    const author = attribute(element, 'aria-label') ?? attribute(element, 'title');
    if (inner.length === 0) {
      line.name = shortLine(author ?? nameOf(element, tag, role, this.known).text, 200);
      if (line.name === '' && !hasSize(element)) line.dead = true;
      return;
    }
    if (inner.some(({ kind }) => kind !== 'text' && kind !== 'image' && kind !== 'heading')) {
      if (inner.length > 1 || !(inner[0]?.kind === 'control' || inner[0]?.kind === 'group'))
        return void (line.name = author ? shortLine(author, 200) : '');
      line.dead = true;
      return out.outdent(from + 1);
    }
    if (inner.length > 8 || inner.reduce((sum, { name }) => sum + name.length, 0) > 600) return;
    line.name = inner.map(({ name }) => name).join(' ');
    const [first] = inner;
    if (first?.kind === 'heading') line.states += `${line.states ? ' ' : ''}h${first.role}`;
    out.kill(from + 1);
    line.dead = false;
  }

  #gauge(element: Element, tag: string, role: string): void {
    const name = nameOf(element, tag, role, this.known);
    this.out.flush();
    this.out.push('note', { role, name: name.text, value: valueOf(element, tag, role) });
    this.#tell(name.sources);
  }

  #image(element: Element, tag: string, role: string, style: CSSStyleDeclaration, surroundings: Surroundings): void {
    const { out } = this;
    if (out.muted > 0) return;
    const name = role === '' ? '' : nameOf(element, tag, 'img', this.known).text;
    const clickable = this.#clickable === 0 && (isClickable(element, style, surroundings.cursor) || isFocusableByAuthor(element));
    if (clickable) {
      out.flush();
      out.push('control', { id: idOf(element), role: 'img', name, key: keyOf(element, tag, '') });
      this.controls.push(element);
    } else if (name !== '') {
      out.flush();
      out.push('image', { name: shortLine(name, 500) });
    }
    if (hasAttribute(element, 'usemap')) this.#imageMap(element as HTMLImageElement);
  }

  #imageMap(image: HTMLImageElement): void {
    const name = image.useMap.slice(1);
    const map = name && query(document, `map[name=${CSS.escape(name)}]`);
    if (!map) return;
    for (const area of queryAll(map, 'area[href]')) this.#control(area, 'area', 'link', styleOf(area));
  }

  #svg(element: Element, style: CSSStyleDeclaration, surroundings: Surroundings): void {
    const { out } = this;
    const name = nameOf(element, 'svg', 'img', this.known).text;
    const clickable = this.#clickable === 0 && isClickable(element, style, surroundings.cursor);
    if (clickable && out.muted === 0) {
      out.flush();
      out.push('control', { id: idOf(element), role: 'img', name, key: keyOf(element, 'svg', '') });
      this.controls.push(element);
    } else if (name !== '' && out.muted === 0) {
      out.flush();
      out.push('image', { name: shortLine(name, 500) });
    }
    if (query(element, 'text,a,foreignObject,[role],[tabindex]')) this.children(element, this.#around(style, element));
  }

  #frame(element: Element, tag: string, surroundings: Surroundings): void {
    const { out } = this;
    if (tag === 'object' && !(element as HTMLObjectElement).contentDocument && !hasAttribute(element, 'data'))
      return this.children(element, surroundings);
    out.flush();
    const name = oneLine(attribute(element, 'aria-label') ?? attribute(element, 'title') ?? attribute(element, 'name') ?? '');
    out.push('frame', { id: idOf(element), role: tag === 'frame' ? 'iframe' : tag, name: shortLine(name, 200) });
  }

  #canvas(element: Element): void {
    const { width, height } = rectOf(element);
    if (width >= MIN_CANVAS_PX && height >= MIN_CANVAS_PX) {
      this.out.flush();
      const name = nameOf(element, 'canvas', 'img', this.known).text;
      this.out.push('control', { id: idOf(element), role: 'canvas', name, states: `${Math.round(width)}x${Math.round(height)}` });
      this.controls.push(element);
    }
    this.children(element, OUTSIDE);
  }

  #media(element: Element, tag: string): void {
    const media = element as HTMLMediaElement;
    if (!media.controls && tag === 'audio') return;
    const { out } = this;
    out.flush();
    const name = nameOf(element, tag, tag, this.known).text;
    const { width, height } = rectOf(element);
    const states = [
      media.paused ? 'paused' : 'playing',
      ...(media.muted ? ['muted'] : []),
      ...(tag === 'video' ? [`${Math.round(width)}x${Math.round(height)}`] : []),
    ];
    out.push('control', { id: idOf(element), role: tag, name, states: states.join(' ') });
    this.controls.push(element);
  }

  #closedDetails(element: Element, style: CSSStyleDeclaration): void {
    for (let child = element.firstElementChild; child; child = nextElementSibling(child)) {
      if (localName(child) !== 'summary') continue;
      this.element(child, element, this.#around(style, element));
      return;
    }
  }
}

const headingLevel = (element: Element, tag: string): number => {
  const level = Number.parseInt(attribute(element, 'aria-level') ?? '', 10);
  if (level >= 1 && level <= 9) return level;
  return /^h[1-6]$/.test(tag) ? Number(tag[1]) : 2;
};

/** Whether a neighbour is of the same tag and classes: one of a list that was not marked up as one. */
const isRepeated = (element: Element): boolean => {
  if (!hasAttribute(element, 'class')) return false;
  const like = likeness(element);
  const next = nextElementSibling(element);
  if (next && likeness(next) === like) return true;
  const previous = element.previousElementSibling;
  return previous !== null && likeness(previous) === like;
};

const isHiddenChoice = (control: Element): boolean => {
  if (localName(control) !== 'input') return false;
  const type = inputType(control);
  return (type === 'checkbox' || type === 'radio' || type === 'file') && !control.checkVisibility({ visibilityProperty: true });
};

const hasSize = (element: Element): boolean => {
  const { width, height } = rectOf(element);
  return width > 3 && height > 3;
};

const areaRole = (role: string, tag: string): string => {
  if (role === '' || role === 'paragraph' || role === 'strong' || role === 'emphasis' || role === 'group') return 'clickable';
  return role === 'listitem' && tag !== 'li' ? 'clickable' : role;
};

const hrefOf = (element: Element): string => {
  const href = attribute(element, 'href') ?? attribute(element, 'xlink:href') ?? '';
  return oneLine(href).slice(0, 2000);
};

const USUAL_TAGS: Readonly<Record<string, string>> = {
  link: 'a',
  button: 'button',
  combobox: 'select',
  listbox: 'select',
  DisclosureTriangle: 'summary',
};

/** What besides role and name tells an element from others: its tag where it is unusual, and a name that its author gave it. */
const keyOf = (element: Element, tag: string, role: string): string => {
  const unusual = tag === (USUAL_TAGS[role] ?? 'input') ? '' : tag;
  const testId = attribute(element, 'data-testid') ?? attribute(element, 'data-test');
  if (testId) return `${unusual}&${shortLine(testId, 60)}`;
  const id = attribute(element, 'id');
  if (id) return `${unusual}#${shortLine(id, 60)}`;
  const name = attribute(element, 'name');
  return name ? `${unusual}@${shortLine(name, 60)}` : unusual;
};

const deepActiveElement = (): Element | null => {
  let active = activeElement();
  for (;;) {
    const inner: Element | null | undefined = active && (openShadowRoot(active) ?? state.closedRoots.get(active))?.activeElement;
    if (!inner) return active;
    active = inner;
  }
};

/** The element to start from; undefined when it is not there. */
const startOf = (options: WalkOptions): Element | null | undefined => {
  if (options.root !== undefined) {
    const element = elementOf(options.root);
    return element && isHere(element) ? element : undefined;
  }
  if (options.selector !== undefined) return findSelector(options.selector);
  return rootElement(document);
};

const findSelector = (selector: string): Element | undefined => query(document, selector) ?? undefined;

/** The numbers of the controls that can be seen without scrolling. */
const inView = (controls: readonly Element[]): string => {
  const { innerWidth, innerHeight } = window;
  const ids: number[] = [];
  for (const element of controls) {
    const { top, bottom, left, right, width, height } = rectOf(element);
    if (bottom > 0 && top < innerHeight && right > 0 && left < innerWidth && width > 0 && height > 0) ids.push(idOf(element) - state.base);
  }
  return ids.join(',');
};

/** The whole walk as text: a line about itself, then one line for each node (see record.ts). */
export const walk = (options: WalkOptions = {}): string | null => {
  const start = startOf(options);
  if (start === undefined) return null;
  state.suspects = [];
  const run = new Walk(options);
  run.prepare(document);
  if (start) walkInto(run, start);
  return encode(run, options);
};

const walkInto = (run: Walk, start: Element): void => {
  const parent = parentNode(start);
  const outer = parent && isElement(parent) ? { ...OUTSIDE, cursor: styleOf(parent).cursor, several: true } : OUTSIDE;
  try {
    run.root(start, outer);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    run.stopped = true; // the stack is full: what was found until then is an answer too
  }
  run.out.flush();
};

const ITEMS = 'li,tr,article,[role=row],[role=listitem],[role=article]';
const MAX_CLIMB = 12;

/** The row, card or list item that an element stands in, else the element itself. */
const itemAround = (element: Element): Element => {
  for (let at: Node | null = parentNode(element), i = 0; at && isElement(at) && i < MAX_CLIMB; at = parentNode(at), i++) {
    if (matches(at, ITEMS) || isRepeated(at)) return at;
  }
  return element;
};

/** Walks the item around an element, to see whether it is still what it was; null when it is gone. */
export const walkAround = (id: number): string | null => {
  const element = elementOf(id);
  if (!element || !isHere(element)) return null;
  return walk({ root: idOf(itemAround(element)) });
};

/** Walks the items around several elements at once, so that refs can be made of them. */
export const walkItems = (elements: readonly Element[]): string => {
  const run = new Walk({ maxChars: 1_000_000, maxMs: 500 });
  run.prepare(document);
  for (const item of new Set(elements.map(itemAround))) walkInto(run, item);
  return encode(run, {});
};

const encode = (run: Walk, options: WalkOptions): string => {
  const { out, modal } = run;
  if (modal) for (const [i, line] of out.lines.entries()) if (i < modal[0] || i >= modal[1]) line.dead = true;
  const lines = out.encode();
  lines.unshift(`${state.base}\t${state.suspects.length}\t${run.stopped ? 1 : 0}\t${modal ? 1 : 0}\t${shortLine(titleOf(document), 300)}`);
  if (options.viewportAbove !== undefined && out.size > options.viewportAbove) lines.push(IN_VIEW + inView(run.controls));
  return lines.join('\n');
};
