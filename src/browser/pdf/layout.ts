// Turns the text of PDF pages into Markdown: paragraphs, headings, lists and tables. Pure.

/** The meaning of a piece of text in a tagged PDF. */
export interface PdfTag {
  /** Pieces of the same block have the same number. */
  readonly block: number;
  /** 1 to 6 for a heading, otherwise 0. */
  readonly level: number;
  /** The table and the row of a cell. */
  readonly cell?: { readonly table: number; readonly row: number };
}

/** Characters on one baseline without a large gap, in the order of the file. */
export interface TextRun {
  text: string;
  left: number;
  right: number;
  /** The baseline, from the bottom of the page. */
  readonly y: number;
  readonly size: number;
  readonly bold: boolean;
  readonly tag: PdfTag | undefined;
}

export interface PdfPageContent {
  readonly runs: readonly TextRun[];
  /** The page shows pictures or drawings. */
  readonly hasPictures: boolean;
}

/** One or more runs on one baseline; several runs may be the cells of a table row. */
interface PdfLine {
  readonly cells: TextRun[];
}

/** A part of a page; whether it is a heading depends on the styles of the whole document. */
interface PdfBlock {
  readonly kind: 'text' | 'table';
  readonly text: string;
  readonly size: number;
  readonly bold: boolean;
  readonly lines: number;
  /** The level of a tagged heading; 0 for other text; undefined if the PDF is not tagged. */
  readonly level?: number | undefined;
}

export interface PdfPageBlocks {
  readonly blocks: readonly PdfBlock[];
  readonly hasPictures: boolean;
  /** PDFium cannot load the page: the file is damaged, or has fewer pages than it claims. */
  readonly isDamaged?: boolean;
}

/** Builds the Markdown of all pages; each page starts with a line that contains its number. */
export const renderPages = (pages: readonly PdfPageBlocks[], total: number): string[] => {
  const styles = findStyles(pages.flatMap(({ blocks }) => blocks));
  return pages.map((page, index) => {
    const body = page.blocks.map((block) => renderBlock(block, styles)).join('\n\n');
    return `--- Page ${index + 1} of ${total} ---\n\n${body || describeTextless(page)}\n\n`;
  });
};

const describeTextless = ({ hasPictures, isDamaged }: PdfPageBlocks): string => {
  if (isDamaged) return '[This page is damaged and cannot be read.]';
  return hasPictures ? '[This page is a picture without text.]' : '[This page is empty.]';
};

export const buildBlocks = (runs: readonly TextRun[]): PdfBlock[] => {
  const blocks: PdfBlock[] = [];
  for (let at = 0; at < runs.length;) {
    const isTagged = runs[at]?.tag !== undefined;
    let end = at;
    while (end < runs.length && (runs[end]?.tag !== undefined) === isTagged) end++;
    const part = runs.slice(at, end);
    for (const block of isTagged ? buildTagged(part) : buildUntagged(part)) blocks.push(block);
    at = end;
  }
  return blocks;
};

/** Splits a list where `continues` is false for two neighbours. */
const splitWhere = <T>(items: readonly T[], continues: (last: T, next: T) => boolean): T[][] => {
  const groups: T[][] = [];
  let group: T[] = [];
  for (const item of items) {
    const last = group.at(-1);
    if (last === undefined || !continues(last, item)) groups.push((group = []));
    group.push(item);
  }
  return groups;
};

const buildTagged = (runs: readonly TextRun[]): PdfBlock[] =>
  splitWhere(runs, (last, next) =>
    last.tag?.cell && next.tag?.cell
      ? last.tag.cell.table === next.tag.cell.table
      : last.tag?.block === next.tag?.block,
  ).map((group) =>
    group[0]?.tag?.cell ? buildTable(splitCells(group)) : buildText(toLines(group), group),
  );

