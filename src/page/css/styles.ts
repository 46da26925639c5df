// Collects the computed styles that differ from the initial or inherited value; contrast ratios.
import { composedParent } from '../shadow.ts';
import { createLookupTable, listIf } from '../objects.ts';
import type { StylePair } from '../read-answers.ts';

const UNSET_INSETS = new Set<string>(['', 'auto']);

/** Properties that are not inherited, with the initial value that is omitted. */
const OWN = createLookupTable<string>({
  float: 'none',
  clear: 'none',
  'z-index': 'auto',
  'box-sizing': 'content-box',
  'min-width': 'auto',
  'min-height': 'auto',
  'max-width': 'none',
  'max-height': 'none',
  'aspect-ratio': 'auto',
  margin: '0px',
  padding: '0px',
  'border-radius': '0px',
  overflow: 'visible',
  'clip-path': 'none',
  clip: 'auto',
  opacity: '1',
  transform: 'none',
  translate: 'none',
  rotate: 'none',
  scale: 'none',
  filter: 'none',
  'backdrop-filter': 'none',
  'mix-blend-mode': 'normal',
  isolation: 'auto',
  'will-change': 'auto',
  contain: 'none',
  'content-visibility': 'visible',
  'container-type': 'normal',
  'background-color': '#0000',
  'background-image': 'none',
  'box-shadow': 'none',
  'mask-image': 'none',
  'flex-direction': 'row',
  'flex-wrap': 'nowrap',
  'justify-content': 'normal',
  'align-items': 'normal',
  'align-content': 'normal',
  'justify-items': 'normal',
  'align-self': 'auto',
  'justify-self': 'auto',
  order: '0',
  'flex-grow': '0',
  'flex-shrink': '1',
  'flex-basis': 'auto',
  gap: 'normal',
  'grid-template-columns': 'none',
  'grid-template-rows': 'none',
  'grid-template-areas': 'none',
  'grid-auto-flow': 'row',
  'grid-column': 'auto',
  'grid-row': 'auto',
  'column-count': 'auto',
  'text-overflow': 'clip',
  'text-decoration-line': 'none',
  'vertical-align': 'baseline',
  'object-fit': 'fill',
  'table-layout': 'auto',
  'transition-duration': '0s',
  'animation-name': 'none',
  'user-select': 'auto',
  resize: 'none',
  'scroll-snap-type': 'none',
  'touch-action': 'auto',
  'line-clamp': 'none',
});

const INHERITED = (
  'color font-family font-size font-weight font-style line-height letter-spacing text-align ' +
  'text-transform text-indent white-space word-break overflow-wrap cursor pointer-events ' +
  'visibility direction writing-mode list-style-type text-shadow color-scheme'
).split(' ');

/** Further values that are omitted, because they depend only on the display type. */
const SILENT = createLookupTable<readonly string[]>({
  'min-width': ['0px'],
  'min-height': ['0px'],
  gap: ['normal normal'],
  'list-style-type': ['disc'],
});
const MAX_VALUE = 160;

export const collectStyles = (element: Element): StylePair[] => {
  const style = getComputedStyle(element);
  const found: StylePair[] = [['display', style.display]];
  if (style.position !== 'static') found.push(['position', style.position], ...readInsets(style));
  for (const [name, silent] of Object.entries(OWN)) {
    const value = shortValue(style.getPropertyValue(name));
    if (value !== '' && value !== silent && !SILENT[name]?.includes(value))
      found.push([name, value]);
  }
  found.push(...readBorders(style));
  const parent = composedParent(element);
  const around = parent && getComputedStyle(parent);
  for (const name of INHERITED) {
    const value = style.getPropertyValue(name);
    if (around && value !== around.getPropertyValue(name)) found.push([name, shortValue(value)]);
  }
  return found;
};

const readInsets = (style: CSSStyleDeclaration): StylePair[] => {
  const inset = style.getPropertyValue('inset');
  return listIf(!UNSET_INSETS.has(inset), ['inset', inset]);
};

