// Contrast ratio between text and background according to WCAG.
import { composedParent } from '../act/describe-target.ts';

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
