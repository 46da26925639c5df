// Lays out text for a terminal: width of characters, wrapped lines, and tables. Pure.

/** Characters that take no column: combining marks, joiners and variation selectors. */
const ZERO_WIDTH = /^(?:\p{Mn}|\p{Me}|[\u200b-\u200f\u2060])$/u;

/** East Asian wide characters and emoji take two columns. */
const WIDE =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]$/u;

const COLOUR_CODE =
  // oxlint-disable-next-line no-control-regex
  /\u001b\[\d+m/g;

const measureCharacter = (character: string): number => {
  if (character <= '\u02ff') return 1;
  if (ZERO_WIDTH.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
};

/** The number of columns that a text takes; colour codes take none. */
const measureWidth = (text: string): number => {
  let width = 0;
  for (const character of text.replace(COLOUR_CODE, '')) width += measureCharacter(character);
  return width;
};

/** Shortens a text without colour codes to a number of columns; the last one becomes `…`. */
export const cutToWidth = (text: string, columns: number): string => {
  if (text.length <= columns && measureWidth(text) <= columns) return text;
  let [width, cut] = [0, ''];
  for (const character of text) {
    width += measureCharacter(character);
    if (width > columns - 1) break;
    cut += character;
  }
  return columns < 1 ? '' : `${cut}…`;
};

const padToWidth = (text: string, columns: number): string =>
  text + ' '.repeat(Math.max(0, columns - measureWidth(text)));

/** Line breaks and tabs would break a table. */
export const toOneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');

/** Wraps at spaces; a word that is longer than the line is split. */
export const wrapText = (text: string, columns: number): string[] => {
  const width = Math.max(1, columns);
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && measureWidth(last) + 1 + measureWidth(word) <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(...splitWord(word, width));
  }
  return lines;
};

const splitWord = (word: string, width: number): string[] => {
  if (measureWidth(word) <= width) return [word];
  const pieces: string[] = [''];
  for (const character of word) {
    const last = pieces.at(-1) ?? '';
    if (last !== '' && measureWidth(last) + measureCharacter(character) > width)
      pieces.push(character);
    else pieces[pieces.length - 1] = last + character;
  }
  return pieces;
};

/** Paragraphs are separated by line breaks; continuation lines get the indent too. */
export const wrapParagraph = (text: string, columns: number, indent = ''): string =>
  text
    .split('\n')
    .flatMap((paragraph) => wrapText(paragraph, columns - indent.length))
    .map((line) => `${indent}${line}`.trimEnd())
    .join('\n');

export interface TableColumn {
  readonly title: string;
  /** May be shortened if the table is wider than the terminal; higher values first. */
  readonly shrinks?: number;
  readonly align?: 'right';
}

const GAP = '  ';
const MIN_WIDTH = 8;

/**
 * A table with a line of titles. `columns`: the width of the terminal; Infinity if nothing may be
 * shortened.
 */
export const renderTable = (
  titles: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  columns: number,
  paintTitle: (text: string) => string = (text) => text,
): string => {
  const used = titles.map((_, i) => rows.some((row) => (row[i] ?? '') !== ''));
  const kept = titles.filter((_, i) => used[i]);
  const cells = rows.map((row) => row.filter((_, i) => used[i]).map(toOneLine));
  const widths = fitWidths(kept, cells, columns);
  const renderRow = (row: readonly string[]): string =>
    row
      .map((cell, i) => alignCell(cutToWidth(cell, widths[i] ?? 0), widths[i] ?? 0, kept[i]))
      .join(GAP)
      .trimEnd();
  const head = renderRow(kept.map(({ title }) => title.toUpperCase()));
  return [paintTitle(head), ...cells.map(renderRow)].join('\n');
};

const alignCell = (text: string, width: number, column: TableColumn | undefined): string =>
  column?.align === 'right'
    ? ' '.repeat(Math.max(0, width - measureWidth(text))) + text
    : padToWidth(text, width);

/** Natural widths; columns that may shrink give way until the table fits. */
const fitWidths = (
  titles: readonly TableColumn[],
  rows: readonly (readonly string[])[],
  columns: number,
): number[] => {
  const widths = titles.map(({ title }, i) =>
    Math.max(title.length, ...rows.map((row) => measureWidth(row[i] ?? ''))),
  );
  const order = titles
    .flatMap(({ shrinks }, i) => (shrinks === undefined ? [] : [{ i, shrinks }]))
    .toSorted((a, b) => b.shrinks - a.shrinks);
  let excess = widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length) - columns;
  for (const { i } of order) {
    if (excess <= 0) break;
    const width = widths[i] ?? 0;
    const next = Math.min(width, Math.max(MIN_WIDTH, width - excess));
    excess -= width - next;
    widths[i] = next;
  }
  return widths;
};
