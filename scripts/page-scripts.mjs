// Bundles code that runs inside the page into a string: `page-script:NAME` is
// src/page/entries/NAME.ts.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const FOLDER = fileURLToPath(new URL('../src/page/entries/', import.meta.url));
const PREFIX = 'page-script:';

/** The global that contains a bundle's exports; `formatFunctions` in page-functions.ts uses it. */
const globalName = (name) =>
  `__oc_${name.replace(/-([a-z])/g, (_, letter) => letter.toUpperCase())}`;

const bundleScript = async (name) => {
  const { outputFiles, metafile } = await build({
    entryPoints: [path.join(FOLDER, `${name}.ts`)],
    bundle: true,
    format: 'iife',
    globalName: globalName(name),
    target: 'chrome120',
    charset: 'ascii', // one byte per character in the memory of the server and of each page
    minify: true,
    legalComments: 'none',
    write: false,
    metafile: true,
    logLevel: 'warning',
  });
  return {
    source: outputFiles[0].text,
    files: Object.keys(metafile.inputs).map((file) => path.resolve(file)),
  };
};

export const pageScriptPlugin = () => ({
  name: 'page-script',
  setup: (esbuild) => {
    esbuild.onResolve({ filter: /^page-script:/ }, ({ path: id }) => ({
      path: id.slice(PREFIX.length),
      namespace: 'page-script',
    }));
    esbuild.onLoad({ filter: /.*/, namespace: 'page-script' }, async ({ path: name }) => {
      const { source, files } = await bundleScript(name);
      return {
        contents: `export default ${JSON.stringify(source)};`,
        loader: 'js',
        watchFiles: files,
      };
    });
  },
});

/** Loads `PREFIX:NAME` as the text of its bundle; the projects of a test run share the bundles. */
export const bundleVitePlugin = (name, bundle) => {
  const prefix = `${name}:`;
  const bundles = new Map();
  return {
    name,
    enforce: 'pre',
    resolveId: (id) => (id.startsWith(prefix) ? `\0${id}` : undefined),
    watchChange: () => bundles.clear(),
    async load(id) {
      if (!id.startsWith(`\0${prefix}`)) return undefined;
      if (!bundles.has(id)) bundles.set(id, bundle(id.slice(prefix.length + 1)));
      const { source, files } = await bundles.get(id);
      for (const file of files) this.addWatchFile(file);
      return `export default ${JSON.stringify(source)};`;
    },
  };
};

export const pageScriptVitePlugin = () => bundleVitePlugin('page-script', bundleScript);
