// Lines of Markdown from pieces of text: blocks joined, text kept from looking like structure,
// marks that touch their words.

/** A piece between blank lines; a list keeps close to the line that it belongs to. */
export interface MarkdownBlock {
  readonly text: string;
  readonly list?: true;
}

/** Scripts that say as much in far fewer characters. */
const WIDE = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/g;
/** The start of a line that would read as structure though it is text. */
const LOOKS_LIKE_STRUCTURE = /^(?=#{1,6}\s|>\s|[-+*]\s|```|~~~|-{3,}$)|^(\d{1,9})(?=[.)]\s)/gm;

/** How much there is to read in a text. */
export const weigh = (text: string): number => text.length + 1.5 * (text.match(WIDE)?.length ?? 0);

export const some = (text: string): MarkdownBlock[] => (text === '' ? [] : [{ text }]);

/**
 * Blocks with a blank line between them, and rules never double; inside of an item a list follows
 * its line closely.
 */
export const join = (blocks: readonly MarkdownBlock[], inItem = false): string => {
  const kept = blocks.filter(
    ({ text }, i) =>
      !(text === '---' && (i === 0 || i === blocks.length - 1 || blocks[i - 1]?.text === '---')),
  );
  let out = '';
  for (const [i, { text, list }] of kept.entries()) {
    // A list that does not start at 1 needs the blank line to be one.
    const close = inItem && list && !/^(?!1\.)\d+\. /.test(text);
    out += i === 0 ? text : `${close ? '\n' : '\n\n'}${text}`;
  }
  return out;
};

export const paragraph = (line: string): string =>
  line
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{2,}/g, '\n')
    .trim()
    .replace(LOOKS_LIKE_STRUCTURE, '$1\\');

export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

export const prefixLines = (text: string, prefix: string): string =>
  text === ''
    ? ''
    : text.replace(/^/gm, prefix).replace(new RegExp(`^${prefix}$`, 'gm'), prefix.trimEnd());

/** The marker, and everything below it indented by the marker's width. */
export const hanging = (text: string, marker: string): string =>
  marker + text.replace(/\n(?!\n)/g, `\n${' '.repeat(marker.length)}`);

/** Marks must touch the text that they mark: white space goes outside. */
export const wrapLines = (inner: string, open: string, close = open): string => {
  const text = inner.trim();
  if (text === '' || text.includes('\n\n')) return inner;
  const lead = /^\s/.test(inner) ? ' ' : '';
  const tail = /\s$/.test(inner) ? ' ' : '';
  return `${lead}${open}${text}${close}${tail}`;
};
