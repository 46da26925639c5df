// The module `quickjs-file`: the path of QuickJS's WebAssembly code, which is a file of its own in
// dist/. The package contains it as a text inside of its code, which each thread would have to parse
// and decode.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';

const ID = 'quickjs-file';
const NAME = 'quickjs.wasm';
const PACKAGE = '@jitl/quickjs-singlefile-cjs-release-sync';
const SOURCE = fileURLToPath(import.meta.resolve(`${PACKAGE}/emscripten-module`));
const CACHE = fileURLToPath(new URL('../node_modules/.cache/openchrome/', import.meta.url));

/** The text literal with the WebAssembly code: one character per byte. */
const EMBEDDED = /'\0asm(?:[^'\\]|\\[^])*'/;

const findEmbedded = (source) => {
  const [literal] = EMBEDDED.exec(source) ?? [];
  if (literal === undefined) throw new Error(`${SOURCE} contains no WebAssembly code`);
  return literal;
};

/** A chunk of its own in dist/chunks, because the module is only imported dynamically. */
const BUILT = `import { fileURLToPath } from 'node:url';
export default fileURLToPath(new URL('../${NAME}', import.meta.url));`;

export const quickjsFilePlugin = () => ({
  name: ID,
  setup: (esbuild) => {
    esbuild.onResolve({ filter: /^quickjs-file$/ }, () => ({ path: ID, namespace: ID }));
    esbuild.onLoad({ filter: /./, namespace: ID }, () => ({ contents: BUILT, loader: 'js' }));
  },
});

/** Removes the WebAssembly code from the package's code: the thread gets the compiled module. */
export const quickjsCodeApart = {
  name: 'quickjs-code-apart',
  setup: (esbuild) =>
    esbuild.onLoad(
      { filter: /quickjs-singlefile-cjs-release-sync[/\\]dist[/\\]emscripten-module[.]cjs$/ },
      async ({ path: file }) => {
        const source = await readFile(file, 'utf8');
        return { contents: source.replace(findEmbedded(source), "''"), loader: 'js' };
      },
    ),
};

export const writeQuickjsFile = async (folder) => {
  const text = runInNewContext(findEmbedded(await readFile(SOURCE, 'utf8')));
  const file = path.join(folder, NAME);
  // test runs may write the same file at the same time
  await writeFile(`${file}.${process.pid}`, Buffer.from(text, 'latin1'));
  await rename(`${file}.${process.pid}`, file);
  return file;
};

export const quickjsFileVitePlugin = () => {
  let writing;
  const write = async () => {
    await mkdir(CACHE, { recursive: true });
    return writeQuickjsFile(CACHE);
  };
  return {
    name: ID,
    enforce: 'pre',
    resolveId: (id) => (id === ID ? `\0${ID}` : undefined),
    load: async (id) =>
      id === `\0${ID}`
        ? `export default ${JSON.stringify(await (writing ??= write()))};`
        : undefined,
  };
};
