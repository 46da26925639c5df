// DOM access that a page cannot clobber: an input named firstChild does not hide form.firstChild.

const getter = <T>(prototype: object, name: string): ((node: Node) => T) => {
  const get = Object.getOwnPropertyDescriptor(prototype, name)?.get as () => T;
  return (node) => get.call(node);
};
const method = <F extends (...args: never[]) => unknown>(prototype: object, name: string): F =>
  (prototype as Record<string, F>)[name] as F;

export const firstChild = getter<Node | null>(Node.prototype, 'firstChild');
export const nextSibling = getter<Node | null>(Node.prototype, 'nextSibling');
export const parentNode = getter<Node | null>(Node.prototype, 'parentNode');
export const nodeType = getter<number>(Node.prototype, 'nodeType');
export const isConnected = getter<boolean>(Node.prototype, 'isConnected');
export const ownerDocument = getter<Document | null>(Node.prototype, 'ownerDocument');
export const localName = getter<string>(Element.prototype, 'localName');
export const childElementCount = getter<number>(Element.prototype, 'childElementCount');
export const firstElementChild = getter<Element | null>(Element.prototype, 'firstElementChild');
export const nextElementSibling = getter<Element | null>(Element.prototype, 'nextElementSibling');
export const previousElementSibling = getter<Element | null>(
  Element.prototype,
  'previousElementSibling',
);
export const openShadowRoot = getter<ShadowRoot | null>(Element.prototype, 'shadowRoot');
const textContent = getter<string | null>(Node.prototype, 'textContent');
/** All text inside an element, as it is in the document. */
export const getTextContent = (node: Node): string => textContent(node) ?? '';
export const elementId = getter<string>(Element.prototype, 'id');
export const getData = getter<string>(CharacterData.prototype, 'data');
export const getLength = getter<number>(CharacterData.prototype, 'length');
export const getTabIndex = getter<number>(HTMLElement.prototype, 'tabIndex');
export const rootElement = getter<Element | null>(Document.prototype, 'documentElement');
export const getTitle = getter<string>(Document.prototype, 'title');
export const getImplementation = getter<DOMImplementation>(Document.prototype, 'implementation');
const documentActiveElement = getter<Element | null>(Document.prototype, 'activeElement');

const getAttributeMethod = method<(name: string) => string | null>(
  Element.prototype,
  'getAttribute',
);
const hasAttributesMethod = method<() => boolean>(Element.prototype, 'hasAttributes');
const hasAttributeMethod = method<(name: string) => boolean>(Element.prototype, 'hasAttribute');
const getRootNodeMethod = method<() => Node>(Node.prototype, 'getRootNode');
const containsMethod = method<(other: Node) => boolean>(Node.prototype, 'contains');
const matchesMethod = method<(selector: string) => boolean>(Element.prototype, 'matches');
const closestMethod = method<(selector: string) => Element | null>(Element.prototype, 'closest');
const rectMethod = method<() => DOMRect>(Element.prototype, 'getBoundingClientRect');
const positionMethod = method<(other: Node) => number>(Node.prototype, 'compareDocumentPosition');
const visibilityMethod = method<(options: CheckVisibilityOptions) => boolean>(
  Element.prototype,
  'checkVisibility',
);
const boxesMethod = method<() => DOMRectList>(Element.prototype, 'getClientRects');
const queryElement = method<(selector: string) => Element | null>(
  Element.prototype,
  'querySelector',
);
const queryDocument = method<(selector: string) => Element | null>(
  Document.prototype,
  'querySelector',
);
const queryFragment = method<(selector: string) => Element | null>(
  DocumentFragment.prototype,
  'querySelector',
);
const queryAllElement = method<(selector: string) => NodeListOf<Element>>(
  Element.prototype,
  'querySelectorAll',
);
const queryAllDocument = method<(selector: string) => NodeListOf<Element>>(
  Document.prototype,
  'querySelectorAll',
);
const queryAllFragment = method<(selector: string) => NodeListOf<Element>>(
  DocumentFragment.prototype,
  'querySelectorAll',
);
const byIdDocument = method<(id: string) => Element | null>(Document.prototype, 'getElementById');
const byIdFragment = method<(id: string) => Element | null>(
  DocumentFragment.prototype,
  'getElementById',
);

export type Root = Document | ShadowRoot;

export const attribute = (element: Element, name: string): string | null =>
  getAttributeMethod.call(element, name);
/** The attribute, or an empty text if it is missing. */
export const attributeText = (element: Element, name: string): string =>
  getAttributeMethod.call(element, name) ?? '';
export const hasAttribute = (element: Element, name: string): boolean =>
  hasAttributeMethod.call(element, name);
/** Whether the element has no attributes at all. */
export const isBare = (element: Element): boolean => !hasAttributesMethod.call(element);
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
