// Reports the state of a page or element: focus, forms, headings, errors, panels, geometry.
import { defined } from '../objects.ts';
import { measureBoxes } from '../act/hit.ts';
import { round, describeVisibility } from '../css/visibility.ts';
import {
  activeElement,
  attribute,
  localName,
  queryAll,
  getRect,
  type Root,
  rootElement,
} from '../safe-dom.ts';
import { buildDomLabel } from '../dom-label.ts';
import { readErrors, readForms, readPanels } from '../inspect/inspect-parts.ts';
import { readWholeValue } from '../element-values.ts';
import type {
  ElementFactAnswer,
  InspectAnswer,
  InspectSection,
  ElementSummary,
  NoSubject,
} from '../read-answers.ts';
import { getShadowRoot } from '../shadow.ts';
import { deepQueryAll, documentTitle, findSubject, isNoSubject, searchable } from '../selectors.ts';
import { Describer } from '../describe-element.ts';
import { shortLine, textIf } from '../visible-text.ts';
import { implement, type ElementFactRequest, type InspectRequest } from '../page-functions.ts';

const MAX_HEADINGS = 60;

const read = ({ subject, sections }: InspectRequest): InspectAnswer | NoSubject => {
  const found = subject && findSubject(subject);
  if (found && isNoSubject(found)) return found;
  const describer = new Describer();
  const scopes = found ? [found, ...findShadowRoots(found)] : searchable();
  const wants = (section: InspectSection): boolean => sections.includes(section);
  return defined({
    title: documentTitle(),
    ...(found
      ? { element: aboutElement(found, subject?.selector, describer) }
      : { counts: counts(scopes) }),
    focus: wants('focus') ? readFocus(describer) : undefined,
    forms: wants('forms') ? readForms(scopes, describer) : undefined,
    headings: wants('headings') ? readHeadings(scopes) : undefined,
    errors: wants('errors') ? readErrors(scopes, describer) : undefined,
    panels: wants('panels') ? readPanels(scopes, describer) : undefined,
    geometry: wants('geometry') ? readGeometry(found) : undefined,
  });
};

const findShadowRoots = (element: Element): Root[] =>
  [element, ...queryAll(element, '*')].flatMap((inner) => getShadowRoot(inner) ?? []);

const aboutElement = (
  element: Element,
  selector: string | undefined,
  describer: Describer,
): NonNullable<InspectAnswer['element']> => ({
  item: describer.item(element),
  label: buildDomLabel(element, false),
  matches: selector === undefined ? 1 : deepQueryAll(selector, 1).total,
  text: shortLine(((element as HTMLElement).innerText ?? '').slice(0, 1000), 300),
});

const readFocus = (describer: Describer): ElementSummary | null => {
  let active = activeElement();
  for (;;) {
    const inner: Element | null | undefined = active && getShadowRoot(active)?.activeElement;
    if (!inner) break;
    active = inner;
  }
  return active && localName(active) !== 'body' && localName(active) !== 'html'
    ? describer.item(active)
    : null;
};

const readHeadings = (
  scopes: readonly (Element | Root)[],
): NonNullable<InspectAnswer['headings']> =>
  scopes
    .flatMap((scope) => [...queryAll(scope, 'h1, h2, h3, h4, h5, h6, [role=heading]')])
    .filter((heading) => heading.checkVisibility({ visibilityProperty: true }))
    .slice(0, MAX_HEADINGS)
    .map((heading) => ({
      level: Number(
        /^h([1-6])$/.exec(localName(heading))?.[1] ?? attribute(heading, 'aria-level') ?? 2,
      ),
      text: shortLine((heading as HTMLElement).innerText ?? '', 150),
    }))
    .filter(({ text }) => text !== '');

const readGeometry = (element: Element | undefined): string[] =>
  element ? elementGeometry(element) : pageGeometry();

const elementGeometry = (element: Element): string[] => {
  const { x, y, width, height } = getRect(element);
  const { display, position, zIndex, overflow } = getComputedStyle(element);
  const boxes = measureBoxes(element).length;
  const lines = textIf(boxes > 1, ` in ${boxes} lines`);
  const origin = `${round(x + scrollX)},${round(y + scrollY)}`;
  const layout = [`display ${display}`];
  if (position !== 'static') layout.push(`position ${position}`);
  if (zIndex !== 'auto') layout.push(`z-index ${zIndex}`);
  if (overflow !== 'visible') layout.push(`overflow ${overflow}`);
  return [
    `box ${origin} ${round(width)}x${round(height)}${lines}`,
    describeVisibility(element),
    layout.join(', '),
  ];
};

const pageGeometry = (): string[] => {
  const root = rootElement(document);
  return [
    [
      `viewport ${innerWidth}x${innerHeight}`,
      `page ${root?.scrollWidth ?? 0}x${root?.scrollHeight ?? 0}`,
      `scrolled to ${round(scrollX)},${round(scrollY)}`,
    ].join(', '),
  ];
};

const COUNTED: readonly (readonly [what: string, selector: string])[] = [
  ['links', 'a[href]'],
  ['buttons', 'button, [role=button], input[type=submit], input[type=button]'],
  ['fields', 'input:not([type=hidden], [type=submit], [type=button]), select, textarea'],
  ['images', 'img'],
  ['tables', 'table'],
  ['frames', 'iframe'],
];

const counts = (scopes: readonly (Element | Root)[]): string =>
  COUNTED.map(
    ([what, selector]) =>
      [what, scopes.reduce((sum, scope) => sum + queryAll(scope, selector).length, 0)] as const,
  )
    .filter(([, n]) => n > 0)
    .map(([what, n]) => `${n} ${what}`)
    .join(', ');

const readFact = (options: ElementFactRequest): ElementFactAnswer | NoSubject => {
  const { subject, attribute: name, maxChars } = options;
  const found = findSubject(subject ?? {});
  if (isNoSubject(found)) return found;
  const fact = name === undefined ? readWholeValue(found) : attribute(found, name);
  return { title: documentTitle(), fact: fact?.slice(0, maxChars) ?? null };
};

/** The number of elements that match, also in shadow roots; null for an invalid selector. */
const count = (selector: string): number | null => {
  try {
    return deepQueryAll(selector, 0).total;
  } catch {
    return null;
  }
};

export const functions = implement('inspect', { read, readFact, count });
