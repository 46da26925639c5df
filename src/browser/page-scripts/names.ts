// The accessible name of an element, after accname and HTML-AAM, as Chrome computes it.
import { attribute, byIds, dataOf, firstElementChild, hasAttribute, isElement, isText, lengthOf, localName, nextElementSibling } from './dom.ts';
import { inputType, NAMED_BY_CONTENT, roleOf } from './roles.ts';
import { eachFlatChild } from './shadow.ts';
import type { Labels } from './labels.ts';
import { type GeneratedContent, isInline, likeness, styleOf } from './style.ts';
import { isBlank, oneLine } from './text.ts';
import { rangeValue, selectedText } from './values.ts';

/** Where a name came from; what stands in `sources` is thereby told and need not be told again. */
export interface Name {
  readonly text: string;
  readonly from: 'none' | 'labelledby' | 'label' | 'aria-label' | 'content' | 'native' | 'title' | 'placeholder';
  readonly sources?: readonly Element[];
}

const NOTHING: Name = { text: '', from: 'none' };

/** No single name is read beyond this: a page can put anything into one. */
const MAX_NAME_CHARS = 4000;

/** What is found out once for a whole walk. */
export interface Known {
  readonly generated: GeneratedContent;
  readonly labels: Labels;
}

interface Traversal {
  readonly known: Known;
  readonly visited: Set<Element>;
  /** Below an element that another one names as its label. */
  readonly labelling: boolean;
  /** The label itself is hidden, so what is hidden in it counts. */
  readonly hiddenCounts: boolean;
  /** Characters gathered so far, so that hostile pages come to an end. */
  size: number;
}

export const nameOf = (element: Element, tag: string, role: string, known: Known): Name => {
  if (hasAttribute(element, 'aria-labelledby')) {
    const sources = byIds(element, 'aria-labelledby');
    const text = oneLine(sources.map((source) => labelText(source, element, known)).join(' '));
    if (text !== '') return { text, from: 'labelledby', sources };
  }
  const label = oneLine(attribute(element, 'aria-label') ?? '');
  if (label !== '') return { text: label, from: 'aria-label' };
  const native = nativeName(element, tag, known);
  if (native.text !== '') return native;
  if (NAMED_BY_CONTENT.has(role)) {
    const text = contentName(element, known);
    if (text !== '') return { text, from: 'content' };
  }
  const title = oneLine(attribute(element, 'title') ?? '');
  if (title !== '') return { text: title, from: 'title' };
  const placeholder = oneLine(placeholderOf(element, tag));
  return placeholder === '' ? NOTHING : { text: placeholder, from: 'placeholder' };
};

export const placeholderOf = (element: Element, tag: string): string =>
  (tag === 'input' || tag === 'textarea' ? attribute(element, 'placeholder') : null) ?? attribute(element, 'aria-placeholder') ?? '';

/** What stands inside an element, as its name. */
export const contentName = (element: Element, known: Known): string =>
  oneLine(contentText(element, { known, visited: new Set([element]), labelling: false, hiddenCounts: false, size: 0 }));

/** The text of an element that labels another. */
const labelText = (source: Element, labelled: Element, known: Known): string => {
  const hidden = !source.checkVisibility({ visibilityProperty: true }) || attribute(source, 'aria-hidden') === 'true';
  const traversal: Traversal = { known, visited: new Set(source === labelled ? [] : [labelled]), labelling: true, hiddenCounts: hidden, size: 0 };
  return textAlternative(source, localName(source), traversal);
};

/** The contribution of one element to the name of another. */
const textAlternative = (element: Element, tag: string, traversal: Traversal): string => {
  if (traversal.visited.has(element) || traversal.size > MAX_NAME_CHARS) return '';
  traversal.visited.add(element);
  const role = roleOf(element, tag);
  if (!traversal.labelling && hasAttribute(element, 'aria-labelledby')) {
    const text = byIds(element, 'aria-labelledby').map((source) => labelText(source, element, traversal.known)).join(' ');
    if (!isBlank(text)) return ` ${text} `;
  }
  const value = embeddedValue(element, tag, role);
  if (value !== undefined) return ` ${value} `;
  const label = attribute(element, 'aria-label');
  if (label && !isBlank(label)) return ` ${label} `;
  const native = nativeText(element, tag, traversal);
  if (native !== undefined) return ` ${native} `;
  const content = contentText(element, traversal);
  if (!isBlank(content)) return content;
  const title = attribute(element, 'title');
  return title && !isBlank(title) ? ` ${title} ` : content;
};

/** A control inside a label speaks with its value. */
const embeddedValue = (element: Element, tag: string, role: string): string | undefined => {
  switch (role) {
    case 'textbox':
    case 'searchbox':
      if (tag === 'input' || tag === 'textarea') return (element as HTMLInputElement).value;
      return element.textContent?.slice(0, MAX_NAME_CHARS) ?? '';
    case 'combobox':
    case 'listbox':
      if (tag === 'select') return selectedText(element as HTMLSelectElement);
      if (tag === 'input') return (element as HTMLInputElement).value;
      return undefined;
    case 'slider':
    case 'spinbutton':
    case 'progressbar':
    case 'meter':
    case 'scrollbar':
      return rangeValue(element, tag);
    default:
      return undefined;
  }
};

