// Reads computed styles: inline display, and the text that CSS generates.
import { createLookupTable } from './objects.ts';
import { attributeText } from './safe-dom.ts';
import { HAS_CLASS } from './attribute-flags.ts';

const INLINE_DISPLAYS = new Set<string>(['inline', 'contents', 'ruby', 'ruby-text', 'inline ruby']);
const EMPTY_CONTENTS = new Set<string>(['none', 'normal']);
const SEPARATORS = new Set<string | undefined>([' ', ',']);
const QUOTE_SIGNS = createLookupTable<string>({ 'open-quote': '“', 'close-quote': '”' });
const COUNTER_FUNCTIONS = new Set<string>(['counter', 'counters']);

export const getStyle = (element: Element): CSSStyleDeclaration => getComputedStyle(element);

/** Whether the element continues the line of the text before it. */
export const isInline = (display: string): boolean => INLINE_DISPLAYS.has(display);

/**
 * Texts of ::before and ::after. Reading them is slow and most elements have none, so an empty
 * result is cached for all elements of the same tag and classes, for one walk.
 */
export class GeneratedContent {
  readonly #without = new Set<string>();
  readonly #withoutWords = new Set<string>();
  readonly #withoutReplacement = new Set<string>();

  /** `key` is the likeness of the element, here and below. */
  around(element: Element, key: string): readonly [before: string, after: string] | undefined {
    if (this.#without.has(key)) return undefined;
    const before = readPseudoText(element, '::before');
    const after = readPseudoText(element, '::after');
    if (before !== '' || after !== '') return [before, after];
    this.#without.add(key);
    return undefined;
  }

  /**
   * The alternative text of `content: url(...) / "text"` on the element itself; undefined if it has
   * none.
   */
  replacement(element: Element, key: string): string | undefined {
    if (this.#withoutReplacement.has(key)) return undefined;
    const style = getStyle(element);
    const { content } = style;
    if (hasAlternativeText(content))
      return parseCssContent(content, (name) => readCounter(style, () => style, name));
    this.#withoutReplacement.add(key);
    return undefined;
  }

  /** Like `around`, but only visible text that contains words. */
  wordsAround(element: Element, key: string): readonly [before: string, after: string] | undefined {
    if (this.#withoutWords.has(key) || this.#without.has(key)) return undefined;
    const before = readVisibleWords(element, '::before');
    const after = readVisibleWords(element, '::after');
    if (before !== '' || after !== '') return [before, after];
    this.#withoutWords.add(key);
    return undefined;
  }
}

/** Symbols alone are decoration or bullets. */
const WORDS = /[\p{L}\p{N}]/u;

/** The visible words of a pseudo-element; '' if there are none. */
const readVisibleWords = (element: Element, pseudo: '::before' | '::after'): string => {
  const text = readPseudoText(element, pseudo);
  if (!WORDS.test(text)) return '';
  const { visibility, opacity } = getComputedStyle(element, pseudo);
  return visibility !== 'visible' || opacity === '0' ? '' : text;
};

/** The text of a pseudo-element. Spaces surround it if it is alternative text or not inline. */
const readPseudoText = (element: Element, pseudo: '::before' | '::after'): string => {
  const style = getComputedStyle(element, pseudo);
  const { content } = style;
  // Most elements have none. Each property of a pseudo-element is slow to read.
  if (EMPTY_CONTENTS.has(content)) return '';
  const { display } = style;
  if (display === 'none') return '';
  const text = parseCssContent(content, (name) =>
    readCounter(style, () => getStyle(element), name),
  );
  return text === '' || (isInline(display) && !hasAlternativeText(content)) ? text : ` ${text} `;
};

/** Cache key: tag and classes. */
export const buildStyleKey = (element: Element, tag: string, flags: number): string =>
  flags & HAS_CLASS ? `${tag}.${attributeText(element, 'class')}` : tag;

/** Longer values are cut: a style sheet can contain any amount of text. */
const MAX_CONTENT_CHARS = 10_000;

/** Returns the value of a counter by its name. */
type CounterValue = (name: string) => number;

/**
 * Strings and quotes of a `content` value. Alternative text after "/" replaces them.
 * Chrome resolves counters only in alternative text, so this does the same.
 */
const parseCssContent = (value: string, counterValue: CounterValue): string => {
  const content = value.slice(0, MAX_CONTENT_CHARS);
  let text = '';
  let depth = 0;
  let isAlternative = false;
  for (let i = 0; i < content.length; i++) {
    const char = content[i];
    if (char === '"') {
      const end = findStringEnd(content, i + 1);
      if (depth === 0) text += unescapeCss(content.slice(i + 1, end));
      i = end;
    } else if (char === '(') depth++;
    else if (char === ')') depth--;
    else if (depth > 0) continue;
    else if (char === '/') {
      isAlternative = true;
      text = '';
    } else if (!SEPARATORS.has(char)) {
      const word = readWord(content, i);
      text += QUOTE_SIGNS[word] ?? '';
      if (isAlternative && COUNTER_FUNCTIONS.has(word))
        text += String(counterValue(readWord(content, i + word.length + 1)));
      i += word.length - 1;
    }
  }
  return text;
};

/** Whether a `content` value has alternative text. */
const hasAlternativeText = (content: string): boolean => content.includes(' / ');

const findStringEnd = (content: string, from: number): number => {
  let end = from;
  while (end < content.length && content[end] !== '"') end += content[end] === '\\' ? 2 : 1;
  return end;
};

/**
 * An escape is a backslash with up to six hex digits and one optional space, or with any other
 * character.
 */
const ESCAPE = /\\(?:([0-9a-f]{1,6})\s?|(.))/gi;

const unescapeCss = (text: string): string =>
  text.replace(ESCAPE, (_, hex: string | undefined, char: string) =>
    hex === undefined ? char : codePointToText(Number.parseInt(hex, 16)),
  );

const codePointToText = (code: number): string =>
  code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '�';

const WORD = /[^\s"(),/]*/y;

/** The word at a position; at least one character. */
const readWord = (content: string, at: number): string => {
  WORD.lastIndex = at;
  return WORD.exec(content)?.[0] || (content[at] ?? ' ');
};

/** The value of a counter, from the styles of the pseudo-element and its element only. */
const readCounter = (
  pseudo: CSSStyleDeclaration,
  element: () => CSSStyleDeclaration,
  name: string,
): number => {
  const set = findCounter(pseudo.getPropertyValue('counter-set'), name);
  if (set !== undefined) return set;
  const start = findCounter(pseudo.counterReset, name) ?? readElementCounter(element(), name);
  return start + (findCounter(pseudo.counterIncrement, name) ?? 0);
};

const readElementCounter = (style: CSSStyleDeclaration, name: string): number =>
  findCounter(style.getPropertyValue('counter-set'), name) ??
  (findCounter(style.counterReset, name) ?? 0) + (findCounter(style.counterIncrement, name) ?? 0);

/**
 * The number after a name in a list such as "chapter 2 section 5"; undefined if the name is
 * missing.
 */
const findCounter = (list: string, name: string): number | undefined => {
  const words = list.split(' ');
  const at = words.indexOf(name);
  return at < 0 ? undefined : Number(words[at + 1]) || 0;
};
