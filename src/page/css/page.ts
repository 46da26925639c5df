// CSS report of a page: viewport, style sheets, fonts, problems, layers and large boxes.
import { composedParent } from '../shadow.ts';
import { intersect } from '../act/hit.ts';
import { addCount, listIf } from '../objects.ts';
import {
  attribute,
  getData,
  firstChild,
  isText,
  localName,
  nextSibling,
  queryAll,
  getRect,
  rootElement,
} from '../safe-dom.ts';
import type { CssPage, StylePair } from '../read-answers.ts';
import { textIf } from '../visible-text.ts';
import { measureContrast, shortValue } from './styles.ts';
import { customProperties, textFacts } from './element.ts';
import { listMetConditions, readRules, sheetName } from './rules.ts';
import { round, shortLabel } from './visibility.ts';

const PINNED_POSITIONS = new Set<string>(['fixed', 'sticky']);

const MAX_ELEMENTS = 5000;
const MAX_VARIABLES = 80;
const MAX_OF_A_KIND = 5;
const MAX_BOXES = 40;
const CONTROLS =
  'a[href], button, input:not([type=hidden]), select, textarea, [role=button], [role=link], ' +
  '[role=checkbox], [role=tab], [onclick]';

export const pageReport = (): CssPage => {
  const root = rootElement(document) ?? document.body;
  const elements = [...queryAll(document, 'body *')]
    .slice(0, MAX_ELEMENTS)
    .filter((element) =>
      element.checkVisibility({ visibilityProperty: true, opacityProperty: true }),
    );
  return {
    viewport: viewportFacts(),
    sheets: sheetFacts(),
    media: listMetConditions().slice(0, 20),
    variables: [...customProperties(root)]
      .slice(0, MAX_VARIABLES)
      .map(([name, value]) => [name, shortValue(value)]),
    text: document.body ? textFacts(document.body) : '',
    fonts: collectFonts(elements),
    problems: findProblems(elements),
    layers: collectLayers(elements),
    boxes: collectBoxes(),
  };
};

const viewportFacts = (): string => {
  const { scrollWidth, scrollHeight } = rootElement(document) as HTMLElement;
  const scheme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)').matches;
  const facts = [
    `${innerWidth}x${innerHeight} at ${round(devicePixelRatio)}x`,
    `page ${scrollWidth}x${scrollHeight}`,
    `scrolled to ${round(scrollX)},${round(scrollY)}`,
    `prefers ${scheme}`,
  ];
  if (reducedMotion) facts.push('reduced motion');
  if (document.compatMode === 'BackCompat') facts.push('quirks mode');
  return facts.join(', ');
};

const sheetFacts = (): string => {
  const sheets = [...document.styleSheets, ...document.adoptedStyleSheets];
  const read = sheets.map((sheet) => ({ name: sheetName(sheet), rules: readRules(sheet)?.length }));
  const named = read.map(
    ({ name, rules }) =>
      `${name} (${rules === undefined ? 'not readable: another origin' : `${rules} rules`})`,
  );
  return named.length > 8
    ? `${named.slice(0, 8).join(', ')} and ${named.length - 8} more`
    : named.join(', ');
};

const ownText = (element: Element): string => {
  let text = '';
  for (let child = firstChild(element); child && text.length < 100; child = nextSibling(child))
    if (isText(child)) text += getData(child).slice(0, 200).trim();
  return text;
};

/** The most used font families, sorted by text length. */
const collectFonts = (elements: readonly Element[]): StylePair[] => {
  const chars = new Map<string, number>();
  for (const element of elements) {
    const { length } = ownText(element);
    if (length === 0) continue;
    const [first = ''] = getComputedStyle(element).fontFamily.split(',');
    addCount(chars, first, length);
  }
  return [...chars]
    .sort((a, b) => b[1] - a[1])
    .slice(0, MAX_OF_A_KIND)
    .map(([family]) => [family, fontState(family)]);
};

const fontState = (family: string): string => {
  const faces = [...document.fonts].filter(
    (face) => face.family.replaceAll('"', '') === family.replaceAll('"', ''),
  );
  if (faces.length === 0) return 'local';
  return faces.some(({ status }) => status === 'loaded')
    ? 'loaded'
    : (faces[0]?.status ?? 'unloaded');
};

const findProblems = (elements: readonly Element[]): string[] => [
  ...findWideElements(elements),
  ...formatProblem(
    elements,
    'text cut off',
    isCutOff,
    (element) => `${shortLabel(element)} "${ownText(element).slice(0, 40)}"`,
  ),
  ...findCoveredControls(elements),
  ...formatProblem(
    elements,
    'control without size',
    (element) =>
      element.matches(CONTROLS) && (getRect(element).width < 1 || getRect(element).height < 1),
    shortLabel,
  ),
  ...formatProblem(elements, 'low contrast', isFaint, (element) => {
    const text = ownText(element).slice(0, 30);
    return `${shortLabel(element)} ${measureContrast(element)?.ratio} "${text}"`;
  }),
  ...formatProblem(
    elements,
    'broken image',
    isBroken,
    (element) => `${shortLabel(element)} ${attribute(element, 'src')?.slice(0, 80) ?? ''}`,
  ),
  ...formatProblem(elements, 'distorted image', isDistorted, shortLabel),
  ...[...document.fonts]
    .filter(({ status }) => status === 'error')
    .slice(0, MAX_OF_A_KIND)
    .map(({ family }) => `font not loaded: ${family}`),
];

