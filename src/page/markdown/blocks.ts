// Renders the visible content of an element as Markdown.
import {
  attribute,
  attributeText,
  getData,
  hasAttribute,
  isElement,
  isText,
  localName,
  rootElement,
} from '../safe-dom.ts';
import { assignId } from '../state.ts';
import { eachFlatChild } from '../shadow.ts';
import { isBlank, withoutHalfPair, textIf } from '../visible-text.ts';
import { fencedCode, formula, inlineCode, isFormula } from './code-and-math.ts';
import {
  type MarkdownBlock,
  collapseBlanks,
  collapseSpace,
  hanging,
  join,
  oneLine,
  paragraph,
  prefixLines,
  weigh,
  wrapLines,
} from './lines.ts';
import { frameDocument, roleAttribute, VisibilityCache } from './shown.ts';
import { isDataTable, isLineNumbers, isTable, layoutCells, readGrid, renderGrid } from './table.ts';
import { createLookupTable } from '../objects.ts';
import { matchGroups } from '../words.ts';
import { CHECKABLE_TYPES } from '../element-kinds.ts';

const INLINE_DISPLAYS = new Set<string>(['inline', 'contents']);

interface BlocksOptions {
  readonly urls: boolean;
  readonly maxChars: number;
  readonly shown: VisibilityCache;
  /** Whether the page has formulas; if not, the search for them is skipped. */
  readonly formulas: boolean;
  /** Returns false for elements that are not part of the content. */
  readonly keeps: (element: Element) => boolean;
}

const MAX_DEPTH = 600;
/**
 * Maximum number of lists, quotes and cells inside of each other; deeper ones become plain blocks.
 * Each level copies the text of the levels in it, so without a limit the time would be quadratic.
 */
const MAX_NESTING = 30;
const HEADING = /^h[1-6]$/;
/** What opens around the text of an element; a `[` is closed with the address of the link. */
const MARKS = createLookupTable<string>({
  a: '[',
  b: '**',
  strong: '**',
  em: '*',
  i: '*',
  del: '~~',
  s: '~~',
  strike: '~~',
});
/** A line with this many characters outside of links is a sentence, not a label. */
const SENTENCE_CHARS = 80;

export class Blocks {
  readonly #options: BlocksOptions;
  #left: number;
  #depth = 0;
  #nesting = 0;
  #linkChars = 0;
  /** Characters of the links in the result. */
  linkChars = 0;
  /** Frames that this script cannot read, with the placeholder line of each. */
  readonly frames: { readonly id: number; readonly line: string }[] = [];
  #toRead = 0;

  constructor(options: BlocksOptions) {
    this.#options = options;
    this.#left = options.maxChars;
  }

  /** Whether the limit was reached before the end. */
  get exhausted(): boolean {
    return this.#left <= 0;
  }

  /** Characters in sentences, code and tables; menus, teasers and labels do not count. */
  get charsToRead(): number {
    return this.#toRead;
  }

  markdown(root: Element): string {
    const blocks: MarkdownBlock[] = [];
    if (root.childNodes.length === 0 || this.#isLeafBlock(root)) this.#block(root, blocks);
    else this.#children(root, blocks);
    return join(blocks);
  }

  /** Elements that are rendered with their own markup if they are the root. */
  #isLeafBlock(element: Element): boolean {
    const name = localName(element);
    return isTable(element) || /^(?:h[1-6]|ul|ol|dl|pre|blockquote|li|img|math|a|code)$/.test(name);
  }

