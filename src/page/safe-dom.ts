// DOM access that a page cannot clobber: an input named firstChild does not hide form.firstChild.

/** A class of the DOM. Its name alone has no side effects, `X.prototype` has for the bundler. */
interface DomClass {
  readonly prototype: object;
}

// The annotations let the bundler leave out the functions that a page script does not use.

// @__NO_SIDE_EFFECTS__
const findGetter = <T>({ prototype }: DomClass, name: string): (() => T) =>
  Object.getOwnPropertyDescriptor(prototype, name)?.get as () => T;

// @__NO_SIDE_EFFECTS__
export const getter = <T>(dom: DomClass, name: string): ((node: Node) => T) => {
  const get = findGetter<T>(dom, name);
  return (node) => get.call(node);
};

// @__NO_SIDE_EFFECTS__
export const method = <F extends (...args: never[]) => unknown>(
  { prototype }: DomClass,
  name: string,
): F => (prototype as Record<string, F>)[name] as F;

// These run for every node of a page. Each has its own function, which V8 can inline.
const firstChildGetter = findGetter<Node | null>(Node, 'firstChild');
export const firstChild = (node: Node): Node | null => firstChildGetter.call(node);
const nextSiblingGetter = findGetter<Node | null>(Node, 'nextSibling');
export const nextSibling = (node: Node): Node | null => nextSiblingGetter.call(node);
const parentNodeGetter = findGetter<Node | null>(Node, 'parentNode');
export const parentNode = (node: Node): Node | null => parentNodeGetter.call(node);
const nodeTypeGetter = findGetter<number>(Node, 'nodeType');
export const nodeType = (node: Node): number => nodeTypeGetter.call(node);
const localNameGetter = findGetter<string>(Element, 'localName');
export const localName = (node: Node): string => localNameGetter.call(node);
const openShadowRootGetter = findGetter<ShadowRoot | null>(Element, 'shadowRoot');
export const openShadowRoot = (node: Node): ShadowRoot | null => openShadowRootGetter.call(node);
const getDataGetter = findGetter<string>(CharacterData, 'data');
export const getData = (node: Node): string => getDataGetter.call(node);

export const isConnected = getter<boolean>(Node, 'isConnected');
export const ownerDocument = getter<Document | null>(Node, 'ownerDocument');
export const childElementCount = getter<number>(Element, 'childElementCount');
export const firstElementChild = getter<Element | null>(Element, 'firstElementChild');
export const nextElementSibling = getter<Element | null>(Element, 'nextElementSibling');

export const previousElementSibling = getter<Element | null>(Element, 'previousElementSibling');
const textContent = getter<string | null>(Node, 'textContent');

/** All text inside an element, as it is in the document. */
export const getTextContent = (node: Node): string => textContent(node) ?? '';
export const elementId = getter<string>(Element, 'id');
export const getTabIndex = getter<number>(HTMLElement, 'tabIndex');
export const rootElement = getter<Element | null>(Document, 'documentElement');
export const getTitle = getter<string>(Document, 'title');
export const getImplementation = getter<DOMImplementation>(Document, 'implementation');
const documentActiveElement = getter<Element | null>(Document, 'activeElement');

const getAttributeMethod = method<(name: string) => string | null>(Element, 'getAttribute');
const hasAttributeMethod = method<(name: string) => boolean>(Element, 'hasAttribute');
const getRootNodeMethod = method<() => Node>(Node, 'getRootNode');
const containsMethod = method<(other: Node) => boolean>(Node, 'contains');
const matchesMethod = method<(selector: string) => boolean>(Element, 'matches');
const closestMethod = method<(selector: string) => Element | null>(Element, 'closest');
const rectMethod = method<() => DOMRect>(Element, 'getBoundingClientRect');
const positionMethod = method<(other: Node) => number>(Node, 'compareDocumentPosition');

const visibilityMethod = method<(options: CheckVisibilityOptions) => boolean>(
  Element,
  'checkVisibility',
);
const boxesMethod = method<() => DOMRectList>(Element, 'getClientRects');

const queryElement = method<(selector: string) => Element | null>(Element, 'querySelector');

const queryDocument = method<(selector: string) => Element | null>(Document, 'querySelector');