const splitCells = (runs: readonly TextRun[]): string[][] =>
  splitWhere(runs, (last, next) => last.tag?.cell?.row === next.tag?.cell?.row).map((row) =>
    splitWhere(row, (last, next) => last.tag?.block === next.tag?.block).map((cell) =>
      joinLines(toLines(cell)),
    ),
  );

/** A table needs two rows with two cells; otherwise its cells are separate lines. */
const buildTable = (rows: readonly (readonly string[])[]): PdfBlock => {
  const width = Math.max(...rows.map((row) => row.length));
  const facts = { size: 0, bold: false, lines: rows.length, level: 0 };
  if (rows.length < 2 || width < 2)
    return { kind: 'text', text: rows.flat().map(escapeLine).join('\n'), ...facts };
  const lines = rows.map((row) => {
    const cells = Array.from({ length: width }, (_, index) => escapeCell(row[index] ?? ''));
    return `| ${cells.join(' | ')} |`;
  });
  lines.splice(1, 0, `|${' --- |'.repeat(width)}`);
  return { kind: 'table', text: lines.join('\n'), ...facts };
};

const SAME_LINE = 0.35;
const isSameLine = (one: TextRun, other: TextRun): boolean =>
  Math.abs(one.y - other.y) <= SAME_LINE * Math.max(one.size, other.size);

const toLines = (runs: readonly TextRun[]): PdfLine[] =>
  splitWhere(runs, (last, next) => isSameLine(last, next) && next.left >= last.left).map(
    (line) => ({ cells: splitWhere(line, isClose).map(joinRuns) }),
  );

/** Smaller gaps, in units of the font size, are between words, even larger ones between cells. */
const WORD_GAP = 0.5;
/** Smaller gaps are between the letters of a word. */
const LETTER_GAP = 0.15;

const isClose = (one: TextRun, other: TextRun): boolean =>
  other.left - one.right <= WORD_GAP * Math.max(one.size, other.size);

/** Joins runs of different fonts to one; the longest determines its size. */
const joinRuns = (runs: readonly TextRun[]): TextRun => {
  const [first, ...others] = runs as [TextRun, ...TextRun[]];
  if (others.length === 0) return first;
  let { text, right } = first;
  for (const run of others) {
    text += (run.left - right > LETTER_GAP * run.size ? ' ' : '') + run.text;
    right = Math.max(right, run.right);
  }
  const { size } = runs.reduce((one, other) => (other.text.length > one.text.length ? other : one));
  return { ...first, text, right, size, bold: runs.every(({ bold }) => bold) };
};

const joinCells = ({ cells }: PdfLine): string =>
  cleanText(cells.map(({ text }) => text).join(' '));

/** Without repeated spaces, and with one mark for the dots between an entry and its page. */
const cleanText = (text: string): string =>
  text.replace(LEADERS, ' … ').replace(SPACES, ' ').trim();

const LEADERS = /(?:\. ?){5,2000}/g;
const SPACES = /[ \t\u00a0]{2,100}/g;
/** PDFium's character for a hyphen that splits a word at the end of a line. */
const LINE_HYPHEN = '\u0002';

/** Joins lines with a line break, and the two parts of a hyphenated word without one. */
const joinLines = (lines: readonly PdfLine[], render = (line: string): string => line): string => {
  let text = '';
  for (const line of lines) {
    const words = joinCells(line);
    if (words === '') continue;
    if (text.endsWith(LINE_HYPHEN)) text = text.slice(0, -1) + words;
    else text += (text === '' ? '' : '\n') + render(words);
  }
  return text.replaceAll(LINE_HYPHEN, '-');
};

const buildText = (lines: readonly PdfLine[], runs: readonly TextRun[]): PdfBlock => ({
  kind: 'text',
  text: joinLines(lines, escapeLine),
  size: Math.max(...runs.map(({ size }) => size)),
  bold: runs.every(({ bold }) => bold),
  lines: lines.length,
  level: runs[0]?.tag?.level,
});

