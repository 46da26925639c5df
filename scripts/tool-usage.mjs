// The tools as plain data for the command line: the module `tool-usage` is what their declarations say at this moment.
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const NAME = 'tool-usage';

/** Runs the declarations once, so that the command line never has to load a tool to know it. */
const readUsages = async () => {
  const { bundle } = await import('./bundle.mjs');
  const folder = path.join(ROOT, '.cache', `${NAME}-${process.pid}-${performance.now()}`);
  try {
    const outfile = path.join(folder, 'usages.mjs');
    const { metafile } = await bundle({ entryPoints: ['scripts/gen/usages.ts'], outfile, metafile: true });
    const { usages } = await import(pathToFileURL(outfile).href);
    const files = Object.keys(metafile.inputs).filter((file) => file.startsWith('src/'));
    return { json: JSON.stringify(usages), files: files.map((file) => path.join(ROOT, file)) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** Parsing JSON is faster than parsing the same as code. */
const moduleOf = (json) => `export default JSON.parse(${JSON.stringify(json)});`;

export const toolUsagePlugin = () => ({
  name: NAME,
  setup: (esbuild) => {
    esbuild.onResolve({ filter: /^tool-usage$/ }, () => ({ path: NAME, namespace: NAME }));
    esbuild.onLoad({ filter: /.*/, namespace: NAME }, async () => {
      const { json, files } = await readUsages();
      return { contents: moduleOf(json), loader: 'js', watchFiles: files };
    });
  },
});

export const toolUsageVitePlugin = () => ({
  name: NAME,
  enforce: 'pre',
  resolveId: (id) => (id === NAME ? `\0${NAME}` : undefined),
  async load(id) {
    if (id !== `\0${NAME}`) return undefined;
    const { json, files } = await readUsages();
    for (const file of files) this.addWatchFile(file);
    return moduleOf(json);
  },
});
