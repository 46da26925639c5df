// Readability for a copy of a page: replaces its slowest parts by faster ones with equal results.
import { Readability } from '@mozilla/readability';
import { getOrCreate } from '../objects.ts';
import {
  attributeText,
  firstChild,
  getData,
  getTextContent,
  isText,
  parentNode,
  queryAll,
} from '../safe-dom.ts';
import { findNext } from './document-order.ts';

type NodeTest = (node: Element, index: number, nodes: ArrayLike<Element>) => boolean;

/** The members of Readability that its types leave out. */
declare module '@mozilla/readability' {
  interface Readability {
    readonly REGEXPS: { readonly byline: RegExp };
    readonly _doc: Document;
    _articleTitle: string;
    _metadata: { readonly title: string };
    _unwrapNoscriptImages(document: Document): void;
    _prepDocument(): void;
    _getArticleMetadata(jsonLd: object): { readonly title: string };
    _grabArticle(): Element | null;
    _postProcessContent(content: Element): void;
    _isValidByline(node: Element, names: string): boolean;
    _isElementWithoutContent(node: Element): boolean;
    _isProbablyVisible(node: Element): boolean;
    _cleanStyles(root: Element): void;
    _clean(root: Element, tag: string): void;
    _removeNodes(nodes: ArrayLike<Element>, isUnwanted?: NodeTest): void;
    _getInnerText(node: Element, normalizeSpaces?: boolean): string;
    _getAllNodesWithTag(
      root: Element,
      names: readonly string[],
    ): ArrayLike<Element> & Iterable<Element>;
    _getTextDensity(root: Element, names: readonly string[]): number;
  }
}

/** Elements that the copy never contains, because their content is not readable text. */
const NEVER_COPIED = new Set(['object', 'embed', 'link', 'select', 'textarea']);

/**
 * The copy has no scripts, no hidden elements and no attributes for styles, so that the methods that
 * look for these return at once.
 */
export class PageReadability extends Readability {
  /** Texts of elements; exists only while a test runs, because tests do not change the tree. */
  #texts: Map<Element, string> | undefined;
  /** Lengths of these texts; exists while a list of elements is tested. */
  #lengths: Map<Node, number> | undefined;

  /** Like `parse`, but creates neither the markup nor the metadata of the article. */
  findContent(): Element | null {
    this._unwrapNoscriptImages(this._doc);
    this._prepDocument();
    this._metadata = this._getArticleMetadata({});
    this._articleTitle = this._metadata.title;
    const content = this._grabArticle();
    if (content) this._postProcessContent(content);
    return content;
  }

  /** Reads the text only if the names match; Readability reads the text of every element. */
  override _isValidByline(node: Element, names: string): boolean {
    const isNamed =
      attributeText(node, 'rel') === 'author' ||
      attributeText(node, 'itemprop').includes('author') ||
      this.REGEXPS.byline.test(names);
    if (!isNamed) return false;
    const { length } = getTextContent(node).trim();
    return length > 0 && length < 100;
  }

  override _isElementWithoutContent(node: Element): boolean {
    if (hasText(node)) return false;
    const { length } = node.children;
    return length === 0 || length === queryAll(node, 'br, hr').length;
  }

  /** The tests read the text of an element several times. */
  override _removeNodes(nodes: ArrayLike<Element>, isUnwanted?: NodeTest): void {
    this.#lengths = new Map();
    super._removeNodes(nodes, isUnwanted && ((...args) => this.#test(isUnwanted, args)));
    this.#lengths = undefined;
  }

  #test(isUnwanted: NodeTest, args: Parameters<NodeTest>): boolean {
    this.#texts = new Map();
    const result = isUnwanted.call(this, ...args);
    this.#texts = undefined;
    // Without the element, those around it have another text.
    if (result)
      for (let at = parentNode(args[0]); at; at = parentNode(at)) this.#lengths?.delete(at);
    return result;
  }

  /** The share of the text that is in elements of these names; elements in each other count twice. */
  override _getTextDensity(root: Element, names: readonly string[]): number {
    const length = this.#getLength(root);
    if (length === 0) return 0;
    let inside = 0;
    for (const element of this._getAllNodesWithTag(root, names)) inside += this.#getLength(element);
    return inside / length;
  }

  #getLength(element: Element): number {
    const lengths = this.#lengths;
    if (!lengths) return this._getInnerText(element).length;
    return getOrCreate(lengths, element, () => this._getInnerText(element).length);
  }

  override _getInnerText(node: Element, normalizeSpaces?: boolean): string {
    const texts = this.#texts;
    if (!texts || normalizeSpaces === false) return super._getInnerText(node, normalizeSpaces);
    return getOrCreate(texts, node, () => super._getInnerText(node));
  }

  override _isProbablyVisible(): boolean {
    return true;
  }

  override _cleanStyles(): void {}

  override _clean(root: Element, tag: string): void {
    if (!NEVER_COPIED.has(tag)) super._clean(root, tag);
  }
}

/** Whether an element contains a character that is not white space. */
const hasText = (root: Element): boolean => {
  for (let at = firstChild(root); at; at = findNext(at, root))
    if (isText(at) && getData(at).trim() !== '') return true;
  return false;
};
