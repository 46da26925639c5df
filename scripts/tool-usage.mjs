// The tools and settings as plain data: the modules `tool-usage` (for the command line),
// `tool-summaries` (for lists) and `plain-settings` are what their declarations say at this moment.
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Which part of what was read each module holds. */
const MODULES = {
  'tool-usage': 'usages',
  'tool-summaries': 'summaries',
  'plain-settings': 'settings',
};

/**
 * Runs the declarations once, so that nobody has to load a tool, or describe it anew at every
 * start, to know it.
 */
const readTools = async () => {
  const { bundle } = await import('./bundle.mjs');
  const folder = path.join(ROOT, '.cache', `tools-${process.pid}-${performance.now()}`);
  try {
    const outfile = path.join(folder, 'usages.mjs');
    const { metafile } = await bundle({
      entryPoints: ['scripts/gen/usages.ts'],
      outfile,
      metafile: true,
    });
    const said = await import(pathToFileURL(outfile).href);
    const files = Object.keys(metafile.inputs).filter((file) => file.startsWith('src/'));
    return { said, files: files.map((file) => path.join(ROOT, file)) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** What a server reads once or twice: its modules hold a function, and its data no memory. */
const READ_LATE = ['tool-summaries', 'plain-settings'];

/** Parsing JSON is faster than parsing the same as code. */
const contentsOf = (name, said) => {
  const data = `JSON.parse(${JSON.stringify(JSON.stringify(said[MODULES[name]]))})`;
  return `export default ${READ_LATE.includes(name) ? '() => ' : ''}${data};`;
};

export const toolUsagePlugin = () => ({
  name: 'tool-usage',
  setup: (esbuild) => {
    let reading;
    esbuild.onResolve(
      { filter: /^(?:tool-usage|tool-summaries|plain-settings)$/ },
      ({ path: name }) => ({
        path: name,
        namespace: 'tool-usage',
      }),
    );
    esbuild.onLoad({ filter: /.*/, namespace: 'tool-usage' }, async ({ path: name }) => {
      const { said, files } = await (reading ??= readTools());
      return { contents: contentsOf(name, said), loader: 'js', watchFiles: files };
    });
  },
});

export const toolUsageVitePlugin = () => {
  let reading;
  return {
    name: 'tool-usage',
    enforce: 'pre',
    resolveId: (id) => (id in MODULES ? `\0${id}` : undefined),
    watchChange: () => {
      reading = undefined;
    },
    async load(id) {
      const name = id.slice(1);
      if (!id.startsWith('\0') || !(name in MODULES)) return undefined;
      const { said, files } = await (reading ??= readTools());
      for (const file of files) this.addWatchFile(file);
      return contentsOf(name, said);
    },
  };
};
