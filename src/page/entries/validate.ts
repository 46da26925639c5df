// Checks images, labels, names, ids, SEO basics and web vitals of a page.
import { shortLabel } from '../css/visibility.ts';
import {
  attribute,
  attributeText,
  elementId,
  hasAttribute,
  localName,
  query,
  queryAll,
  rootElement,
} from '../safe-dom.ts';
import type { Counted, ValidateAnswer } from '../read-answers.ts';
import { inputType } from '../roles.ts';
import { documentTitle, searchable } from '../selectors.ts';
import { addCount } from '../objects.ts';
import { Describer } from '../describe-element.ts';
import { oneLine, shortLine, textIf } from '../visible-text.ts';
import { readVitals } from './vitals.ts';
import { implement } from '../page-functions.ts';

const MAX_NAMED = 5;
const MAX_ELEMENTS = 20_000;
/** How long to wait for the first paint. */
const PAINT_MS = 500;

const countElements = (
  elements: readonly Element[],
  format: (element: Element) => string,
): Counted => ({
  count: elements.length,
  first: elements.slice(0, MAX_NAMED).map(format),
});

const isShown = (element: Element): boolean =>
  element.checkVisibility({ visibilityProperty: true });

const FIELDS =
  'input:not([type=hidden], [type=submit], [type=button], [type=reset], [type=image]), ' +
  'select, textarea';
const CONTROLS =
  'button, a[href], input[type=submit], input[type=button], input[type=image], ' +
  '[role=button], [role=link], [role=tab], [role=menuitem]';

const read = async (): Promise<ValidateAnswer> => {
  await waitForPaint();
  const roots = searchable();
  const all = (selector: string): Element[] =>
    roots.flatMap((root) => [...queryAll(root, selector)]).slice(0, MAX_ELEMENTS);
  const describer = new Describer();
  const nameless = (element: Element): boolean =>
    isShown(element) && describer.target(element).name === '';
  const images = all('img');
  return {
    title: documentTitle(),
    lang: oneLine(attributeText(rootElement(document) ?? document.body, 'lang')),
    description: metaContent('description'),
    canonical: query(document, 'link[rel~=canonical i]')?.getAttribute('href')?.slice(0, 300) ?? '',
    hasViewport: query(document, 'meta[name=viewport i]') !== null,
    noindex: /noindex/i.test(metaContent('robots')),
    h1: all('h1')
      .filter(isShown)
      .slice(0, 3)
      .map((heading) => shortLine(heading.textContent, 80)),
    images: images.length,
    brokenImages: countElements(images.filter(isBroken), formatSource),
    withoutAlt: countElements(images.filter(lacksAlt), formatSource),
    withoutLabel: countElements(all(FIELDS).filter(nameless), fieldLabel),
    withoutName: countElements(all(CONTROLS).filter(nameless), shortLabel),
    duplicateIds: duplicateIds(),
    vitals: readVitals(),
  };
};

/** Waits for the largest-contentful-paint entry, which is reported after the paint. */
const waitForPaint = (): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      observer.disconnect();
      resolve();
    };
    const timer = setTimeout(done, PAINT_MS);
    const observer = new PerformanceObserver(done);
    observer.observe({ type: 'largest-contentful-paint', buffered: true });
  });

const metaContent = (name: string): string =>
  shortLine(query(document, `meta[name="${name}" i]`)?.getAttribute('content') ?? '', 300);

const isBroken = (image: Element): boolean => {
  const { complete, naturalWidth } = image as HTMLImageElement;
  return (
    complete &&
    naturalWidth === 0 &&
    (hasAttribute(image, 'src') || hasAttribute(image, 'srcset')) &&
    isShown(image)
  );
};

const lacksAlt = (image: Element): boolean =>
  !hasAttribute(image, 'alt') &&
  !hasAttribute(image, 'aria-label') &&
  !hasAttribute(image, 'aria-labelledby') &&
  attribute(image, 'role') !== 'presentation' &&
  isShown(image);

const formatSource = (image: Element): string =>
  (attribute(image, 'src') ?? shortLabel(image)).slice(0, 120);

const fieldLabel = (field: Element): string => {
  const name = attribute(field, 'name');
  if (elementId(field) || !name) return shortLabel(field);
  const tag = localName(field);
  const type = textIf(tag === 'input', ` (${inputType(field)})`);
  return `${tag}[name=${name.slice(0, 60)}]${type}`;
};

const duplicateIds = (): Counted => {
  const counts = new Map<string, number>();
  for (const element of [...queryAll(document, '[id]')].slice(0, MAX_ELEMENTS)) {
    const id = elementId(element);
    if (id) addCount(counts, id);
  }
  const twice = [...counts].filter(([, n]) => n > 1);
  return {
    count: twice.length,
    first: twice.slice(0, MAX_NAMED).map(([id, n]) => `${id.slice(0, 60)} x${n}`),
  };
};

export const functions = implement('validate', { read });
