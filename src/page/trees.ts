// Finds the document and its known shadow roots without visiting every element.
import { localName, queryAll, type Root } from './safe-dom.ts';
import { getShadowRoot } from './shadow.ts';

/** The standard elements that can host a shadow root; all other hosts have a dash in their tag. */
const HOST_TAGS =
  'article,aside,blockquote,body,div,footer,h1,h2,h3,h4,h5,h6,header,main,nav,p,section,span';
const MAX_TREES = 1000;

const evaluate = Document.prototype.evaluate;

/**
 * Elements with a dash in their tag. XPath filters them natively, which avoids a wrapper object for
 * every element.
 */
const customElements = (): Element[] => {
  const found: Element[] = [];
  const result = evaluate.call(
    document,
    "//*[contains(local-name(), '-')]",
    document,
    null,
    XPathResult.ORDERED_NODE_SNAPSHOT_TYPE,
    null,
  );
  for (let i = 0; i < result.snapshotLength; i++) found.push(result.snapshotItem(i) as Element);
  return found;
};

function* possibleHosts(root: Root): Generator<Element> {
  if (root === document) {
    yield* customElements();
    yield* queryAll(root, HOST_TAGS);
  } else yield* queryAll(root, '*');
}

/**
 * All trees, the document first. Calls `look` for each possible host without a known shadow root.
 */
export const trees = (look?: (element: Element, tag: string) => void): Root[] => {
  const found: Root[] = [document];
  for (let i = 0; i < found.length && found.length < MAX_TREES; i++) {
    for (const element of possibleHosts(found[i] as Root)) {
      const inner = getShadowRoot(element);
      if (inner) found.push(inner);
      else look?.(element, localName(element));
    }
  }
  return found;
};
