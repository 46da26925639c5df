// Makes the events of a document fit for a replay without network: what was loaded stands in them, nothing asks for more. Pure.
import type { DomEvent } from './kept.ts';

/** Addresses to data URLs. */
export type Resources = ReadonlyMap<string, string>;

type Attributes = Record<string, unknown>;

/** Links that only fetch ahead or name relatives; the replay needs none of them. */
const STYLE_LINK = /(?:^|\s)stylesheet(?:\s|$)/i;
const EMBEDDED = new Set(['src', 'href', 'poster', 'background', 'data', 'xlink:href', 'rr_src']);
const CSS_URL = /url\(\s{0,9}(["']?)([^"'()]{1,4000})\1\s{0,9}\)/g;

/** The event as it is replayed; the given one is changed, for it is read for this alone. */
export const offline = (event: DomEvent, resources: Resources): DomEvent => {
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) return void (value as unknown[]).map(walk);
    const object = value as Attributes;
    if (typeof object['attributes'] === 'object' && object['attributes'] !== null && !Array.isArray(object['attributes']))
      mendAttributes(object['attributes'] as Attributes, textOf(object['tagName']), resources);
    if (object['isStyle'] === true && typeof object['textContent'] === 'string')
      object['textContent'] = mendCss(object['textContent'], resources);
    for (const member of Object.values(object)) walk(member);
  };
  walk(event.data);
  return event;
};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const mendAttributes = (attributes: Attributes, tag: string, resources: Resources): void => {
  delete attributes['srcset'];
  delete attributes['imagesrcset'];
  delete attributes['ping'];
  if (tag === 'link' && !STYLE_LINK.test(textOf(attributes['rel']))) for (const name of ['rel', 'href']) delete attributes[name];
  if (tag === 'meta') delete attributes['http-equiv']; // a refresh would lead the replay away
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value !== 'string') continue;
    if (name === '_cssText' || name === 'style') attributes[name] = mendCss(value, resources);
    else if (EMBEDDED.has(name) && tag !== 'a' && tag !== 'area') attributes[name] = resources.get(value) ?? value;
  }
};

const mendCss = (css: string, resources: Resources): string =>
  css.includes('url(') ? css.replace(CSS_URL, (whole, _, url: string) => dataUrl(resources.get(url)) ?? whole) : css;

const dataUrl = (url: string | undefined): string | undefined => (url === undefined ? undefined : `url("${url}")`);