const queryFragment = method<(selector: string) => Element | null>(
  DocumentFragment,
  'querySelector',
);

const queryAllElement = method<(selector: string) => NodeListOf<Element>>(
  Element,
  'querySelectorAll',
);

const queryAllDocument = method<(selector: string) => NodeListOf<Element>>(
  Document,
  'querySelectorAll',
);

const queryAllFragment = method<(selector: string) => NodeListOf<Element>>(
  DocumentFragment,
  'querySelectorAll',
);
const byIdDocument = method<(id: string) => Element | null>(Document, 'getElementById');

const byIdFragment = method<(id: string) => Element | null>(DocumentFragment, 'getElementById');

export type Root = Document | ShadowRoot;

export const attribute = (element: Element, name: string): string | null =>
  getAttributeMethod.call(element, name);

/** The attribute, or an empty text if it is missing. */
export const attributeText = (element: Element, name: string): string =>
  getAttributeMethod.call(element, name) ?? '';

/** Whether an ARIA attribute is set to "true". */
export const isAria = (element: Element, name: string): boolean =>
  getAttributeMethod.call(element, name) === 'true';

export const hasAttribute = (element: Element, name: string): boolean =>
  hasAttributeMethod.call(element, name);

export const getRoot = (node: Node): Node => getRootNodeMethod.call(node);
export const contains = (node: Node, other: Node): boolean => containsMethod.call(node, other);

export const matches = (element: Element, selector: string): boolean =>
  matchesMethod.call(element, selector);

export const closest = (element: Element, selector: string): Element | null =>
  closestMethod.call(element, selector);
export const getRect = (element: Element): DOMRect => rectMethod.call(element);

/** Whether the first node precedes the other one in document order. */
export const isBefore = (node: Node, other: Node): boolean =>
  (positionMethod.call(node, other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;

/** Whether the element has a box and its visibility is `visible`. */
export const isShown = (element: Element): boolean =>
  visibilityMethod.call(element, { visibilityProperty: true }) &&
  boxesMethod.call(element).length > 0;
export const isElement = (node: Node): node is Element => nodeType(node) === 1;
export const isText = (node: Node): node is Text => nodeType(node) === 3;

const isDocument = (node: Node): node is Document => nodeType(node) === 9;

export const query = (scope: Element | Root, selector: string): Element | null => {
  if (isElement(scope)) return queryElement.call(scope, selector);
  return isDocument(scope)
    ? queryDocument.call(scope, selector)
    : queryFragment.call(scope, selector);
};

export const queryAll = (scope: Element | Root, selector: string): NodeListOf<Element> => {
  if (isElement(scope)) return queryAllElement.call(scope, selector);
  return isDocument(scope)
    ? queryAllDocument.call(scope, selector)
    : queryAllFragment.call(scope, selector);
};

/** The element with this id in the tree (document or shadow root) of `near`. */
const byId = (near: Node, id: string): Element | null => {
  const root = getRoot(near);
  if (isDocument(root)) return byIdDocument.call(root, id);
  return nodeType(root) === 11 ? byIdFragment.call(root, id) : null;
};

/** The elements whose ids the attribute lists, in its order. */
export const byIds = (element: Element, name: string): Element[] => {
  const value = attribute(element, name);
  if (!value) return [];
  const found: Element[] = [];
  for (const id of value.trim().split(/\s+/)) {
    const target = id === '' ? null : byId(element, id);
    if (target) found.push(target);
  }
  return found;
};

export const activeElement = (): Element | null => documentActiveElement(document);

// Reads document properties that a page can shadow, for example with <img name="body">.

const bodyGetter = getter<HTMLElement | null>(Document, 'body');
const scrollingGetter = getter<Element | null>(Document, 'scrollingElement');
const fromPoint = method<Document['elementFromPoint']>(Document, 'elementFromPoint');

export const pageBody = (): HTMLElement | null => bodyGetter(document);

export const pageRoot = (): Element => rootElement(document) as Element;

/** The element that scrolls the page. */
export const pageScroller = (): Element => scrollingGetter(document) ?? pageRoot();

export const atPagePoint = (x: number, y: number): Element | null => fromPoint.call(document, x, y);