const contentText = (element: Element, traversal: Traversal): string => {
  let text = '';
  const around = traversal.known.generated.around(element, likeness(element));
  if (around) text += around[0];
  eachFlatChild(element, (child) => {
    if (traversal.size > MAX_NAME_CHARS) return;
    if (isText(child)) {
      const data = lengthOf(child) > MAX_NAME_CHARS ? dataOf(child).slice(0, MAX_NAME_CHARS) : dataOf(child);
      traversal.size += data.length;
      text += data;
    } else if (isElement(child)) {
      text += childText(child, traversal);
    }
  });
  for (const owned of byIds(element, 'aria-owns')) text += ` ${textAlternative(owned, localName(owned), traversal)}`;
  return around ? text + around[1] : text;
};

const SILENT = new Set(['script', 'style', 'noscript', 'template', 'head', 'title', 'desc', 'defs', 'datalist']);

const childText = (child: Element, traversal: Traversal): string => {
  const tag = localName(child);
  if (tag === 'br' || tag === 'wbr') return tag === 'br' ? ' ' : '';
  if (SILENT.has(tag)) return '';
  const style = styleOf(child);
  const { display } = style;
  if (!traversal.hiddenCounts && isHidden(child, style, display)) {
    // What is invisible itself may hold what is visible.
    return display !== 'none' && style.visibility !== 'visible' && attribute(child, 'aria-hidden') !== 'true' ? visibleInside(child, traversal) : '';
  }
  const text = textAlternative(child, tag, traversal);
  return isInline(display) ? text : ` ${text} `;
};

const isHidden = (element: Element, style: CSSStyleDeclaration, display: string): boolean =>
  display === 'none' || display === '' || style.visibility !== 'visible' || attribute(element, 'aria-hidden') === 'true' || hasAttribute(element, 'inert');

const visibleInside = (element: Element, traversal: Traversal): string => {
  let text = '';
  eachFlatChild(element, (child) => {
    if (isElement(child)) text += childText(child, traversal);
  });
  return text;
};

/** A name that HTML gives, with where it stands; '' where HTML gives none. */
const nativeName = (element: Element, tag: string, known: Known): Name => {
  const labels = labelsOf(element, tag, known.labels);
  if (labels) {
    const text = oneLine(labels.map((label) => labelText(label, element, known)).join(' '));
    if (text !== '') return { text, from: 'label', sources: labels };
  }
  const traversal: Traversal = { known, visited: new Set([element]), labelling: false, hiddenCounts: false, size: 0 };
  const text = nativeText(element, tag, traversal);
  if (text === undefined) return NOTHING;
  const source = captionOf(element, tag);
  return { text: oneLine(text), from: 'native', ...(source ? { sources: [source] } : {}) };
};

const LABELABLE = new Set(['input', 'select', 'textarea', 'button', 'meter', 'output', 'progress']);

const labelsOf = (element: Element, tag: string, labels: Labels): readonly Element[] | undefined => {
  if (!LABELABLE.has(tag)) return undefined;
  return labels.of(element);
};

const CAPTION_TAGS: Readonly<Record<string, string>> = { fieldset: 'legend', table: 'caption', figure: 'figcaption' };

/** The child that names its parent: legend, caption, figcaption. */
const captionOf = (element: Element, tag: string): Element | undefined => {
  const wanted = CAPTION_TAGS[tag];
  if (wanted === undefined) return undefined;
  for (let child = firstElementChild(element); child; child = nextElementSibling(child)) if (localName(child) === wanted) return child;
  return undefined;
};

/** The text that HTML gives an element beside its content; undefined where it gives none. */
const nativeText = (element: Element, tag: string, traversal: Traversal): string | undefined => {
  switch (tag) {
    case 'input':
      return inputText(element as HTMLInputElement);
    case 'img':
    case 'area':
      return attribute(element, 'alt') ?? undefined;
    case 'svg':
      return svgTitle(element) ?? (element.getAttribute('role') === 'img' ? '' : undefined);
    case 'fieldset':
    case 'table':
    case 'figure': {
      const caption = captionOf(element, tag);
      return caption ? textAlternative(caption, localName(caption), traversal) : undefined;
    }
    default:
      return element instanceof SVGElement ? svgTitle(element) : undefined;
  }
};

const inputText = (input: HTMLInputElement): string | undefined => {
  switch (inputType(input)) {
    case 'button':
      return input.value || undefined;
    case 'submit':
      return input.value || (hasAttribute(input, 'value') ? undefined : 'Submit');
    case 'reset':
      return input.value || (hasAttribute(input, 'value') ? undefined : 'Reset');
    case 'image':
      return attribute(input, 'alt') ?? (input.value || attribute(input, 'title')) ?? 'Submit';
    default:
      return undefined;
  }
};

const svgTitle = (element: Element): string | undefined => {
  for (let child = firstElementChild(element); child; child = nextElementSibling(child))
    if (localName(child) === 'title') return child.textContent ?? '';
  return undefined;
};
