// Reads the pieces of text of one PDF page from PDFium, without text that a reader cannot see.
import { getOrCreate } from '../../core/collections.ts';
import type { PdfPageContent, PdfTag, TextRun } from './layout.ts';
import type { Pdfium } from './pdfium.ts';
import { readTags } from './page-tags.ts';

/** Facts about a text object, which contains many characters. */
interface TextObject {
  readonly size: number;
  readonly bold: boolean;
  readonly tag: PdfTag | undefined;
  /** The id of the marked content, which differs between paragraphs and cells; -1 if unknown. */
  readonly mark: number;
  readonly isHidden: boolean;
}

export interface PdfPageReading extends PdfPageContent {
  readonly chars: number;
  /** Number of pieces of text that a reader cannot see, which are left out. */
  readonly hidden: number;
}

/** Larger gaps, in units of the font size, separate the cells of a table. */
const CELL_GAP = 1;
/** The same between two parts of marked content. */
const MARKED_CELL_GAP = 0.5;
/** Smaller text cannot be read. */
const MIN_SIZE = 1;
const BOLD_WEIGHT = 600;
/** Text render modes: invisible, and invisible with clipping. */
const INVISIBLE_MODES = new Set([3, 7]);
const TEXT = 1;
/** Objects that are checked for pictures. */
const MAX_OBJECTS = 2000;
const SPACE = 0x20;

/** Reads at most `maxChars` characters. */
export const readPdfPage = (
  pdfium: Pdfium,
  page: number,
  { maxChars, withTags }: { readonly maxChars: number; readonly withTags: boolean },
): PdfPageReading => {
  const text = pdfium.call.FPDFText_LoadPage(page);
  if (text === 0) return { runs: [], hasPictures: hasPictures(pdfium, page), chars: 0, hidden: 0 };
  try {
    const tags = withTags ? readTags(pdfium, page) : new Map<number, PdfTag>();
    return new PageTextReader(pdfium, { page, text, tags }).read(maxChars);
  } finally {
    pdfium.call.FPDFText_ClosePage(text);
  }
};

/** Any object other than text is a picture or a drawing. */
const hasPictures = ({ call }: Pdfium, page: number): boolean => {
  const count = Math.min(call.FPDFPage_CountObjects(page), MAX_OBJECTS);
  for (let index = 0; index < count; index++) {
    const type = call.FPDFPageObj_GetType(call.FPDFPage_GetObject(page, index));
    if (type !== TEXT) return true;
  }
  return false;
};

class PageTextReader {
  readonly #pdfium: Pdfium;
  readonly #text: number;
  readonly #hasPictures: boolean;
  readonly #width: number;
  readonly #height: number;
  readonly #tags: ReadonlyMap<number, PdfTag>;
  readonly #objects = new Map<number, TextObject>();
  readonly #fonts = new Map<number, boolean>();
  readonly #hidden = new Set<number>();
  readonly #runs: TextRun[] = [];
  #run: TextRun | undefined;
  /** The mark of the last character of the run. */
  #mark = -1;
  /** The text of the page; the position of a character is its number in PDFium. */
  #chars = '';
  #spaces = '';

  constructor(
    pdfium: Pdfium,
    {
      page,
      text,
      tags,
    }: {
      readonly page: number;
      readonly text: number;
      readonly tags: ReadonlyMap<number, PdfTag>;
    },
  ) {
    this.#pdfium = pdfium;
    this.#text = text;
    this.#hasPictures = hasPictures(pdfium, page);
    this.#width = pdfium.call.FPDF_GetPageWidthF(page);
    this.#height = pdfium.call.FPDF_GetPageHeightF(page);
    this.#tags = tags;
  }