/** Without tags, tables are rows with aligned cells, and paragraphs are lines close together. */
const buildUntagged = (runs: readonly TextRun[]): PdfBlock[] => {
  const lines = joinRows(toLines(runs));
  const blocks: PdfBlock[] = [];
  for (let at = 0; at < lines.length;) {
    const table = takeTable(lines, at);
    if (table) {
      blocks.push(buildTable(table.rows));
      at += table.lines;
      continue;
    }
    let end = at + 1;
    while (
      end < lines.length &&
      isSameParagraph(lines[end - 1], lines[end]) &&
      !takeTable(lines, end)
    )
      end++;
    const group = lines.slice(at, end);
    blocks.push(
      buildText(
        group,
        group.flatMap(({ cells }) => cells),
      ),
    );
    at = end;
  }
  return blocks;
};

/** How many lines above may continue to the right: the lines of the cell before. */
const LINES_OF_CELL = 4;

/** Joins a line with an earlier line on the same baseline that ends to its left. */
const joinRows = (lines: readonly PdfLine[]): PdfLine[] => {
  const rows: PdfLine[] = [];
  for (const line of lines) {
    const [first] = line.cells;
    const row =
      first &&
      rows.slice(-LINES_OF_CELL).find(({ cells }) => {
        const last = cells.at(-1);
        return last && isSameLine(last, first) && last.right < first.left;
      });
    if (row) row.cells.push(...line.cells);
    else rows.push({ cells: [...line.cells] });
  }
  return rows;
};

const LINE_DISTANCE = 1.8;
const SIZE_TOLERANCE = 0.1;

const isSameParagraph = (above: PdfLine | undefined, below: PdfLine | undefined): boolean => {
  const [one, other] = [above?.cells[0], below?.cells[0]];
  if (!one || !other) return false;
  const distance = one.y - other.y;
  const isAlike = Math.abs(one.size - other.size) <= SIZE_TOLERANCE * one.size;
  return isAlike && one.bold === other.bold && distance > 0 && distance <= LINE_DISTANCE * one.size;
};

interface PdfColumn {
  left: number;
  right: number;
}

interface FoundTable {
  readonly rows: readonly (readonly string[])[];
  /** The number of lines of the page that the table takes. */
  readonly lines: number;
}

/** The table that starts at a line; undefined if fewer than two rows have aligned cells. */
const takeTable = (lines: readonly PdfLine[], start: number): FoundTable | undefined => {
  const first = lines[start];
  if (!first || first.cells.length < 2) return undefined;
  const columns: PdfColumn[] = first.cells.map(({ left, right }) => ({ left, right }));
  const rows: string[][] = [first.cells.map(({ text }) => cleanText(text))];
  let end = start + 1;
  let rowCount = 1;
  for (; end < lines.length; end++) {
    const line = lines[end];
    const places = line && placeCells(line.cells, columns);
    if (!places || !isNear(lines[end - 1], line)) break;
    if (line.cells.length > 1) rowCount++;
    addRow(rows, line, places, columns);
  }
  return rowCount < 2 ? undefined : { rows, lines: end - start };
};

const isNear = (above: PdfLine | undefined, below: PdfLine): boolean => {
  const [one, other] = [above?.cells[0], below.cells[0]];
  if (!one || !other) return false;
  return one.y > other.y && one.y - other.y <= 4 * one.size;
};

/** The column of each cell; undefined if a cell is in none or in two, or two cells in one. */
const placeCells = (
  cells: readonly TextRun[],
  columns: readonly PdfColumn[],
): number[] | undefined => {
  const places: number[] = [];
  for (const { left, right } of cells) {
    const found = columns.flatMap((column, index) =>
      left < column.right && right > column.left ? [index] : [],
    );
    const [place] = found;
    if (place === undefined || found.length > 1 || places.includes(place)) return undefined;
    places.push(place);
  }
  return places;
};