const readBorders = (style: CSSStyleDeclaration): StylePair[] => {
  const sides = ['top', 'right', 'bottom', 'left'].map((side) => {
    const read = (part: string): string => style.getPropertyValue(`border-${side}-${part}`);
    const width = read('width');
    return width === '0px' ? '' : shortValue(`${width} ${read('style')} ${read('color')}`);
  });
  if (sides.every((side) => side === sides[0])) return sides[0] ? [['border', sides[0]]] : [];
  return ['top', 'right', 'bottom', 'left'].flatMap((side, i): StylePair[] =>
    sides[i] ? [[`border-${side}`, sides[i]]] : [],
  );
};

/** Shortens colours to hex notation and truncates long values. */
export const shortValue = (value: string): string => {
  const text = value.replace(/rgba?\(([^()]*)\)/g, (whole, parts: string) => toHex(parts) ?? whole);
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
};

const toHex = (parts: string): string | undefined => {
  const [r, g, b, a = 1] = parts.split(/[\s,/]+/).map(Number);
  if (
    r === undefined ||
    g === undefined ||
    b === undefined ||
    [r, g, b, a].some((part) => !Number.isFinite(part))
  )
    return undefined;
  const two = (n: number): string => Math.round(n).toString(16).padStart(2, '0');
  const long = two(r) + two(g) + two(b) + (a < 1 ? two(a * 255) : '');
  const short = [...long].every((c, i) => i % 2 === 0 || c === long[i - 1]);
  return `#${short ? long.replace(/(.)./g, '$1') : long}`;
};

// Contrast ratio between text and background according to WCAG.

type RgbaColour = readonly [r: number, g: number, b: number, a: number];

const parseColour = (text: string): RgbaColour | undefined => {
  const parts = /^rgba?\(([^()]*)\)$/
    .exec(text)?.[1]
    ?.split(/[\s,/]+/)
    .map(Number);
  const [r, g, b, a = 1] = parts ?? [];
  return r === undefined || g === undefined || b === undefined ? undefined : [r, g, b, a];
};

const blend = ([r, g, b, a]: RgbaColour, [R, G, B]: RgbaColour): RgbaColour => [
  r * a + R * (1 - a),
  g * a + G * (1 - a),
  b * a + B * (1 - a),
  1,
];

const luminance = ([r, g, b]: RgbaColour): number => {
  const linear = (value: number): number =>
    value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4;
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
};

/** The background colour of an element; undefined if there is a background image or gradient. */
const computeBackground = (element: Element): RgbaColour | undefined => {
  const layers: RgbaColour[] = [];
  for (let at: Element | undefined = element; at; at = composedParent(at)) {
    const { backgroundColor, backgroundImage } = getComputedStyle(at);
    if (backgroundImage !== 'none') return undefined;
    const colour = parseColour(backgroundColor);
    if (!colour) return undefined;
    if (colour[3] > 0) layers.push(colour);
    if (colour[3] === 1) break;
  }
  const white: RgbaColour = [255, 255, 255, 1];
  return layers.reduceRight<RgbaColour>((below, layer) => blend(layer, below), white);
};

export interface Contrast {
  readonly ratio: number;
  readonly background: string;
  /** Minimum ratio for WCAG AA at this font size. */
  readonly needed: number;
}

export const measureContrast = (element: Element): Contrast | undefined => {
  const { color, fontSize, fontWeight } = getComputedStyle(element);
  const background = computeBackground(element);
  const text = parseColour(color);
  if (!background || !text) return undefined;
  const [light = 0, dark = 0] = [luminance(blend(text, background)), luminance(background)].sort(
    (a, b) => b - a,
  );
  const size = Number.parseFloat(fontSize);
  const isLarge = size >= 24 || (size >= 18.66 && Number(fontWeight) >= 700);
  const [r, g, b] = background;
  return {
    ratio: Math.round(((light + 0.05) / (dark + 0.05)) * 10) / 10,
    background: `rgb(${Math.round(r)}, ${Math.round(g)}, ${Math.round(b)})`,
    needed: isLarge ? 3 : 4.5,
  };
};
