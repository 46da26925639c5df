// CSS report of one element: box, layout, stacking, clipping, styles, variables, rules.
import { valueIf } from '../objects.ts';
import { composedParent } from '../shadow.ts';
import { attribute, attributeText, getRect } from '../safe-dom.ts';
import { buildDomLabel } from '../dom-label.ts';
import type { CssElement, StylePair } from '../read-answers.ts';
import { Describer } from '../describe-element.ts';
import { collectStyles, type Contrast, measureContrast, shortValue } from './styles.ts';
import { findMatchedRules, type MatchedRule } from './rules.ts';
import { findClipper, round, shortLabel, describeVisibility } from './visibility.ts';
import { BOXLESS_DISPLAYS } from '../element-kinds.ts';
import { textIf } from '../visible-text.ts';

const EMPTY_CONTENTS = new Set<string>(['none', 'normal', '']);

const MAX_RULES = 25;
const MAX_VARIABLES = 60;

export const elementReport = (element: Element, matches: number): CssElement => {
  const { x, y, width, height } = getRect(element);
  const { rules, unreadable } = findMatchedRules(element);
  const { shown, others } = collectVariables(element, rules);
  return {
    label: buildDomLabel(element, false),
    target: new Describer().target(element),
    matches,
    box: [round(x + scrollX), round(y + scrollY), round(width), round(height)],
    visibility: describeVisibility(element),
    layout: layoutFacts(element),
    styles: collectStyles(element),
    text: textFacts(element),
    variables: shown,
    otherVariables: others,
    rules: addInlineStyle(element, rules).slice(-MAX_RULES),
    pseudo: pseudoElements(element),
    unreadableSheets: unreadable,
  };
};

const addInlineStyle = (element: Element, rules: readonly MatchedRule[]): MatchedRule[] => {
  const inline = attribute(element, 'style');
  const all = rules.map(({ selector, body, source }) => ({
    selector: selector.slice(0, 200),
    body: shortValue(body),
    source,
  }));
  return inline
    ? [...all, { selector: 'style attribute', body: shortValue(inline), source: '' }]
    : all;
};

export const textFacts = (element: Element): string => {
  const { fontSize, lineHeight, fontFamily, fontWeight, color } = getComputedStyle(element);
  const contrast = measureContrast(element);
  const on = contrast ? formatContrast(contrast) : '';
  const font = `${fontSize}/${lineHeight} ${fontFamily.slice(0, 100)} ${fontWeight}`;
  return `${font}, ${shortValue(color)}${on}`;
};

const formatContrast = ({ background, ratio, needed }: Contrast): string => {
  const below = textIf(ratio < needed, ` (below ${needed})`);
  return ` on ${shortValue(background)}, contrast ${ratio}${below}`;
};

/** Facts about layout, stacking, overflow, clipping and animation. */
const layoutFacts = (element: Element): string[] =>
  [
    containerFact(element),
    offsetFact(element),
    stackingFact(element),
    overflowFact(element),
    clipFact(element),
    animationFact(element),
  ].filter((fact) => fact !== '');

const containerFact = (element: Element): string => {
  const parent = composedParent(element);
  if (!parent) return '';
  const { display, flexDirection, gridTemplateColumns } = getComputedStyle(parent);
  if (display.includes('flex')) return `flex item in ${shortLabel(parent)} (${flexDirection})`;
  if (display.includes('grid'))
    return `grid item in ${shortLabel(parent)} (columns ${gridTemplateColumns.slice(0, 80)})`;
  return '';
};

const offsetFact = (element: Element): string => {
  const { position } = getComputedStyle(element);
  if (position === 'fixed') return 'fixed to the viewport';
  if (position !== 'absolute' || !(element instanceof HTMLElement)) return '';
  const parent = element.offsetParent;
  return `positioned against ${parent ? shortLabel(parent) : 'the page'}`;
};

const CONTEXT_MAKERS: readonly (readonly [
  why: string,
  test: (style: CSSStyleDeclaration) => boolean,
])[] = [
  ['position: fixed', ({ position }) => position === 'fixed'],
  ['position: sticky', ({ position }) => position === 'sticky'],
  ['z-index', ({ position, zIndex }) => position !== 'static' && zIndex !== 'auto'],
  ['opacity', ({ opacity }) => Number(opacity) < 1],
  [
    'transform',
    ({ transform, rotate, scale, translate }) =>
      [transform, rotate, scale, translate].some((value) => !BOXLESS_DISPLAYS.has(value)),
  ],
  ['filter', ({ filter, backdropFilter }) => filter !== 'none' || backdropFilter !== 'none'],
  ['isolation', ({ isolation }) => isolation === 'isolate'],
  ['mix-blend-mode', ({ mixBlendMode }) => mixBlendMode !== 'normal'],
  ['will-change', ({ willChange }) => /transform|opacity|filter|position/.test(willChange)],
  ['contain', ({ contain }) => /paint|layout|strict|content/.test(contain)],
];

