// The text that a computed CSS `content` value adds to an accessible name.

/** Longer values are cut: a style sheet can contain any amount of text. */
const MAX_CONTENT_CHARS = 10_000;

/** Returns the value of a counter by its name. */
export type CounterValue = (name: string) => number;

/**
 * Strings and quotes of a `content` value. Alternative text after "/" replaces them.
 * Chrome resolves counters only in alternative text, so this does the same.
 */
export const parseCssContent = (value: string, counterValue: CounterValue): string => {
  const content = value.length > MAX_CONTENT_CHARS ? value.slice(0, MAX_CONTENT_CHARS) : value;
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
    } else if (char !== ' ' && char !== ',') {
      const word = readWord(content, i);
      if (word === 'open-quote') text += '“';
      else if (word === 'close-quote') text += '”';
      else if (isAlternative && (word === 'counter' || word === 'counters')) {
        text += String(counterValue(readWord(content, i + word.length + 1)));
      }
      i += word.length - 1;
    }
  }
  return text;
};

/** Whether a `content` value has alternative text. */
export const hasAlternativeText = (content: string): boolean => content.includes(' / ');

const findStringEnd = (content: string, from: number): number => {
  let end = from;
  while (end < content.length && content[end] !== '"') end += content[end] === '\\' ? 2 : 1;
  return end;
};

/** An escape is a backslash with up to six hex digits and one optional space, or with any other character. */
const ESCAPE = /\\(?:([0-9a-f]{1,6})\s?|(.))/gi;

const unescapeCss = (text: string): string =>
  text.replace(ESCAPE, (_, hex: string | undefined, char: string) =>
    hex === undefined ? char : codePointToText(Number.parseInt(hex, 16)),
  );

const codePointToText = (code: number): string => (code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '�');

const WORD = /[^\s"(),/]*/y;

/** The word at a place, at least one character long. */
const readWord = (content: string, at: number): string => {
  WORD.lastIndex = at;
  return WORD.exec(content)?.[0] || (content[at] ?? ' ');
};

/** The value of a counter as far as the pseudo-element and its element set it themselves. */
export const readCounter = (pseudo: CSSStyleDeclaration, element: () => CSSStyleDeclaration, name: string): number => {
  const set = findCounter(pseudo.getPropertyValue('counter-set'), name);
  if (set !== undefined) return set;
  const start = findCounter(pseudo.counterReset, name) ?? readElementCounter(element(), name);
  return start + (findCounter(pseudo.counterIncrement, name) ?? 0);
};

const readElementCounter = (style: CSSStyleDeclaration, name: string): number =>
  findCounter(style.getPropertyValue('counter-set'), name) ??
  (findCounter(style.counterReset, name) ?? 0) + (findCounter(style.counterIncrement, name) ?? 0);

/** The number after a name in a list such as "chapter 2 section 5"; undefined if the name is not in it. */
const findCounter = (list: string, name: string): number | undefined => {
  const words = list.split(' ');
  const at = words.indexOf(name);
  return at < 0 ? undefined : Number(words[at + 1]) || 0;
};
