// The module `pdfium-file`: the path of PDFium's WebAssembly code, which is a file of its own in
// dist/.
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';

const ID = 'pdfium-file';
const SOURCE = fileURLToPath(import.meta.resolve('@embedpdf/pdfium/pdfium.wasm'));
const NAME = 'pdfium.wasm.br';

/** Higher levels take a minute for 15 % less. */
const QUALITY = 9;

/** A chunk of its own in dist/chunks, because the module is only imported dynamically. */
const BUILT = `import { fileURLToPath } from 'node:url';
export default fileURLToPath(new URL('../${NAME}', import.meta.url));`;

export const pdfiumFilePlugin = () => ({
  name: ID,
  setup: (esbuild) => {
    esbuild.onResolve({ filter: /^pdfium-file$/ }, () => ({ path: ID, namespace: ID }));
    esbuild.onLoad({ filter: /./, namespace: ID }, () => ({ contents: BUILT, loader: 'js' }));
  },
});

/** Tests use the file of the package, which is not compressed. */
export const pdfiumFileVitePlugin = () => ({
  name: ID,
  enforce: 'pre',
  resolveId: (id) => (id === ID ? `\0${ID}` : undefined),
  load: (id) => (id === `\0${ID}` ? `export default ${JSON.stringify(SOURCE)};` : undefined),
});

export const writePdfiumFile = async (folder, quality = QUALITY) => {
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality };
  const compressed = await promisify(brotliCompress)(await readFile(SOURCE), { params });
  await writeFile(path.join(folder, NAME), compressed);
};