/** The property that makes the element a stacking context. */
const contextReason = (element: Element): string | undefined => {
  const style = getComputedStyle(element);
  const made = CONTEXT_MAKERS.find(([, test]) => test(style))?.[0];
  if (made) return made;
  const parent = composedParent(element);
  return valueIf(
    parent && style.zIndex !== 'auto' && /flex|grid/.test(getComputedStyle(parent).display),
    'z-index',
  );
};

const stackingFact = (element: Element): string => {
  const own = contextReason(element);
  let at = composedParent(element);
  while (at && at !== document.documentElement && contextReason(at) === undefined)
    at = composedParent(at);
  const inside =
    at && at !== document.documentElement
      ? `${shortLabel(at)} (${contextReason(at)}, z-index ${getComputedStyle(at).zIndex})`
      : 'the page';
  if (own) return `stacking context by ${own}, inside ${inside}`;
  return textIf(inside !== 'the page', `stacked inside ${inside}`);
};

const overflowFact = (element: Element): string => {
  const { scrollWidth, scrollHeight, clientWidth, clientHeight, scrollLeft, scrollTop } = element;
  if (clientWidth === 0 || (scrollWidth <= clientWidth + 1 && scrollHeight <= clientHeight + 1))
    return '';
  const { overflow } = getComputedStyle(element);
  const at = textIf(
    scrollLeft || scrollTop,
    `, scrolled to ${round(scrollLeft)},${round(scrollTop)}`,
  );
  const sizes = `content ${scrollWidth}x${scrollHeight} in ${clientWidth}x${clientHeight}`;
  return `${sizes}, overflow ${overflow}${at}`;
};

const clipFact = (element: Element): string => {
  const clip = findClipper(element);
  return clip ? `${Math.round(clip.hidden * 100)} % cut off by ${shortLabel(clip.by)}` : '';
};

const animationFact = (element: Element): string => {
  const running = element.getAnimations().filter(({ playState }) => playState === 'running');
  if (running.length === 0) return '';
  return `animating: ${running.map(formatAnimation).slice(0, 5).join(', ')}`;
};

const formatAnimation = (animation: Animation): string => {
  if ('animationName' in animation) return String(animation.animationName);
  return 'transitionProperty' in animation ? String(animation.transitionProperty) : 'script';
};

/** Computed custom properties of an element. */
export const customProperties = (element: Element): Map<string, string> => {
  const found = new Map<string, string>();
  for (const [name, values] of element.computedStyleMap())
    if (name.startsWith('--')) found.set(name, [...values].join(' ').trim());
  return found;
};

/** Variables that the element sets or that its rules use; the others are only counted. */
const collectVariables = (
  element: Element,
  rules: readonly MatchedRule[],
): { shown: StylePair[]; others: number } => {
  const all = customProperties(element);
  const parent = composedParent(element);
  const around = parent ? customProperties(parent) : new Map<string, string>();
  const bodies = `${rules.map(({ body }) => body).join(';')};${attributeText(element, 'style')}`;
  const used = new Set(bodies.match(/(?<=var\(\s*)--[\w-]+/g) ?? []);
  const shown = [...all]
    .filter(([name, value]) => used.has(name) || around.get(name) !== value)
    .slice(0, MAX_VARIABLES);
  return {
    shown: shown.map(([name, value]) => [name, shortValue(value)]),
    others: all.size - shown.length,
  };
};

const pseudoElements = (element: Element): StylePair[] =>
  ['::before', '::after'].flatMap((pseudo): StylePair[] => {
    const style = getComputedStyle(element, pseudo);
    if (EMPTY_CONTENTS.has(style.content) || style.display === 'none') return [];
    const facts = [
      `content ${style.content.slice(0, 60)}`,
      style.display,
      style.position,
      `${style.width} x ${style.height}`,
      shortValue(style.color),
    ];
    return [[pseudo, facts.join(', ')]];
  });
