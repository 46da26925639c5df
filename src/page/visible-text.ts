// Page text as one short line: white space collapsed, invisible characters removed.

/**
 * C0 and C1 controls, soft hyphens, zero-width and bidi characters, and private-use characters
 * (icon fonts). Joiners (200C, 200D) stay: scripts and emoji need them.
 */
const UNSEEN = [
  String.raw`[\u0000-\u0008\u000E-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B\u200E\u200F`,
  String.raw`\u202A-\u202E\u2060-\u2064\u2066-\u206F\uFEFF\uE000-\uF8FF]`,
].join('');
const INVISIBLE = new RegExp(UNSEEN);
const ALL_INVISIBLE = new RegExp(`${UNSEEN}+`, 'g');
const UNEVEN_SPACE = /[\t\n\v\f\r\u00A0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000]|  /;
const SPACES = /\s+/g;

export const oneLine = (text: string): string => {
  let line = INVISIBLE.test(text) ? text.replace(ALL_INVISIBLE, '') : text;
  if (UNEVEN_SPACE.test(line)) line = line.replace(SPACES, ' ');
  return line.trim();
};

/** The text as one line of at most `max` characters; a cut text ends with an ellipsis. */
export const shortLine = (text: string, max: number): string => {
  const line = oneLine(text.length > max * 2 ? text.slice(0, max * 2) : text);
  if (line.length <= max && text.length <= max * 2) return line;
  return `${withoutHalfPair(line.slice(0, max - 1))}…`;
};

/** Like shortLine, but line breaks stay: each line is collapsed on its own. */
export const shortLines = (text: string, max: number): string => {
  const lines = (text.length > max * 2 ? text.slice(0, max * 2) : text)
    .split(/\r\n|[\n\r]/)
    .map(oneLine)
    .join('\n');
  if (lines.length <= max && text.length <= max * 2) return lines;
  return `${withoutHalfPair(lines.slice(0, max - 1))}…`;
};

const LINE_BREAKS = /[\v\f\u2028\u2029]/g;

/** A value of at most `max` characters with its spaces, tabs and line breaks. */
export const shortValue = (text: string, max: number): string => {
  const start = text.slice(0, max * 2).replace(LINE_BREAKS, ' ');
  const value = INVISIBLE.test(start) ? start.replace(ALL_INVISIBLE, '') : start;
  if (value.length <= max && text.length <= max * 2) return value;
  return `${withoutHalfPair(value.slice(0, max - 1))}…`;
};

/** Removes half of a surrogate pair from the end of a cut text. */
export const withoutHalfPair = (text: string): string => {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text;
};

/** Whether the text is only white space. Fast, because most text nodes are indentation. */
export const isBlank = (text: string): boolean => {
  const first = text.trimStart().charCodeAt(0);
  if (Number.isNaN(first)) return true;
  if (first > 32 && first !== 0x200b) return false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 32 && code !== 0xa0 && code !== 0x200b && code !== 0xfeff) return false;
  }
  return true;
};

/** The text if the condition is truthy, otherwise an empty text. */
export const textIf = (condition: unknown, text: string): string => (condition ? text : '');