  /** Adds the blocks of the children to `out`; a list per level would copy every block as often. */
  #children(parent: Element, out: MarkdownBlock[]): void {
    if (this.#depth > MAX_DEPTH) return add(out, this.#plainText(parent));
    this.#depth++;
    let line = '';
    let linkCharsBefore = this.#linkChars;
    const endLine = (): void => {
      const text = paragraph(line);
      if (text !== '') out.push({ text });
      const weight = weigh(text) - (this.#linkChars - linkCharsBefore);
      if (weight >= SENTENCE_CHARS) this.#toRead += weight;
      line = '';
      linkCharsBefore = this.#linkChars;
    };
    eachFlatChild(parent, (child) => {
      if (this.#left <= 0 || this.#options.shown.isFoldedAway(child, parent)) return;
      if (isElement(child) && this.#skips(child)) return;
      if (isElement(child) && this.#standsAlone(child)) {
        endLine();
        this.#block(child, out);
      } else line += this.#inline(child, parent, '');
    });
    endLine();
    this.#depth--;
  }

  /** The blocks of one more level of a list, a quote or a cell. */
  #nested(parent: Element): MarkdownBlock[] {
    const out: MarkdownBlock[] = [];
    this.#nesting++;
    this.#children(parent, out);
    this.#nesting--;
    return out;
  }

  /** The text of content that is nested too deeply to be rendered. */
  #plainText(element: Element): string {
    const text = oneLine(element.textContent.slice(0, Math.max(0, this.#left)));
    this.#left -= text.length;
    return text;
  }

  #skips(element: Element): boolean {
    const { shown, keeps } = this.#options;
    // often hidden, with an image shown in its place
    if (this.#isFormula(element)) return false;
    return shown.isSilent(element) || !keeps(element);
  }

  #isFormula(element: Element): boolean {
    return this.#options.formulas && isFormula(element);
  }

  #standsAlone(element: Element): boolean {
    if (this.#isFormula(element)) return formula(element).startsWith('$$');
    return (
      this.#options.shown.isBlock(element) || /^(?:hr|iframe|frame|table)$/.test(localName(element))
    );
  }

  #block(element: Element, out: MarkdownBlock[]): void {
    const name = localName(element);
    const level = headingLevel(element, name);
    if (level > 0) return add(out, this.#heading(element, level));
    if (this.#isFormula(element)) return add(out, formula(element));
    if (isTable(element)) return this.#table(element, out);
    const render = this.#renderers[name];
    if (render) return render(element, out);
    if (roleAttribute(element) === 'list') this.#list(element, false, out);
    else this.#children(element, out);
  }

  readonly #inlineBlock: BlockRenderer = (element, out) =>
    add(out, this.#inline(element, element, '').trim());

  readonly #renderers = createLookupTable<BlockRenderer>({
    ul: (element, out) => this.#list(element, false, out),
    ol: (element, out) => this.#list(element, true, out),
    menu: (element, out) => this.#list(element, false, out),
    dl: (element, out) => this.#definitions(element, out),
    pre: (element, out) => {
      if (!isLineNumbers(element)) this.#code(element, out);
    },
    blockquote: (element, out) => this.#quote(element, out),
    hr: (_, out) => add(out, '---'),
    img: this.#inlineBlock,
    video: this.#inlineBlock,
    audio: this.#inlineBlock,
    input: this.#inlineBlock,
    iframe: (element, out) => this.#frame(element, out),
    frame: (element, out) => this.#frame(element, out),
    a: (element, out) => this.#linkedBlocks(element, out),
    details: (element, out) => this.#details(element, out),
    code: (element, out) => {
      if (this.#options.shown.look(element).preformatted) this.#code(element, out);
      else this.#children(element, out);
    },
  });

  #heading(element: Element, level: number): string {
    const text = oneLine(this.#inlineChildren(element, '**'))
      .replace(/[¶#§🔗]$/u, '')
      .trimEnd();
    return textIf(text !== '', `${'#'.repeat(level)} ${text}`);
  }

  #quote(element: Element, out: MarkdownBlock[]): void {
    if (this.#nesting >= MAX_NESTING) return this.#children(element, out);
    add(out, prefixLines(join(this.#nested(element)), '> '));
  }

  #code(element: Element, out: MarkdownBlock[]): void {
    const text = fencedCode(element, this.#left);
    this.#left -= text.length;
    this.#toRead += text.length;
    add(out, text);
  }

  /**
   * Further blocks of an item are indented below its marker; a nested list follows without a blank
   * line.
   */
  #list(list: Element, ordered: boolean, out: MarkdownBlock[]): void {
    if (this.#nesting >= MAX_NESTING) return this.#children(list, out);
    const lines: string[] = [];
    let number = Number(attributeText(list, 'start')) || 1;
    this.#depth++;
    eachFlatChild(list, (child) => {
      if (!isElement(child) || this.#left <= 0 || this.#skips(child)) return;
      const blocks = this.#item(child);
      if (blocks.length === 0) return;
      number = Number(attributeText(child, 'value')) || number;
      const marker = ordered ? `${number++}. ` : '- ';
      lines.push(hanging(join(blocks, true), marker));
    });
    this.#depth--;
    if (lines.length > 0) out.push({ text: lines.join('\n'), list: true });
  }

  #item(child: Element): MarkdownBlock[] {
    if (!/^(?:ul|ol)$/.test(localName(child))) return this.#nested(child);
    const blocks: MarkdownBlock[] = [];
    this.#nesting++;
    this.#block(child, blocks);
    this.#nesting--;
    return blocks;
  }

  #definitions(list: Element, out: MarkdownBlock[]): void {
    if (this.#nesting >= MAX_NESTING) return this.#children(list, out);
    const first = out.length;
    let terms: string[] = [];
    const visit = (child: Node): void => {
      if (!isElement(child) || this.#left <= 0 || this.#skips(child)) return;
      const name = localName(child);
      if (name === 'div') eachFlatChild(child, visit);
      else if (name === 'dt') terms.push(oneLine(join(this.#nested(child))));
      else if (name === 'dd') {
        const text = hanging(join(this.#nested(child)), ': ');
        if (terms.length === 0 && out.length > first)
          out.push({ text: `${out.pop()?.text ?? ''}\n${text}` });
        else out.push({ text: [...terms, text].join('\n') });
        terms = [];
      }
    };
    eachFlatChild(list, visit);
    if (terms.length) out.push({ text: terms.join('\n') });
  }

  #table(table: Element, out: MarkdownBlock[]): void {
    if (this.#nesting >= MAX_NESTING || !isDataTable(table)) {
      for (const cell of layoutCells(table)) if (!this.#skips(cell)) this.#children(cell, out);
      return;
    }
    const caption = localName(table) === 'table' ? (table as HTMLTableElement).caption : null;
    const grid = readGrid(
      table,
      (cell) => this.#cell(cell),
      () => this.#left > 0,
    );
    const text = renderGrid(grid);
    this.#toRead += weigh(text);
    if (caption) this.#children(caption, out);
    add(out, text);
  }

  #cell(cell: Element): string {
    if (this.#skips(cell)) return '';
    return join(this.#nested(cell)).replace(/\n+/g, '<br>').replaceAll('|', '\\|');
  }

  #details(element: Element, out: MarkdownBlock[]): void {
    const first = out.length;
    this.#children(element, out);
    const summary = out[first];
    if (summary && !hasAttribute(element, 'open')) out[first] = { text: `▸ ${summary.text}` };
  }

  #frame(element: Element, out: MarkdownBlock[]): void {
    const inner = frameDocument(element);
    const root = inner && rootElement(inner);
    if (root) return this.#children(root, out);
    const { width, height } = element.getBoundingClientRect();
    if (width < 100 || height < 50) return;
    const name =
      oneLine(attributeText(element, 'title')).slice(0, 100) ||
      attributeText(element, 'src').slice(0, 200);
    const line = `[frame ${this.frames.length + 1}: ${name}]`;
    this.frames.push({ id: assignId(element), line });
    out.push({ text: line });
  }

  /** A link around blocks: the blocks stay, and the first one gets the URL. */
  #linkedBlocks(link: Element, out: MarkdownBlock[]): void {
    const at = out.length;
    this.#children(link, out);
    const first = out[at];
    const address = this.#readAddress(link);
    if (!first || address === '') return;
    const [, marks = '', text = ''] = matchGroups(/^(#{1,6} )?([^\n]*)/, first.text);
    const rest = first.text.slice(marks.length + text.length);
    out[at] = { ...first, text: `${marks}[${text}](${address})${rest}` };
  }

  #inlineChildren(parent: Element, marks: string): string {
    if (this.#depth > MAX_DEPTH) return this.#plainText(parent);
    this.#depth++;
    let out = '';
    eachFlatChild(parent, (child) => {
      if (this.#left > 0 && !(isElement(child) && this.#skips(child)))
        out += this.#inline(child, parent, marks);
    });
    this.#depth--;
    return out;
  }

  /** `marks`: the marks that are already open around the node; they are not opened twice. */
  #inline(node: Node, parent: Element, marks: string): string {
    if (isText(node)) return this.#text(node, parent);
    if (!isElement(node)) return '';
    const name = localName(node);
    if (this.#isFormula(node)) return formula(node);
    const render = this.#inlineRenderers[name];
    if (render) return render(node, marks);
    const mark = MARKS[name];
    const inner = this.#inlineChildren(node, mark ? marks + mark : marks);
    if (mark && marks.includes(mark)) return inner;
    const wrap = this.#wrappers[name];
    if (wrap) return wrap(inner, node);
    return mark ? wrapLines(inner, mark) : this.#spaceApart(node, inner);
  }

  readonly #inlineRenderers = createLookupTable<(element: Element, marks: string) => string>({
    br: () => '\n',
    img: (element) => this.#image(element as HTMLImageElement),
    video: (element) => this.#media(element as HTMLMediaElement, 'video'),
    audio: (element) => this.#media(element as HTMLMediaElement, 'audio'),
    input: (element) => inputText(element as HTMLInputElement),
    code: (element, marks) => this.#codeInLine(element, marks),
    kbd: (element, marks) => this.#codeInLine(element, marks),
    samp: (element, marks) => this.#codeInLine(element, marks),
    tt: (element, marks) => this.#codeInLine(element, marks),
  });

  readonly #wrappers = createLookupTable<(inner: string, element: Element) => string>({
    a: (inner, element) => this.#link(element, inner),
    sup: (inner) => (/^[\w+−-]{1,8}$/.test(inner.trim()) ? `^${inner.trim()}` : inner),
    rt: (inner) => `(${inner.trim()})`,
    rp: () => '',
    q: (inner) => `“${inner}”`,
  });

  /** Adds spaces if layout shows a gap around the element although the text has no space. */
  #spaceApart(element: Element, inner: string): string {
    const { display } = this.#options.shown.look(element);
    return INLINE_DISPLAYS.has(display) ? inner : ` ${inner} `;
  }

  /** '' if URLs are not shown. */
  #readAddress(link: Element): string {
    return this.#options.urls ? readAddress(link) : '';
  }

  #readSource({ currentSrc, src }: HTMLImageElement | HTMLMediaElement): string {
    return this.#options.urls ? shortAddress(currentSrc || src) : '';
  }

  #text(node: Text, parent: Element): string {
    const look = this.#options.shown.look(parent);
    if (!look.visible) return '';
    const room = Math.max(0, this.#left);
    const data = withoutHalfPair(getData(node).slice(0, room));
    this.#left -= data.length;
    if (isBlank(data) && !look.preformatted) return textIf(data !== '', ' ');
    return look.preformatted ? collapseBlanks(data) : collapseSpace(data);
  }

  #codeInLine(element: Element, marks: string): string {
    if (marks.includes('`')) return this.#inlineChildren(element, marks);
    const text = this.#inlineChildren(element, `${marks}***~~\``);
    const code = inlineCode(text);
    return textIf(
      code !== '',
      `${textIf(/^\s/.test(text), ' ')}${code}${textIf(/\s$/.test(text), ' ')}`,
    );
  }

  #link(element: Element, inner: string): string {
    const text = inner.trim();
    this.#linkChars += weigh(text);
    if (/^[¶#§🔗]$/u.test(text)) return ''; // the anchor sign of a heading
    this.linkChars += weigh(text);
    const address = this.#readAddress(element);
    if (text === '' || address === '') return this.#spaceApart(element, inner);
    return wrapLines(inner, '[', `](${address})`);
  }

  #image(image: HTMLImageElement): string {
    const alt = oneLine(attributeText(image, 'alt')).slice(0, 500);
    const source = this.#readSource(image);
    if (alt === '' && (source === '' || hasAttribute(image, 'alt'))) return '';
    return source === '' ? `![${alt}]` : `![${alt}](${source})`;
  }

  #media(media: HTMLMediaElement, name: string): string {
    const label = oneLine(attribute(media, 'aria-label') ?? attributeText(media, 'title'));
    const source = this.#readSource(media);
    return `[${label === '' ? name : `${name}: ${label}`}]${textIf(source !== '', `(${source})`)}`;
  }
}

type BlockRenderer = (element: Element, out: MarkdownBlock[]) => void;

const add = (out: MarkdownBlock[], text: string): void => {
  if (text !== '') out.push({ text });
};

const headingLevel = (element: Element, name: string): number => {
  if (HEADING.test(name)) return Number(name[1]);
  if (roleAttribute(element) !== 'heading') return 0;
  const level = Number(attributeText(element, 'aria-level'));
  return level >= 1 && level <= 6 ? Math.floor(level) : 2;
};

const inputText = (input: HTMLInputElement): string => {
  if (CHECKABLE_TYPES.has(input.type)) return input.checked ? '[x] ' : '[ ] ';
  return textIf(/^(?:submit|button|reset)$/.test(input.type), ` ${input.value} `);
};

const readAddress = (link: Element): string => {
  const hasAddress = /^[^#]/.test(attributeText(link, 'href'));
  return hasAddress ? shortAddress((link as HTMLAnchorElement).href) : '';
};

/** The URL, without the origin if it is the page's own, because the header contains it. */
const shortAddress = (address: unknown): string => {
  if (
    typeof address !== 'string' ||
    address.length > 2000 ||
    !/^(?:https?|mailto|tel|ftp):/.test(address)
  )
    return '';
  const short = address.startsWith(`${location.origin}/`)
    ? address.slice(location.origin.length)
    : address;
  return short.replaceAll(' ', '%20').replaceAll('(', '%28').replaceAll(')', '%29');
};