const formatProblem = (
  elements: readonly Element[],
  what: string,
  test: (element: Element) => boolean,
  format: (element: Element) => string,
): string[] => {
  const found = elements.filter(test);
  if (found.length === 0) return [];
  const more = textIf(found.length > MAX_OF_A_KIND, `; ${found.length - MAX_OF_A_KIND} more`);
  return [`${what}: ${found.slice(0, MAX_OF_A_KIND).map(format).join('; ')}${more}`];
};

/** The outermost elements that extend beyond the right edge of the viewport. */
const findWideElements = (elements: readonly Element[]): string[] => {
  const { scrollWidth, clientWidth } = rootElement(document) as HTMLElement;
  if (scrollWidth <= clientWidth + 1) return [];
  const wide = new Set(
    elements.filter(
      (element) =>
        getRect(element).right + scrollX > clientWidth + 1 &&
        getComputedStyle(element).position !== 'fixed',
    ),
  );
  const outermost = [...wide].filter((element) => !wide.has(composedParent(element) as Element));
  const named = outermost
    .slice(0, MAX_OF_A_KIND)
    .map((element) => `${shortLabel(element)} to ${round(getRect(element).right + scrollX)}`);
  const cause = textIf(named.length > 0, `, because of ${named.join('; ')}`);
  return [`page scrolls sideways: ${scrollWidth} in ${clientWidth}${cause}`];
};

const isCutOff = (element: Element): boolean =>
  element.clientWidth > 0 &&
  element.scrollWidth > element.clientWidth + 1 &&
  getComputedStyle(element).overflowX === 'hidden' &&
  ownText(element) !== '';

const isFaint = (element: Element): boolean => {
  if (ownText(element).length < 2 || element.matches(':disabled, [aria-disabled=true]'))
    return false;
  const contrast = measureContrast(element);
  return contrast !== undefined && contrast.ratio < contrast.needed;
};

const isBroken = (element: Element): boolean =>
  localName(element) === 'img' &&
  (element as HTMLImageElement).complete &&
  (element as HTMLImageElement).naturalWidth === 0 &&
  attribute(element, 'src') !== null;

const isDistorted = (element: Element): boolean => {
  if (localName(element) !== 'img' || getComputedStyle(element).objectFit !== 'fill') return false;
  const { naturalWidth, naturalHeight, clientWidth, clientHeight } = element as HTMLImageElement;
  if (naturalWidth < 8 || naturalHeight < 8 || clientWidth < 8 || clientHeight < 8) return false;
  return Math.abs(naturalWidth / naturalHeight / (clientWidth / clientHeight) - 1) > 0.1;
};

/** Controls in the viewport that the pointer cannot hit. */
const findCoveredControls = (elements: readonly Element[]): string[] => {
  const met = elements
    .filter((element) => element.matches(CONTROLS))
    .slice(0, 300)
    .map((element) => ({ element, ...intersect(element) }));
  const hidden = met.filter(
    ({ point, cover, element }) =>
      !point && cover && getComputedStyle(element).pointerEvents !== 'none',
  );
  return formatProblem(
    hidden.map(({ element }) => element),
    'covered control',
    () => true,
    (element) => {
      const cover = hidden.find((item) => item.element === element)?.cover;
      return `${shortLabel(element)} by ${cover ? shortLabel(cover) : 'something'}`;
    },
  );
};

/** Fixed and sticky elements and positive z-indexes, highest first. */
const collectLayers = (elements: readonly Element[]): string[] => {
  const layers = elements.flatMap((element) => {
    const { position, zIndex } = getComputedStyle(element);
    const z = Number(zIndex);
    const counts = PINNED_POSITIONS.has(position) || (position !== 'static' && z > 0);
    return listIf(counts, { element, position, z: Number.isFinite(z) ? z : 0 });
  });
  return layers
    .sort((a, b) => b.z - a.z)
    .slice(0, 10)
    .map(
      ({ element, position, z }) => `${z} ${shortLabel(element)} ${position} ${boxFacts(element)}`,
    );
};

const boxFacts = (element: Element): string => {
  const { x, y, width, height } = getRect(element);
  return `${round(x + scrollX)},${round(y + scrollY)} ${round(width)}x${round(height)}`;
};

/** Boxes that cover at least 4 % of the viewport area, up to four levels deep. */
const collectBoxes = (): CssPage['boxes'] => {
  const boxes: { depth: number; label: string; facts: string }[] = [];
  const least = innerWidth * innerHeight * 0.04;
  const visit = (parent: Element, depth: number): void => {
    for (const child of parent.children) {
      if (boxes.length >= MAX_BOXES) return;
      const { width, height } = getRect(child);
      const { display, position, overflow } = getComputedStyle(child);
      if (
        display === 'none' ||
        width * height < least ||
        /^(?:script|style|p|h[1-6])$/.test(localName(child))
      )
        continue;
      const facts = [
        boxFacts(child),
        textIf(display !== 'block', display),
        textIf(position !== 'static', position),
        textIf(overflow !== 'visible', `overflow ${overflow}`),
      ];
      boxes.push({
        depth,
        label: shortLabel(child),
        facts: facts.filter((fact) => fact !== '').join(' '),
      });
      if (depth < 3) visit(child, depth + 1);
    }
  };
  if (document.body) visit(document.body, 0);
  return boxes;
};