  read(maxChars: number): PdfPageReading {
    const count = Math.max(0, this.#pdfium.call.FPDFText_CountChars(this.#text));
    this.#chars = this.#readChars(Math.min(count, maxChars));
    const { length } = this.#chars;
    for (let at = 0; at < length; at++) {
      const code = this.#chars.charCodeAt(at);
      if (code === SPACE) this.#spaces += ' ';
      if (!isVisible(code)) continue; // line breaks are replaced by the positions
      const start = at;
      while (at + 1 < length && isVisible(this.#chars.charCodeAt(at + 1))) at++;
      this.#addWord(start, at);
    }
    this.#endRun();
    return {
      runs: this.#runs,
      hasPictures: this.#hasPictures,
      chars: length,
      hidden: this.#hidden.size,
    };
  }

  /** One unit per character. PDFium's text of a page leaves out some characters. */
  #readChars(count: number): string {
    const { call } = this.#pdfium;
    const whole = this.#pdfium.readUnits(count + 1, (buffer) =>
      call.FPDFText_GetText(this.#text, 0, count, buffer),
    );
    const text = whole.replaceAll(TEXT_HYPHEN, HYPHEN);
    if (text.length === count && !SURROGATE.test(text)) return text;
    const units = Array.from({ length: count }, (_, index) => {
      const code = call.FPDFText_GetUnicode(this.#text, index);
      return String.fromCharCode(code > 0xffff ? REPLACEMENT : code);
    });
    return units.join('');
  }

  /** Adds the characters of a word; it is split if its parts belong to different objects. */
  #addWord(start: number, last: number): void {
    const { call } = this.#pdfium;
    const object = call.FPDFText_GetTextObject(this.#text, start);
    if (start === last || call.FPDFText_GetTextObject(this.#text, last) === object)
      return this.#addPiece(object, start, last);
    let end = start;
    while (call.FPDFText_GetTextObject(this.#text, end + 1) === object) end++;
    this.#addPiece(object, start, end);
    this.#addWord(end + 1, last);
  }

  #addPiece(pointer: number, start: number, last: number): void {
    const { call, scratch } = this.#pdfium;
    const object = getOrCreate(this.#objects, pointer, () => this.#readObject(pointer));
    call.FPDFText_GetCharOrigin(this.#text, start, scratch, scratch + 8);
    const [box, end] = [scratch + 16, scratch + 48];
    call.FPDFText_GetCharBox(this.#text, start, box, box + 8, box + 16, box + 24);
    call.FPDFText_GetCharBox(this.#text, last, end, end + 8, end + 16, end + 24);
    const { view } = this.#pdfium;
    const y = view.getFloat64(scratch + 8, true);
    const left = Math.min(view.getFloat64(box, true), view.getFloat64(end, true));
    const right = Math.max(view.getFloat64(box + 8, true), view.getFloat64(end + 8, true));
    if (object.isHidden || !this.#isOnPage(left, right, y)) this.#hidden.add(pointer);
    else this.#place(this.#chars.slice(start, last + 1), object, { left, right, y });
  }

  /** Rotated pages have their width and height exchanged, so the larger one limits both. */
  #isOnPage(left: number, right: number, y: number): boolean {
    const limit = Math.max(this.#width, this.#height) * 2;
    return right > -limit && left < limit && y > -limit && y < limit;
  }

  #place(
    text: string,
    { size, bold, tag, mark }: TextObject,
    { left, right, y }: { readonly left: number; readonly right: number; readonly y: number },
  ): void {
    const run = this.#run;
    if (run && this.#continues(run, { left, right, y, size, tag }, mark)) {
      run.left = Math.min(run.left, left);
      run.right = Math.max(run.right, right);
      run.text += this.#spaces + text;
    } else {
      this.#endRun();
      this.#run = { text, left, right, y, size, bold, tag };
    }
    this.#spaces = '';
    this.#mark = mark;
  }

  #continues(
    run: TextRun,
    next: Pick<TextRun, 'left' | 'right' | 'y' | 'size' | 'tag'>,
    mark: number,
  ): boolean {
    if (run.tag?.block !== next.tag?.block) return false;
    const size = Math.max(run.size, next.size);
    if (Math.abs(run.y - next.y) > 0.35 * size) return false;
    if (Math.abs(run.size - next.size) > 0.5 * size) return false;
    const gap = next.left - run.right;
    // Tagged cells are separate blocks, so a large gap inside a block is only space.
    if (!next.tag && gap > (mark === this.#mark ? CELL_GAP : MARKED_CELL_GAP) * size) return false;
    if (gap >= -0.5 * size) return true;
    const leftGap = run.left - next.right; // text from right to left
    return leftGap >= -0.5 * size && leftGap <= CELL_GAP * size;
  }

  #endRun(): void {
    if (this.#run && this.#run.text.trim() !== '') this.#runs.push(this.#run);
    this.#run = undefined;
  }

  #readObject(pointer: number): TextObject {
    if (pointer === 0) return UNKNOWN_OBJECT;
    const { call, scratch } = this.#pdfium;
    call.FPDFTextObj_GetFontSize(pointer, scratch);
    const fontSize = this.#pdfium.view.getFloat32(scratch, true);
    call.FPDFPageObj_GetMatrix(pointer, scratch);
    const { view } = this.#pdfium;
    const [c, d] = [view.getFloat32(scratch + 8, true), view.getFloat32(scratch + 12, true)];
    const size = Math.abs(fontSize) * Math.hypot(c, d);
    const font = call.FPDFTextObj_GetFont(pointer);
    const mark = call.FPDFPageObj_GetMarkedContentID(pointer);
    return {
      size,
      bold: font !== 0 && getOrCreate(this.#fonts, font, () => this.#isBold(font)),
      tag: this.#tags.get(mark),
      mark,
      isHidden: size < MIN_SIZE || this.#isInvisible(pointer),
    };
  }

  /** Scanned pages have their recognised text invisibly over the picture; it is kept. */
  #isInvisible(pointer: number): boolean {
    const { call, scratch } = this.#pdfium;
    const mode = call.FPDFTextObj_GetTextRenderMode(pointer);
    if (INVISIBLE_MODES.has(mode)) return !this.#hasPictures;
    const alpha = scratch + 12;
    const hasColor = call.FPDFPageObj_GetFillColor(
      pointer,
      scratch,
      scratch + 4,
      scratch + 8,
      alpha,
    );
    return hasColor !== 0 && this.#pdfium.view.getUint32(alpha, true) === 0;
  }

  #isBold(font: number): boolean {
    const { call } = this.#pdfium;
    const name = this.#pdfium.readName((buffer, bytes) =>
      call.FPDFFont_GetBaseFontName(font, buffer, bytes),
    );
    return call.FPDFFont_GetWeight(font) >= BOLD_WEIGHT || name.includes('Bold');
  }
}

/** PDFium's characters for a hyphen at the end of a line: by its number, and in the text. */
const HYPHEN = '\u0002';
const TEXT_HYPHEN = '\ufffe';
const SURROGATE = /[\ud800-\udfff]/;
const REPLACEMENT = 0xfffd;

const isVisible = (code: number): boolean => code > SPACE || code === HYPHEN.charCodeAt(0);

const UNKNOWN_OBJECT: TextObject = {
  size: 10,
  bold: false,
  tag: undefined,
  mark: -1,
  isHidden: false,
};
