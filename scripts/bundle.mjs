// How the project's TypeScript becomes JavaScript: the one set of esbuild options, for the build
// and for scripts.
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { dashboardPagePlugin } from './dashboard-page.mjs';
import { pageScriptPlugin } from './page-scripts.mjs';
import { pdfiumFilePlugin } from './pdfium-file.mjs';
import { quickjsFilePlugin } from './quickjs-file.mjs';
import { toolUsagePlugin } from './tool-usage.mjs';
import { englishOnly, workerScriptPlugin } from './worker-scripts.mjs';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Some bundled packages are CommonJS and call require for modules of Node. */
export const REQUIRE =
  "import { createRequire as createRequire_ } from 'node:module'; const require = createRequire_(import.meta.url);";

/**
 * The parts of zod's one namespace that the code names; a namespace that is handed on as a whole
 * brings all of it along.
 */
const usedOfZod = async () => {
  const real = await import('zod');
  const files = (await readdir(path.join(ROOT, 'src'), { recursive: true })).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
  );
  const texts = await Promise.all(
    files.map((file) => readFile(path.join(ROOT, 'src', file), 'utf8')),
  );
  const names = new Set(
    texts.flatMap((text) => [...text.matchAll(/\bz[.]([A-Za-z]+)/g)].map(([, name]) => name)),
  );
  names.delete('core'); // types alone
  return [...names].filter((name) => name in real.z).sort();
};

/** Halves what a start has to read of zod: only what the code uses of it goes into the bundle. */
const usedZodOnly = {
  name: 'zod-used-only',
  setup: (esbuild) => {
    esbuild.onResolve({ filter: /^zod$/ }, ({ importer, namespace }) =>
      namespace === 'file' && importer.startsWith(path.join(ROOT, 'src'))
        ? { path: 'zod', namespace: 'zod' }
        : undefined,
    );
    esbuild.onResolve({ filter: /^zod-namespace$/, namespace: 'zod' }, () => ({
      path: 'namespace',
      namespace: 'zod',
    }));
    esbuild.onLoad({ filter: /^zod$/, namespace: 'zod' }, () => ({
      contents: "export * as z from 'zod-namespace';",
      resolveDir: ROOT,
    }));
    esbuild.onLoad({ filter: /^namespace$/, namespace: 'zod' }, async () => ({
      contents: `export { ${(await usedOfZod()).join(', ')} } from 'zod';`,
      resolveDir: ROOT,
    }));
  },
};

/**
 * Reading a JSON Schema needs all of zod: that is a copy of its own, in the chunk that is loaded
 * for it.
 */
const wholeZodApart = {
  name: 'zod-whole-apart',
  setup: (esbuild) => {
    esbuild.onResolve({ filter: /^zod$/ }, ({ importer }) =>
      importer === path.join(ROOT, 'src', 'features', 'extract', 'record-check.ts')
        ? { path: fileURLToPath(import.meta.resolve('zod')), namespace: 'zod-whole' }
        : undefined,
    );
    esbuild.onResolve({ filter: /^[.]/, namespace: 'zod-whole' }, ({ path: name, importer }) => ({
      path: path.resolve(path.dirname(importer), name),
      namespace: 'zod-whole',
    }));
    esbuild.onLoad({ filter: /./, namespace: 'zod-whole' }, async ({ path: file }) => ({
      contents: await readFile(file, 'utf8'),
    }));
  },
};

/**
 * The job engine would search for its configuration in the working folder, and run it; the search
 * would also put a compiler of 10 MB into the bundle.
 */
const noJobEngineConfig = {
  name: 'no-job-engine-config',
  setup: (esbuild) => {
    esbuild.onResolve({ filter: /^cosmiconfig$/ }, () => ({
      path: 'cosmiconfig',
      namespace: 'no-config',
    }));
    esbuild.onLoad({ filter: /./, namespace: 'no-config' }, () => ({
      contents: 'exports.cosmiconfigSync = () => ({ search: () => null });',
    }));
  },
};

/** Keeps what a plugin loads for the next bundles of the process: each is a bundle of its own. */
const keepLoads = ({ name, setup }) => {
  const loads = new Map();
  const load = (read) => (file) => {
    const key = `${file.namespace}:${file.path}`;
    if (!loads.has(key)) loads.set(key, read(file));
    return loads.get(key);
  };
  return {
    name,
    setup: (esbuild) =>
      setup({ ...esbuild, onLoad: (filter, read) => esbuild.onLoad(filter, load(read)) }),
  };
};

const KEPT = [
  pageScriptPlugin(),
  dashboardPagePlugin(),
  workerScriptPlugin(),
  toolUsagePlugin(),
].map(keepLoads);

/** Bundles with every package inside, so that what comes out needs nothing but Node. */
export const bundle = (options, further = []) =>
  build({
    absWorkingDir: ROOT,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    // Node keeps the source of a module in memory: twice as large with one character beyond Latin-1.
    charset: 'ascii',
    legalComments: 'none',
    banner: { js: REQUIRE },
    alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' }, // its other form cannot be bundled
    plugins: [
      ...KEPT,
      pdfiumFilePlugin(),
      quickjsFilePlugin(),
      englishOnly,
      wholeZodApart,
      usedZodOnly,
      noJobEngineConfig,
      ...further,
    ],
    logLevel: 'warning',
    ...options,
  });
