// Joins text into Markdown blocks, escapes text that looks like structure, and places marks.

import { textIf } from '../visible-text.ts';

/** A block between blank lines; a list inside an item follows its line without one. */
export interface MarkdownBlock {
  readonly text: string;
  readonly list?: true;
}

/** Characters of scripts that need fewer characters for the same content. */
const WIDE = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/g;
/** Line starts that Markdown would parse as structure. */
const LOOKS_LIKE_STRUCTURE = /^(?=#{1,6}\s|>\s|[-+*]\s|```|~~~|-{3,}$)|^(\d{1,9})(?=[.)]\s)/gm;

/** The amount of text: its length, with characters of dense scripts counted more. */
export const weigh = (text: string): number => text.length + 1.5 * (text.match(WIDE)?.length ?? 0);

/**
 * Joins blocks with blank lines and drops double rules. Inside an item, a list follows its line
 * directly.
 */
export const join = (blocks: readonly MarkdownBlock[], inItem = false): string => {
  const kept = blocks.filter(
    ({ text }, i) =>
      !(text === '---' && (i === 0 || i === blocks.length - 1 || blocks[i - 1]?.text === '---')),
  );
  let out = '';
  for (const [i, { text, list }] of kept.entries()) {
    // Markdown needs the blank line before a list that does not start at 1.
    const close = inItem && list && !/^(?!1\.)\d+\. /.test(text);
    out += i === 0 ? text : `${close ? '\n' : '\n\n'}${text}`;
  }
  return out;
};

/** White space that `collapseBlanks` changes; most text has none. */
const UNEVEN_BLANKS = /[^\S\n ]|  /;
const UNEVEN_SPACE = /[^\S ]|  /;

/** Replaces white space by single spaces, except line breaks. */
export const collapseBlanks = (text: string): string =>
  UNEVEN_BLANKS.test(text) ? text.replace(/[^\S\n]+/g, ' ') : text;

/** Replaces white space by single spaces. */
export const collapseSpace = (text: string): string =>
  UNEVEN_SPACE.test(text) ? text.replace(/\s+/g, ' ') : text;

export const paragraph = (line: string): string =>
  joinLines(collapseBlanks(line)).trim().replace(LOOKS_LIKE_STRUCTURE, '$1\\');

const joinLines = (text: string): string =>
  text.includes('\n') ? text.replace(/ ?\n ?/g, '\n').replace(/\n{2,}/g, '\n') : text;

export const oneLine = (text: string): string => collapseSpace(text).trim();

export const prefixLines = (text: string, prefix: string): string =>
  text === '' ? '' : text.replace(/^(?!$)/gm, prefix).replace(/^$/gm, prefix.trimEnd());

/** The marker, with all following lines indented by its width. */
export const hanging = (text: string, marker: string): string =>
  marker + text.replace(/\n(?!\n)/g, `\n${' '.repeat(marker.length)}`);

/** Moves white space outside, because marks must touch the text that they mark. */
export const wrapLines = (inner: string, open: string, close = open): string => {
  const text = inner.trim();
  if (text === '' || text.includes('\n\n')) return inner;
  const lead = textIf(/^\s/.test(inner), ' ');
  const tail = textIf(/\s$/.test(inner), ' ');
  return `${lead}${open}${text}${close}${tail}`;
};
