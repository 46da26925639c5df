// Writes PDF files by hand, for tests with damaged and hostile files.

/** An object of a PDF: a dictionary, or a dictionary with a stream. */
export type PdfObject = string | { readonly dictionary: string; readonly stream: Uint8Array };

/** Builds a file from its objects; the first one is number 1 and must be the catalog. */
export const buildPdf = (objects: readonly PdfObject[], trailer = ''): Buffer => {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')];
  const offsets: number[] = [];
  let size = parts[0]?.length ?? 0;
  const write = (part: Buffer): void => {
    parts.push(part);
    size += part.length;
  };
  for (const [index, object] of objects.entries()) {
    offsets.push(size);
    write(Buffer.from(`${index + 1} 0 obj\n`));
    if (typeof object === 'string') write(Buffer.from(object, 'latin1'));
    else {
      write(Buffer.from(`<<${object.dictionary}/Length ${object.stream.length}>>stream\n`));
      write(Buffer.from(object.stream));
      write(Buffer.from('\nendstream'));
    }
    write(Buffer.from('\nendobj\n'));
  }
  const start = size;
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`);
  const count = objects.length + 1;
  write(Buffer.from(`xref\n0 ${count}\n0000000000 65535 f \n${rows.join('')}`));
  write(Buffer.from(`trailer<</Size ${count}/Root 1 0 R${trailer}>>\n`));
  write(Buffer.from(`startxref\n${start}\n%%EOF\n`));
  return Buffer.concat(parts);
};

const FONTS =
  '/Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>' +
  '/F2<</Type/Font/Subtype/Type1/BaseFont/Helvetica-Bold>>>>';

/** A file with one content stream per page; the fonts F1 (regular) and F2 (bold) are defined. */
export const buildPages = (
  contents: readonly string[],
  { resources = '', trailer = '', catalog = '' } = {},
): Buffer => {
  const kids = contents.map((_, index) => `${3 + 2 * index} 0 R`).join(' ');
  const pages = contents.flatMap((content, index): PdfObject[] => [
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents ${4 + 2 * index} 0 R` +
      `/Resources<<${FONTS}${resources}>>>>`,
    { dictionary: '', stream: Buffer.from(content, 'latin1') },
  ]);
  return buildPdf(
    [
      `<</Type/Catalog/Pages 2 0 R${catalog}>>`,
      `<</Type/Pages/Kids[${kids}]/Count ${contents.length}>>`,
      ...pages,
    ],
    trailer,
  );
};

/** Shows a text at a position, in a font (F1 or F2) of a size. */
export const showText = (
  text: string,
  { x = 50, y = 700, size = 12, font = 'F1', mode = 0 } = {},
): string => `BT /${font} ${size} Tf ${mode} Tr 1 0 0 1 ${x} ${y} Tm (${text}) Tj ET\n`;

/** A password that is not empty is needed to open it. */
export const buildEncrypted = (): Buffer =>
  buildPages([showText('secret')], {
    trailer:
      `/Encrypt<</Filter/Standard/V 2/R 3/Length 128/P -4/O<${'ab'.repeat(32)}>` +
      `/U<${'cd'.repeat(32)}>>>/ID[<${'01'.repeat(16)}><${'01'.repeat(16)}>]`,
  });
