// Reads the structure of a page of a tagged PDF: which text is a heading or the cell of a table.
import type { PdfTag } from './layout.ts';
import type { Pdfium } from './pdfium.ts';

/** Limits for hostile files; a page of a book has a few hundred elements. */
const MAX_DEPTH = 60;
const MAX_ELEMENTS = 20_000;

/** Elements within a block of text; all other elements start a block. */
const INLINE = new Set([
  ...['Span', 'Link', 'Quote', 'Code', 'Em', 'Strong', 'Reference', 'Annot', 'NonStruct'],
  ...['Lbl', 'LBody'], // the label of a list item and its text are one block
]);
const CELLS = new Set(['TD', 'TH']);
const HEADING = /^H([1-6])?$/;

/** The tags by the id of their marked content. Empty if the PDF is not tagged. */
export const readTags = (pdfium: Pdfium, page: number): ReadonlyMap<number, PdfTag> => {
  const { call } = pdfium;
  const tree = call.FPDF_StructTree_GetForPage(page);
  if (tree === 0) return new Map();
  try {
    const reader = new TagReader(pdfium);
    const count = Math.max(0, call.FPDF_StructTree_CountChildren(tree));
    for (let index = 0; index < count && !reader.isFull; index++)
      reader.visit(call.FPDF_StructTree_GetChildAtIndex(tree, index), {
        depth: 0,
        tag: { block: 0, level: 0 },
        table: 0,
        row: 0,
      });
    return reader.tags;
  } finally {
    call.FPDF_StructTree_Close(tree);
  }
};

interface TagContext {
  readonly depth: number;
  readonly tag: PdfTag;
  readonly table: number;
  readonly row: number;
}

class TagReader {
  readonly tags = new Map<number, PdfTag>();
  readonly #pdfium: Pdfium;
  #visited = 0;

  constructor(pdfium: Pdfium) {
    this.#pdfium = pdfium;
  }

  get isFull(): boolean {
    return this.#visited >= MAX_ELEMENTS;
  }

  visit(element: number, outer: TagContext): void {
    if (element === 0 || outer.depth > MAX_DEPTH || this.isFull) return;
    const id = ++this.#visited;
    const { call } = this.#pdfium;
    const type = this.#pdfium.readText((buffer, bytes) =>
      call.FPDF_StructElement_GetType(element, buffer, bytes),
    );
    const inner = enterElement(type, id, outer);
    const count = Math.max(0, call.FPDF_StructElement_CountChildren(element));
    for (let index = 0; index < count && !this.isFull; index++) {
      const content = call.FPDF_StructElement_GetChildMarkedContentID(element, index);
      if (content >= 0) {
        this.#visited++;
        this.tags.set(content, inner.tag);
      } else this.visit(call.FPDF_StructElement_GetChildAtIndex(element, index), inner);
    }
  }
}

/** Everything inside a cell belongs to the cell. */
const enterElement = (type: string, id: number, outer: TagContext): TagContext => {
  const depth = outer.depth + 1;
  const { table, row, tag } = outer;
  if (tag.cell || INLINE.has(type)) return { ...outer, depth };
  if (type === 'Table') return { ...outer, depth, table: id };
  if (type === 'TR') return { ...outer, depth, row: id };
  if (CELLS.has(type) && table > 0)
    return { ...outer, depth, tag: { block: id, level: 0, cell: { table, row } } };
  const heading = HEADING.exec(type);
  return { ...outer, depth, tag: { block: id, level: heading ? Number(heading[1] ?? 1) : 0 } };
};
