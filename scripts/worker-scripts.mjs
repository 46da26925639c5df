// Bundles the code of worker threads into a string: `worker-script:NAME` is NAME.ts in one of the
// folders below.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundleVitePlugin, pageScriptPlugin } from './page-scripts.mjs';
import { quickjsCodeApart } from './quickjs-file.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDERS = [
  'src/policy/workers',
  'src/store/workers',
  'src/features/crawl/workers',
  'src/features/extract/workers',
  'src/features/network/workers',
  'src/browser/traffic/workers',
  'src/features/script/workers',
  'src/browser/pdf/workers',
];
const PREFIX = 'worker-script:';

/** The source of a worker, relative to the project. */
export const workerSource = (name) => {
  const file = FOLDERS.map((folder) => `${folder}/${name}.ts`).find((candidate) =>
    existsSync(path.join(ROOT, candidate)),
  );
  if (file === undefined) throw new Error(`no worker ${name} in ${FOLDERS.join(', ')}`);
  return file;
};

/**
 * zod brings its messages in fifty languages, which every start would have to parse; English is the
 * one that is used.
 */
export const englishOnly = {
  name: 'zod-english-only',
  setup: (esbuild) =>
    esbuild.onLoad({ filter: /[/\\]zod[/\\]v4[/\\]locales[/\\]index[.]js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    })),
};

/** Bundles a worker as CommonJS, the format that Node accepts as the text of a worker. */
export const bundleWorker = async (name) => {
  const { outputFiles, metafile } = await build({
    entryPoints: [path.join(ROOT, workerSource(name))],
    plugins: [pageScriptPlugin(), englishOnly, quickjsCodeApart],
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20.19',
    charset: 'ascii',
    minifyWhitespace: true,
    minifySyntax: true,
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

export const workerScriptPlugin = () => ({
  name: 'worker-script',
  setup: (esbuild) => {
    esbuild.onResolve({ filter: /^worker-script:/ }, ({ path: id }) => ({
      path: id.slice(PREFIX.length),
      namespace: 'worker-script',
    }));
    esbuild.onLoad({ filter: /.*/, namespace: 'worker-script' }, async ({ path: name }) => {
      const { source, files } = await bundleWorker(name);
      return {
        contents: `export default ${JSON.stringify(source)};`,
        loader: 'js',
        watchFiles: files,
      };
    });
  },
});

export const workerScriptVitePlugin = () => bundleVitePlugin('worker-script', bundleWorker);
