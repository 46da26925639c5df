// How an element is shown, in the few words that reading needs.
import { hasAlternativeText, parseCssContent, readCounter } from './css-content.ts';
import { attribute, localName } from './dom.ts';

export const styleOf = (element: Element): CSSStyleDeclaration => getComputedStyle(element);

/** Whether text before and inside flows on in the same line. */
export const isInline = (display: string): boolean =>
  display === 'inline' || display === 'contents' || display === 'ruby' || display === 'ruby-text' || display === 'inline ruby';

/**
 * Texts of ::before and ::after. Asking is dear and almost always for nothing, so an answer of nothing is believed
 * for every element of the same tag and classes, until the walk ends.
 */
export class GeneratedContent {
  readonly #without = new Set<string>();
  readonly #withoutWords = new Set<string>();
  readonly #withoutReplacement = new Set<string>();

  around(element: Element, key: string): readonly [before: string, after: string] | undefined {
    if (this.#without.has(key)) return undefined;
    const before = textOf(element, '::before');
    const after = textOf(element, '::after');
    if (before !== '' || after !== '') return [before, after];
    this.#without.add(key);
    return undefined;
  }

  /** The alternative text of `content: url(...) / "text"` on the element itself; undefined if it has none. */
  replacement(element: Element, key: string): string | undefined {
    if (this.#withoutReplacement.has(key)) return undefined;
    const style = styleOf(element);
    const { content } = style;
    if (hasAlternativeText(content)) return parseCssContent(content, (name) => readCounter(style, () => style, name));
    this.#withoutReplacement.add(key);
    return undefined;
  }

  /** Like around, for reading: only words that are seen. */
  wordsAround(element: Element): readonly [before: string, after: string] | undefined {
    const key = likeness(element);
    if (this.#withoutWords.has(key)) return undefined;
    const before = seenWords(element, '::before');
    const after = seenWords(element, '::after');
    if (before !== '' || after !== '') return [before, after];
    this.#withoutWords.add(key);
    return undefined;
  }
}

/** Signs alone are decoration, or bullets. */
const WORDS = /[\p{L}\p{N}]/u;

/** The words that are seen before or after an element's content; '' where there are none. */
const seenWords = (element: Element, pseudo: '::before' | '::after'): string => {
  const text = textOf(element, pseudo);
  if (!WORDS.test(text)) return '';
  const { visibility, opacity } = getComputedStyle(element, pseudo);
  return visibility !== 'visible' || opacity === '0' ? '' : text;
};

/** The text of a pseudo-element; alternative text and a box that is not inline are separated by spaces. */
const textOf = (element: Element, pseudo: '::before' | '::after'): string => {
  const style = getComputedStyle(element, pseudo);
  const { content, display } = style;
  if (content === 'none' || content === 'normal' || display === 'none') return '';
  const text = parseCssContent(content, (name) => readCounter(style, () => styleOf(element), name));
  return text === '' || (isInline(display) && !hasAlternativeText(content)) ? text : ` ${text} `;
};

/** What makes two elements look alike: tag and classes. */
export const likeness = (element: Element): string => `${localName(element)}.${attribute(element, 'class') ?? ''}`;