/** Adds a row; a single cell that is not in the first column continues the cell above it. */
const addRow = (
  rows: string[][],
  { cells }: PdfLine,
  places: readonly number[],
  columns: readonly PdfColumn[],
): void => {
  const row = Array.from(columns, () => '');
  for (const [index, cell] of cells.entries()) {
    const place = places[index] ?? 0;
    const column = columns[place];
    if (column) {
      column.left = Math.min(column.left, cell.left);
      column.right = Math.max(column.right, cell.right);
    }
    row[place] = cleanText(cell.text);
  }
  const last = rows.at(-1);
  const [place = 0] = places;
  if (cells.length === 1 && place > 0 && last)
    last[place] = `${last[place] ?? ''} ${row[place] ?? ''}`.trim();
  else rows.push(row);
};

interface DocumentStyles {
  readonly bodySize: number;
  /** The body text is mostly bold, so that bold text is not a heading. */
  readonly isBold: boolean;
  /** Sizes of headings, the largest first. */
  readonly headingSizes: readonly number[];
}

const MAX_HEADING_CHARS = 200;
const MAX_BOLD_HEADING_CHARS = 100;
const HEADING_FACTOR = 1.15;
const MAX_LEVEL = 6;

const findStyles = (blocks: readonly PdfBlock[]): DocumentStyles => {
  const counts = new Map<number, number>();
  let [bold, all] = [0, 0];
  for (const { text, size, bold: isBold } of blocks) {
    const rounded = Math.round(size * 2) / 2;
    counts.set(rounded, (counts.get(rounded) ?? 0) + text.length);
    all += text.length;
    if (isBold) bold += text.length;
  }
  const [bodySize = 0] = [...counts].toSorted((a, b) => b[1] - a[1])[0] ?? [];
  const sizes = blocks
    .filter((block) => block.level === undefined && isLarge(block, bodySize))
    .map(({ size }) => Math.round(size));
  return {
    bodySize,
    isBold: bold > all / 2,
    headingSizes: [...new Set(sizes)].toSorted((a, b) => b - a),
  };
};

const LETTER = /\p{L}/u;

const isLarge = ({ kind, text, size, lines }: PdfBlock, bodySize: number): boolean =>
  kind === 'text' &&
  size >= HEADING_FACTOR * bodySize &&
  lines <= 3 &&
  text.length <= MAX_HEADING_CHARS &&
  LETTER.test(text);

/** A single bold line that is not the end of a sentence. */
const isBoldHeading = (block: PdfBlock, { bodySize, isBold }: DocumentStyles): boolean => {
  const { kind, text, size, bold, lines } = block;
  if (kind !== 'text' || !bold || isBold || lines !== 1 || size < 0.95 * bodySize) return false;
  return text.length <= MAX_BOLD_HEADING_CHARS && LETTER.test(text) && !/[.,;:]$/.test(text);
};

const findLevel = (block: PdfBlock, styles: DocumentStyles): number => {
  if (block.level !== undefined) return block.level;
  if (isLarge(block, styles.bodySize))
    return Math.min(MAX_LEVEL, styles.headingSizes.indexOf(Math.round(block.size)) + 1);
  return isBoldHeading(block, styles) ? Math.min(MAX_LEVEL, styles.headingSizes.length + 1) : 0;
};

const renderBlock = (block: PdfBlock, styles: DocumentStyles): string => {
  const level = findLevel(block, styles);
  if (level === 0 || block.text === '') return block.text;
  return `${'#'.repeat(level)} ${block.text.replaceAll('\n', ' ')}`;
};

const BULLET = /^[•◦▪‣●○·] ?/;
/** Line starts that would be read as a heading or as the start of a page. */
const MARKUP_START = /^(?:#{1,6} |--- )/;

const escapeLine = (line: string): string =>
  MARKUP_START.test(line) ? `\\${line}` : line.replace(BULLET, '- ');

const escapeCell = (text: string): string => text.replaceAll('\n', ' ').replaceAll('|', '\\|');
